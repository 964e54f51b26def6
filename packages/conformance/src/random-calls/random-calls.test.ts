import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { sampled } from "../../../../.config/sampled.js";
import { RandomCallChecker } from "./checker.js";
import { groupedLines } from "./findings.js";
import { type RecordedProgram, type RecordedTensor, readPrograms } from "./recorded.js";

const FOLDER = new URL("../../../testing/fixtures/random-calls/", import.meta.url);
const programsOf = (name: string): RecordedProgram[] =>
  readPrograms(fileURLToPath(new URL(`${name}.jsonl.gz`, FOLDER)));
const programs = programsOf("programs");
const checker = await RandomCallChecker.open({ backends: ["cpu", "wasm"] });

const NEG = `sconce-ir 1
program "TRAINING" {
  input %x0: USER_INPUT
  output %n0: USER_OUTPUT
}
graph(%x0: f32[2]) {
  %n0 = aten.neg.default(%x0)
  return (%n0)
}`;
const floats = (...values: number[]): RecordedTensor => ({
  dtype: "float32",
  shape: [values.length],
  strides: [1],
  data: Buffer.from(Float32Array.from(values).buffer).toString("base64"),
});
const INPUT = floats(1, 0);
/** A program that negates [1, 0], with this expected result. */
const negated = (output: RecordedTensor, after = INPUT): RecordedProgram => ({
  id: "neg",
  ir: NEG,
  runs: [{ inputs: [{ ...INPUT, offset: 0 }], outputs: [output], after: [after] }],
});

test("the recorded programs give PyTorch's results on cpu and wasm", { timeout: 120_000 }, async () => {
  expect(programs.length).toBeGreaterThan(140);
  for (const [line, program] of programs.entries())
    expect(groupedLines(await checker.check(program, line))).toEqual([]);
});

test("calls of chosen classes give PyTorch's results on each backend", { timeout: 120_000 }, async () => {
  const chosen = programsOf("chosen");
  expect(chosen.length).toBeGreaterThan(600);
  const drawn = sampled(chosen, 5);
  const each = await RandomCallChecker.open({ backends: ["cpu", "wasm", "gpujs:cpu"] });
  for (const [line, program] of drawn.entries())
    expect(groupedLines(await each.check(program, line))).toEqual([]);
});

test("a changed expectation is reported, for each tensor of the recorded programs", async () => {
  const changed = programs.flatMap((program) => {
    const [run] = program.runs;
    const [output] = run!.outputs ?? [];
    if (output === undefined || output.data === "" || program.runs.length > 1) return [];
    const bytes = Buffer.from(output.data, "base64");
    // The sign and the exponent of the last element, or all of a bool.
    bytes[bytes.length - 1] = output.dtype === "bool" ? 1 - bytes.at(-1)! : bytes.at(-1)! ^ 0x41;
    const others = [{ ...output, data: bytes.toString("base64") }, ...run!.outputs!.slice(1)];
    return [{ ...program, runs: [{ ...run!, outputs: others }] }];
  });
  expect(changed.length).toBeGreaterThan(40);
  for (const program of changed.slice(0, 40)) {
    const kinds = (await checker.check(program)).map(({ kind, places }) => `${kind} on ${places.join()}`);
    expect([program.id, ...kinds]).toEqual([program.id, "other numbers on cpu,wasm"]);
  }
});

test("other numbers and zeros are found in results and in what is written", async () => {
  expect(await checker.check(negated(floats(-1, -0)))).toEqual([]);
  const lines = async (program: RecordedProgram): Promise<string[]> =>
    groupedLines(await checker.check(program, 7));
  expect(await lines(negated(floats(-1, 2)))).toEqual([
    "other numbers: 1",
    "  neg.default",
    "    line 7, neg, on cpu, wasm: run 0: result 0: element 1 is 0, wanted 2",
  ]);
  expect((await lines(negated(floats(-1, -0), floats(1, 3))))[2]).toContain(
    "what is left in input 0: element 1 is 0, wanted 3",
  );
  expect((await lines(negated(floats(-1, 0))))[0]).toBe("other sign of zero: 1");
  expect((await lines(negated(floats(-1))))[2]).toContain("shape [2], wanted [1]");
});

test("refusals are found that PyTorch has and Sconce has not, and the reverse", async () => {
  const [run] = negated(floats(-1, -0)).runs;
  const kinds = async (program: RecordedProgram): Promise<string[]> =>
    (await checker.check(program)).map(({ kind }) => kind);
  const refused = [{ inputs: run!.inputs, error: "expected Long" }];
  expect(await kinds({ id: "lost", ir: NEG, runs: refused })).toEqual(["lost refusal"]);
  const logical = NEG.replace("neg.default(%x0)", "bitwise_not.default(%x0)");
  expect(await kinds({ id: "ours", ir: logical, runs: [run!] })).toEqual(["refusal of ours"]);
  expect(await kinds({ id: "both", ir: logical, runs: refused })).toEqual([]);
});

test("what shows on one of the backends alone says where it does not", () => {
  const finding = {
    line: 3,
    id: "1.0.4",
    operators: "neg.default",
    kind: "other numbers",
    text: "element 0 is 1, wanted 2",
  } as const;
  expect(groupedLines([{ ...finding, places: ["wasm"], others: ["cpu", "cpu lowered"] }])[2]).toBe(
    "    line 3, 1.0.4, on wasm, differs between backends: not on cpu, cpu lowered: element 0 is 1, wanted 2",
  );
});

test("a file that holds no programs has a code", () => {
  const missing = "packages/testing/fixtures/random-calls/none.jsonl";
  expect(() => readPrograms(missing)).toThrow(expect.objectContaining({ code: "NO_FOLDER" }));
  expect(() => readPrograms(import.meta.filename)).toThrow(expect.objectContaining({ code: "CASE_FILE" }));
});
