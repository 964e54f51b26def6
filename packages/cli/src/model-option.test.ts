import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { sconce } from "./command.fixture.js";

const FOLDER = new URL("../../testing/fixtures/several-programs/", import.meta.url);
const TWO = fileURLToPath(new URL("two.pt2", FOLDER));
const NEG = fileURLToPath(new URL("../fixtures/neg.sir", import.meta.url));

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "sconce-model-"));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

interface Recorded {
  readonly x: readonly (readonly number[])[];
  readonly output: readonly (readonly number[])[];
}

describe("--model chooses one of several programs", () => {
  test.each(["prefill", "decode"])("%s has PyTorch's numbers", async (name) => {
    const values = JSON.parse(await readFile(new URL("values.json", FOLDER), "utf8")) as Record<
      string,
      Recorded
    >;
    const { x, output } = values[name]!;
    const input = `x=${JSON.stringify(x)}`;
    const { out, code } = await sconce(
      "run",
      TWO,
      "--model",
      name,
      "--input",
      input,
      "--json",
      "--backend",
      "cpu",
    );
    expect(code).toBe(0);
    expect(JSON.parse(out)).toMatchObject({ outputs: [{ values: output }] });
  });

  test.each([
    ["info"],
    ["verify"],
    ["print"],
    ["types"],
    ["bench", "--random", "0", "--backend", "cpu"],
    ["history", "--passes", "cse"],
    ["explain", "--pattern", "aten.relu.default($x)"],
    ["bisect", "--passes", "cse"],
    ["lower", "-o", "out.sir"],
    ["strip", "-o", "out.sir"],
    ["ir", "-o", "out.json"],
    ["report", "-o", "out.html", "--backend", "cpu"],
    ["diff", TWO],
    ["convert", "out.pt2"],
  ])("%s", async (command, ...rest) => {
    const options = rest.map((option) => (/^out\./.test(option) ? join(folder, option) : option));
    const { code, err } = await sconce(command, TWO, "--model", "decode", ...options);
    expect([code, err]).toEqual([0, ""]);
  });

  test("a converted program is the chosen one", async () => {
    const output = join(folder, "decode.pt2");
    await sconce("convert", TWO, output, "--model", "decode");
    expect((await sconce("print", output, "--format", "graph")).out).toContain("torch.ops.aten.relu.default");
    const prefill = await sconce("print", TWO, "--model", "prefill", "--format", "graph");
    expect(prefill.out).not.toContain("relu");
  });

  test("without it, and for a name that none has, the error names the option and the programs", async () => {
    for (const [options, name] of [
      [[], "model"],
      [["--model", "encode"], "encode"],
    ] as const) {
      const { err, code } = await sconce("print", TWO, ...options);
      expect(code).toBe(2);
      expect(err).toContain(`error PT2_NO_MODEL: the archive holds no program named "${name}"`);
      expect(err).toContain("fix choose a program with --model NAME: prefill, decode");
    }
  });

  test("a file with one program as text takes no such option", async () => {
    const { err, code } = await sconce("info", NEG, "--model", "decode");
    expect(code).toBe(2);
    expect(err).toContain("error USAGE: --model decode chooses a program of an archive");
  });
});
