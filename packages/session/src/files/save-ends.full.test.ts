/** @file Saves and loads that run at once, are stopped, are killed, or find no space. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { copyFile, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { openPath } from "@sconce/formats/node";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { createSconce, type ExportedProgram, loadValues, Tensor, type Value } from "../index.js";
import { savePt2File } from "./save-node.js";

const PROGRAM = fileURLToPath(
  new URL("../../../testing/fixtures/programs/net_mlp/program.pt2", import.meta.url),
);
const BUILT = new URL("../../dist/", import.meta.url).href;
const sconce = createSconce();

let folder: string;
const at = (name: string): string => join(folder, name);
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "sconce-ends-"));
});
afterEach(() => rm(folder, { recursive: true }));

const lazily = async (path = PROGRAM): Promise<ExportedProgram> =>
  sconce.load(await openPath(path), { weights: "lazy" });

async function resultsOf(program: ExportedProgram): Promise<unknown[]> {
  const executable = await sconce.compile(program);
  const got = (await executable.run(program.exampleInputs!.leaves as Value[])) as Tensor[];
  return got.map((tensor) => tensor.toArray());
}

describe("at the same time", () => {
  test("one program is run, read and saved, and each gets what it gets alone", async () => {
    const eager = await sconce.load(await readFile(PROGRAM));
    const want = await resultsOf(eager);
    const bytes = await sconce.save(eager);
    const program = await lazily();
    const stopped = AbortSignal.abort();
    const [first, second, third, saved] = await Promise.all([
      resultsOf(program),
      resultsOf(program),
      resultsOf(await lazily()),
      sconce.save(program),
      expect(sconce.compile(program, undefined, { signal: stopped })).rejects.toMatchObject({
        code: "ABORTED",
      }),
      loadValues(program),
      savePt2File(program, at("archive.pt2")),
      savePt2File(program, at("archive.pt2")),
      savePt2File(program, at("other.pt2")),
    ]);
    expect([first, second, third]).toEqual([want, want, want]);
    expect(Buffer.compare(saved, bytes)).toBe(0);
    expect((await readdir(folder)).sort()).toEqual(["archive.pt2", "other.pt2"]);
    expect(Buffer.compare(await readFile(at("archive.pt2")), bytes)).toBe(0);
    expect(await resultsOf(await lazily(at("other.pt2")))).toEqual(want);
  });

  test("passes that read values wait for them, and others leave them in the file", async () => {
    const text = `sconce-ir 1
program "ATEN" {
  parameter "w": f32[2]
  input %p_w: PARAMETER "w"
  input %x: USER_INPUT
  output %y: USER_OUTPUT
  call "" ((*), {}) -> * names ["x"]
}
graph(%p_w: f32[2], %x: f32[2]) {
  %two: f32[2] = aten.add.Tensor(%p_w, %p_w)
  %y: f32[2] = aten.add.Tensor(%x, %two)
  return (%y)
}`;
    const made = sconce.parseIr(text, { tensors: new Map([["w", Tensor.from([1.5, 2.5])]]) });
    await savePt2File(made, at("w.pt2"));
    const program = await lazily(at("w.pt2"));
    const w = program.tensor("w")!;
    await sconce.transformAsync(program, "cse,dce");
    expect(w.isLoaded).toBe(false);
    const notLoaded: unknown = expect.objectContaining({ code: "VALUES_NOT_LOADED" });
    expect(() => sconce.transform(program, "fold-constants{weights=true}")).toThrow(
      expect.objectContaining({ code: "PASS_FAILED", cause: notLoaded }) as Error,
    );
    const folded = await sconce.transformAsync(program, "repeat(fold-constants{weights=true})");
    expect(w.isLoaded).toBe(true);
    expect([...folded.constants.values()].map((tensor) => tensor.toArray())).toEqual([[3, 5]]);
  });
});

describe("a file that is replaced", () => {
  test("by a save of its own program is whole, and values that were not read are refused", async () => {
    await copyFile(PROGRAM, at("program.pt2"));
    const program = await lazily(at("program.pt2"));
    const [name, loaded] = [...program.stateDict][0]!;
    await loaded.load();
    await savePt2File(program, at("program.pt2"));
    expect(Buffer.compare(await readFile(at("program.pt2")), await readFile(PROGRAM))).toBe(0);
    expect(program.tensor(name)!.toArray().length).toBeGreaterThan(0);
    await expect(loadValues(program)).rejects.toMatchObject({
      code: "SOURCE_CHANGED",
      where: expect.stringContaining("program.pt2") as string,
    });
    await expect(savePt2File(program, at("other.pt2"))).rejects.toMatchObject({ code: "SOURCE_CHANGED" });
    await rm(at("program.pt2"));
    await expect(loadValues(program)).rejects.toMatchObject({ code: "FILE" });
    expect(await readdir(folder)).toEqual([]);
    const again = await lazily();
    expect((await resultsOf(again)).length).toBeGreaterThan(0);
  });
});

describe("a save that ends early", () => {
  test("by its signal, at every entry, leaves the old file", async () => {
    const program = await lazily();
    const entries = new Set<string>();
    await sconce.save(program, { onProgress: ({ item }) => void entries.add(item) });
    expect(entries.size).toBeGreaterThan(10);
    await writeFile(at("m.pt2"), "old");
    for (const entry of entries) {
      const controller = new AbortController();
      const onProgress = ({ item }: { item: string }) => item === entry && controller.abort();
      const options = { signal: controller.signal, onProgress };
      if (entry === "") await savePt2File(program, at("end.pt2"), options);
      else
        await expect(savePt2File(program, at("m.pt2"), options)).rejects.toMatchObject({ code: "ABORTED" });
    }
    expect([(await readdir(folder)).sort(), await readFile(at("m.pt2"), "utf8")]).toEqual([
      ["end.pt2", "m.pt2"],
      "old",
    ]);
    expect(String(await lazily(at("end.pt2")))).toBe(String(program));
  });

  /** A process that saves a program, and reports when it is in the middle of it. */
  const saving = (limit = ""): ReturnType<typeof spawn> => {
    const script = `
import { createSconce } from "${BUILT}index.js";
import { savePt2File } from "${BUILT}files/save-node.js";
import { openPt2File } from "${new URL("../../../formats/dist/node.js", import.meta.url).href}";
const program = await openPt2File(${JSON.stringify(PROGRAM)}, { weights: "lazy" });
const endless = new Map(program.stateDict);
for (const tensor of endless.values())
  tensor.storage.pieces = async function* () {
    process.stdout.write("started\\n");
    for (;;) {
      yield new Uint8Array(65536);
      await new Promise((resolve) => setTimeout(resolve, 1));
    }
  };
await savePt2File(program, ${JSON.stringify(at("m.pt2"))}).catch((error) => {
  console.log(JSON.stringify([error.code, error.message]));
  process.exit(3);
});`;
    const node = [process.execPath, "--input-type=module", "-e", script];
    return limit === ""
      ? spawn(node[0]!, node.slice(1))
      : spawn("sh", ["-c", `${limit}; exec "$@"`, "sh", ...node]);
  };

  test("by a signal of the system leaves the old file alone", async () => {
    await writeFile(at("m.pt2"), "old");
    const child = saving();
    await once(child.stdout!, "data");
    expect((await readdir(folder)).length).toBeGreaterThan(1);
    child.kill("SIGTERM");
    expect(await once(child, "exit")).toEqual([null, "SIGTERM"]);
    expect([await readdir(folder), await readFile(at("m.pt2"), "utf8")]).toEqual([["m.pt2"], "old"]);
  });

  test("by a kill leaves the old file, and what is beside it does not disturb the next save", async () => {
    await writeFile(at("m.pt2"), "old");
    const child = saving();
    await once(child.stdout!, "data");
    child.kill("SIGKILL");
    expect(await once(child, "exit")).toEqual([null, "SIGKILL"]);
    expect(await readFile(at("m.pt2"), "utf8")).toBe("old");
    // Nothing can remove it then.
    for (const name of await readdir(folder)) expect(name).toMatch(/^m\.pt2$|^\.sconce-[-\w]+\.part$/);
    await savePt2File(await lazily(), at("m.pt2"));
    expect((await resultsOf(await lazily(at("m.pt2")))).length).toBeGreaterThan(0);
  });

  test("by a disk that takes no more leaves the old file, with the reason", async () => {
    await writeFile(at("m.pt2"), "old");
    const child = saving("ulimit -f 1024");
    let out = "";
    child.stdout!.on("data", (text: Buffer) => (out += text.toString()));
    expect(await once(child, "close")).toEqual([3, null]);
    const [code, message] = JSON.parse(out.trim().split("\n").at(-1)!) as string[];
    expect([code, message]).toEqual(["FILE", `${at("m.pt2")} would exceed the limit on file sizes`]);
    expect([await readdir(folder), await readFile(at("m.pt2"), "utf8")]).toEqual([["m.pt2"], "old"]);
  });
});
