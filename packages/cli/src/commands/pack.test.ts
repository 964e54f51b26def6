import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { loadPt2 } from "@sconce/formats";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { sconce } from "../command.fixture.js";

const archive = (name: string): string =>
  fileURLToPath(new URL(`../../../testing/fixtures/packages/${name}.pt2`, import.meta.url));
const [METHODS, WITH_MODEL] = [archive("methods"), archive("with-model")];
const NEG = fileURLToPath(new URL("../../fixtures/neg.sir", import.meta.url));

let folder: string;
let output: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "sconce-pack-"));
  output = join(folder, "out.pt2");
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const namesIn = async (path: string): Promise<string[]> => [
  ...(await loadPt2(await readFile(path))).exportedPrograms.keys(),
];

describe("pack", () => {
  test("names the programs of files, and takes all of an archive", async () => {
    const { code, out, err } = await sconce("pack", METHODS, `parts/neg=${NEG}`, "-o", output);
    expect([code, err]).toEqual([0, ""]);
    expect(out).toBe(`${output}: 3 programs: prefill, decode, parts/neg; tensors in the file\n`);
    expect(await namesIn(output)).toEqual(["prefill", "decode", "parts/neg"]);
    const { exportedPrograms } = await loadPt2(await readFile(output));
    const [prefill, decode] = [...exportedPrograms.values()];
    expect(prefill!.stateDict.get("linear.weight")!.storage).toBe(
      decode!.stateDict.get("linear.weight")!.storage,
    );
  });

  test("NAME=FILE takes the program `model`, the only one, or that of --model", async () => {
    const only = join(folder, "only.pt2");
    await sconce("pack", `decode=${METHODS}`, "--model", "decode", "-o", only);
    expect(await namesIn(only)).toEqual(["decode"]);
    const { out } = await sconce("pack", `a=${only}`, `b=${WITH_MODEL}`, "-o", output, "--json");
    expect(JSON.parse(out)).toEqual({
      output,
      programs: [
        { name: "a", dialect: "TRAINING", nodes: 16 },
        { name: "b", dialect: "TRAINING", nodes: 3 },
      ],
    });
    const { err } = await sconce("pack", `a=${METHODS}`, "-o", output);
    expect(err).toContain("error PT2_NO_MODEL");
    expect(err).toContain("fix choose a program with --model NAME: prefill, decode");
  });

  test.each([
    [[METHODS, METHODS], "two programs are named prefill"],
    [[`=${NEG}`], "has no name or no file"],
    [["a="], "has no name or no file"],
    [[`../up=${NEG}`], "there is no file"],
    [[`a//b=${NEG}`], 'a program named "a//b", which has an empty part'],
  ])("%j is refused", async (programs, message) => {
    const { code, err } = await sconce("pack", ...programs, "-o", join(folder, "none.pt2"));
    expect(code).toBe(2);
    expect(err).toContain(message);
    await expect(readFile(join(folder, "none.pt2"))).rejects.toThrow("ENOENT");
  });

  test("an output that holds one program is refused", async () => {
    const { code, err } = await sconce("pack", METHODS, "-o", join(folder, "out.sir"));
    expect([code, err.split("\n")[0]]).toEqual([
      2,
      `error USAGE: ${join(folder, "out.sir")} cannot hold several programs`,
    ]);
  });
});

describe("info lists the programs of an archive", () => {
  test("one line for each where none is named model", async () => {
    const { out, code } = await sconce("info", archive("methods-once"));
    expect(code).toBe(0);
    expect(out.split("\n").slice(1)).toEqual([
      "28127 bytes in the file, 312 bytes of state that several programs share",
      "programs (choose one with --model NAME):",
      "  prefill: 12 nodes, 288 bytes of state, (tokens: i64[s52, s27]) -> mul: f32[s52, s27, 4]",
      "  decode: 16 nodes, 288 bytes of state, (token: i64[2], state: f32[2, 4]) -> tanh: f32[2, 4], add_2: f32[2, 4]",
      "",
    ]);
  });

  test("as JSON, with what info shows of one program", async () => {
    const facts = JSON.parse((await sconce("info", METHODS, "--json")).out) as {
      readonly programs: readonly { readonly name: string }[];
    };
    const decode = JSON.parse((await sconce("info", METHODS, "--model", "decode", "--json")).out) as object;
    const {
      file: _file,
      format: _format,
      fileBytes: _bytes,
      programs,
      ...rest
    } = decode as Record<string, unknown>;
    expect(programs).toEqual(["prefill", "decode"]);
    expect(facts).toMatchObject({ format: "pt2", sharedBytes: 0 });
    expect(facts.programs[1]).toEqual({ name: "decode", ...rest });
    const bare = JSON.parse((await sconce("info", METHODS, "--json", "--no-hash")).out) as typeof facts;
    expect(bare.programs[0]).not.toHaveProperty("hash");
  });

  test("as a section where one is named model, or chosen", async () => {
    const lines = (await sconce("info", WITH_MODEL)).out.split("\n");
    expect(lines.slice(3, 8)).toEqual([
      "programs in the file (choose one with --model NAME):",
      "  model",
      "  parts/head",
      "  weight_x",
      "  last one",
    ]);
    expect((await sconce("info", METHODS, "--model", "decode")).out).toContain("  prefill\n  decode\n");
    expect((await sconce("info", METHODS, "--loops")).err).toContain("error PT2_NO_MODEL");
  });
});
