import { createEvaluator } from "@sconce/backend-cpu";
import { isSconceError, type SconceError } from "@sconce/errors";
import { type ExportedProgram, missingValues } from "@sconce/ir";
import { parseIr } from "@sconce/ir/text";
import { defaultOperators } from "@sconce/ops";
import { Tensor } from "@sconce/tensor";
import { describe, expect, test } from "vitest";
import { PassManager } from "../manager/pass-manager.js";
import { type Evaluator, type Pass, passCall } from "../pass/pass.js";
import { foldBatchNorm } from "./fold-batch-norm.js";
import { foldConstants } from "./fold-constants.js";

const operators = defaultOperators();
const evaluate = createEvaluator({ operators }) as Evaluator;

const parameters = ["weight", "mean", "var"];
const header = (constants: readonly string[]): string =>
  [
    "sconce-ir 1",
    'program "ATEN" {',
    ...parameters.map((name) => `parameter ${JSON.stringify(name)}: f32[2]`),
    ...constants.map((name) => `constant ${JSON.stringify(name)}: f32[2]`),
    ...parameters.map((name) => `input %p_${name}: PARAMETER ${JSON.stringify(name)}`),
    ...constants.map((name) => `input %c_${name}: CONSTANT_TENSOR ${JSON.stringify(name)}`),
    "input %x: USER_INPUT",
    "output %out: USER_OUTPUT",
    "}",
    "",
  ].join("\n");

const inputs = (constants: readonly string[], x: string): string =>
  [
    ...parameters.map((name) => `%p_${name}: f32[2]`),
    ...constants.map((name) => `%c_${name}: f32[2]`),
    x,
  ].join(", ");

/** `known` has values, `a` and `b` have none. */
const program = (body: string): ExportedProgram => {
  const constants = ["known", "a", "b"];
  const text = `${header(constants)}graph(${inputs(constants, "%x: f32[2]")}) {\n${body}\nreturn (%out)\n}\n`;
  return parseIr(text).withState({ known: Tensor.from([1, 2], [2], "float32") });
};

const fold = (given: ExportedProgram, pass: Pass = foldConstants, options = {}): ExportedProgram =>
  new PassManager({ operators, evaluate }).run(given, [passCall(pass, options)]);

function refusal(action: () => unknown): SconceError {
  try {
    action();
  } catch (error) {
    if (isSconceError(error)) return error;
    throw error;
  }
  throw new Error("was accepted");
}

describe("fold-constants on constants without values", () => {
  const MIXED = program(`
    %k: f32[2] = aten.mul.Tensor(%c_known, 3)
    %m: f32[2] = aten.neg.default(%c_a)
    %n: f32[2] = aten.exp.default(%m)
    %v: f32[2] = aten.view.default(%c_b, [2])
    %y: f32[2] = aten.add.Tensor(%k, %n)
    %z: f32[2] = aten.add.Tensor(%y, %v)
    %out: f32[2] = aten.add.Tensor(%z, %x)`);

  test("refuses, and names every tensor with the first call that needs it", () => {
    const error = refusal(() => fold(MIXED));
    expect(error.code).toBe("NO_VALUES");
    expect(error.message).toBe(
      'the pass "fold-constants" needs the values of 2 tensors that have none: ' +
        '"a" (c_a, first read by m), "b" (c_b, first read by v)',
    );
    expect(error.where).toContain("fold-constants");
  });

  test("folds what has values where the rest is not folded", () => {
    const given = program(`
      %k: f32[2] = aten.mul.Tensor(%c_known, 3)
      %y: f32[2] = aten.add.Tensor(%x, %c_a)
      %out: f32[2] = aten.add.Tensor(%y, %k)`);
    const folded = fold(given);
    expect(folded.constants.get("_folded_0")!.toArray()).toEqual([3, 6]);
    expect(missingValues(folded).map(({ name }) => name)).toContain("a");
  });

  test("computes what needs a shape only", () => {
    const given = program(`
      %k: f32[2] = aten.full_like.default(%c_a, 3)
      %out: f32[2] = aten.add.Tensor(%x, %k)`);
    expect(fold(given).constants.get("_folded_0")!.toArray()).toEqual([3, 3]);
  });

  test("parameters count where they are frozen", () => {
    const given = program(`
      %k: f32[2] = aten.neg.default(%p_weight)
      %out: f32[2] = aten.add.Tensor(%x, %k)`);
    expect(fold(given)).toBe(given);
    expect(refusal(() => fold(given, foldConstants, { weights: true })).message).toContain(
      '"weight" (p_weight, first read by k)',
    );
  });

  test("keeps them as constants without values for analyses", () => {
    const folded = fold(MIXED, foldConstants, { "missing-values": "keep" });
    const [value] = [...folded.constants].filter(([name]) => name.startsWith("_folded"));
    expect(value![1]).toMatchObject({ dtype: "float32", shape: [2] });
    expect(value![1].hasValues).toBe(false);
    expect(folded.graph.nodes().filter(({ op }) => op === "call_function")).toHaveLength(1);
  });
});

test("fold-batch-norm refuses, and names calls of the program that came in", () => {
  const text = `${header([])}graph(${inputs([], "%x: f32[1, 2, 3, 3]")}, %w: f32[2, 2, 1, 1]) {
    %conv: f32[1, 2, 3, 3] = aten.convolution.default(%x, %w, %p_weight, [1, 1], [0, 0], [1, 1], false, [0, 0], 1)
    %norm: (f32[1, 2, 3, 3], f32[0], f32[0]) = aten._native_batch_norm_legit_no_training.default(%conv, %p_weight, %p_weight, %p_mean, %p_var, 0.1, 1e-05)
    %out: f32[1, 2, 3, 3] = operator.getitem(%norm, 0)
    return (%out)
  }
`
    .replace('parameter "weight": f32[2]', 'parameter "weight": f32[2]\nparameter "w": f32[2, 2, 1, 1]')
    .replace("output %out", 'input %w: PARAMETER "w"\noutput %out');
  const error = refusal(() => fold(parseIr(text), foldBatchNorm));
  expect(error.code).toBe("NO_VALUES");
  expect(error.message).toContain('"w" (w, first read by conv)');
  expect(error.message).toContain('"mean" (p_mean, first read by norm)');
  expect(error.message).toContain('"var" (p_var, first read by norm)');
});
