import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { isSconceError } from "@sconce/errors";
import { type ExportedProgram, edit, programText } from "@sconce/ir";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { createSconce, save } from "../index.js";
import { savePt2File } from "./save-node.js";

const programs = new URL("../../../testing/fixtures/programs/", import.meta.url);
const file = (name: string): URL => new URL(`${name}/program.pt2`, programs);
const sconce = createSconce();
const load = async (name: string): Promise<ExportedProgram> => sconce.load(await readFile(file(name)));
const code = (wanted: string) => expect.toSatisfy((error: unknown) => isSconceError(error, wanted));

let folder: string;
const at = (name: string): string => join(folder, name);
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "sconce-save-"));
});
afterEach(() => rm(folder, { recursive: true }));

/** A stream that keeps what it gets. */
function collecting(fail = false) {
  const pieces: Uint8Array[] = [];
  const ends: unknown[] = [];
  const stream = new WritableStream<Uint8Array>({
    write: (piece) => {
      if (fail) throw new Error("the sink is full");
      pieces.push(piece);
    },
    close: () => void ends.push("closed"),
    abort: (reason) => void ends.push(reason),
  });
  return { stream, ends, bytes: () => Buffer.concat(pieces) };
}

describe("save", () => {
  test("gives bytes, writes to a stream, and to a path: the same file [S-122]", async () => {
    const program = await load("net_mlp");
    const bytes = await save(program);
    expect(programText(await sconce.load(bytes))).toBe(programText(program));
    const { stream, ends, bytes: written } = collecting();
    await save(program, stream);
    expect([Buffer.compare(written(), bytes), ends]).toEqual([0, ["closed"]]);
    await savePt2File(program, at("archive.pt2"));
    expect(Buffer.compare(await readFile(at("archive.pt2")), bytes)).toBe(0);
  });

  test("names the folder in the archive after the file, as PyTorch does", async () => {
    await savePt2File(await load("ir_add"), at("program.pt2"));
    expect(Buffer.compare(await readFile(at("program.pt2")), await readFile(file("ir_add")))).toBe(0);
    await savePt2File(await load("ir_add"), pathToFileURL(at(".pt2")));
    expect((await readFile(at(".pt2"))).includes("archive/archive_format")).toBe(true);
    expect((await readdir(folder)).sort()).toEqual([".pt2", "program.pt2"]);
  });

  test("gives a stream its own copies: who takes them cannot change the program", async () => {
    const program = await load("net_mlp");
    const before = await save(program);
    await save(program, new WritableStream({ write: (piece) => void piece.fill(255) }));
    expect(Buffer.compare(await save(program), before)).toBe(0);
  });

  test("aborts the stream and leaves no file when it is stopped", async () => {
    const program = await load("net_mlp");
    const controller = new AbortController();
    const onProgress = ({ done }: { done: number }) => done > 0 && controller.abort();
    const { stream, ends } = collecting();
    const options = { signal: controller.signal, onProgress };
    await expect(save(program, stream, options)).rejects.toEqual(code("ABORTED"));
    expect(ends).toEqual([code("ABORTED")]);
    await writeFile(at("m.pt2"), "old");
    await expect(savePt2File(program, at("m.pt2"), options)).rejects.toEqual(code("ABORTED"));
    expect([await readdir(folder), await readFile(at("m.pt2"), "utf8")]).toEqual([["m.pt2"], "old"]);
  });

  test("passes on what a stream throws, and a folder that is not there", async () => {
    const program = await load("ir_add");
    await expect(save(program, collecting(true).stream)).rejects.toThrow("the sink is full");
    await expect(savePt2File(program, at("none/m.pt2"))).rejects.toMatchObject({ code: "FILE" });
    await expect(save(program, "m.pt2" as never, {})).rejects.toMatchObject({
      code: "OPTION_VALUE",
      fix: expect.stringContaining("savePt2File") as string,
    });
  });
});

describe("the save of a session", () => {
  test("refuses an invalid program with its problems", async () => {
    const program = await load("ir_add");
    const name = program.graph.nodes().find(({ op }) => op === "call_function")!.name;
    const graph = edit(program.graph, (draft) => draft.setMeta(name, {}));
    await expect(sconce.save(program.with({ graph }))).rejects.toMatchObject({
      code: "INVALID_PROGRAM",
      where: expect.stringContaining(name) as string,
    });
  });

  test("gives its warnings to the logger", async () => {
    const warnings: string[] = [];
    const session = createSconce({
      services: { logger: { warn: (message) => void warnings.push(message) } },
    });
    const { stream, bytes } = collecting();
    await session.save(await load("pm_custom_op"), stream);
    expect(warnings).toEqual([expect.stringContaining("mylib.sin.default") as string]);
    expect(Buffer.compare(bytes(), await save(await load("pm_custom_op")))).toBe(0);
  });

  test("writes lowered and rewritten programs whose files, read and saved again, are the same", async () => {
    for (const name of ["net_mlp", "pm_buffer_updates", "flow_cond_dynamic", "shape_split"]) {
      const program = await load(name);
      for (const after of [
        sconce.runDecompositions(program),
        sconce.transform(program, "decompose,cse,dce"),
      ]) {
        const bytes = await sconce.save(after);
        const again = await sconce.load(bytes);
        expect(sconce.verify(again)).toEqual([]);
        expect(Buffer.compare(await sconce.save(again), bytes)).toBe(0);
        expect(again.graph.nodes().filter(({ target }) => target !== "operator.getitem").length).toBe(
          after.graph.nodes().filter(({ target }) => target !== "operator.getitem").length,
        );
      }
    }
  });
});
