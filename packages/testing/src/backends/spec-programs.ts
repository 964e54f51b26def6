/** @file Programs of the shared backend spec, as IR text. */
import type { ExportedProgram } from "@sconce/ir";
import { parseIr } from "@sconce/ir/text";
import { Tensor } from "@sconce/tensor";

/**
 * Returns a program of a graph and the lines of its program block. Tensors are zeros, unless given.
 */
const program = (
  lines: readonly string[],
  graph: string,
  tensors?: ReadonlyMap<string, Tensor>,
  dialect = "ATEN",
): ExportedProgram =>
  parseIr(`sconce-ir 1\nprogram "${dialect}" {\n${lines.join("\n")}\n}\n${graph}`, { tensors });

export const floats = (values: readonly number[], shape: readonly number[]): Tensor =>
  Tensor.from(values, shape, "float32");

/** `(relu(x) + y, x, 3)`: an operator's result, an input handed through, and a constant. */
export const outputs = program(
  [
    "input %x: USER_INPUT",
    "input %y: USER_INPUT",
    "output %add: USER_OUTPUT",
    "output %x: USER_OUTPUT",
    'output constant %"" = 3: USER_OUTPUT',
  ],
  `graph(%x: f32[2, 2], %y: f32[2]) {
  %relu: f32[2, 2] = aten.relu.default(%x)
  %add: f32[2, 2] = aten.add.Tensor(%relu, %y)
  return (%add, %x, 3)
}`,
);

/** `x @ w`, of a parameter. */
export const product = program(
  [
    'parameter "w": f32[2, 2]',
    'input %p_w: PARAMETER "w"',
    "input %x: USER_INPUT",
    "output %mm: USER_OUTPUT",
  ],
  `graph(%p_w: f32[2, 2], %x: f32[3, 2]) {
  %mm: f32[3, 2] = aten.mm.default(%x, %p_w)
  return (%mm)
}`,
  new Map([["w", floats([1, 2, 3, 4], [2, 2])]]),
);

/** Counts its runs in a buffer, and gives the count. */
export const counter = program(
  [
    'buffer "count": f32[1]',
    'input %b_count: BUFFER "count" persistent',
    "input %x: USER_INPUT",
    'output %next: BUFFER_MUTATION "count"',
    "output %sum: USER_OUTPUT",
  ],
  `graph(%b_count: f32[1], %x: f32[1]) {
  %next: f32[1] = aten.add.Tensor(%b_count, %x)
  %sum: f32[1] = aten.mul.Tensor(%next, 2.0)
  return (%next, %sum)
}`,
  new Map([["count", floats([0], [1])]]),
);

/** Two buffers exchange their values. */
export const exchange = program(
  [
    'buffer "a": f32[1]',
    'buffer "b": f32[1]',
    'input %b_a: BUFFER "a" persistent',
    'input %b_b: BUFFER "b" persistent',
    "input %x: USER_INPUT",
    'output %b_b: BUFFER_MUTATION "a"',
    'output %b_a: BUFFER_MUTATION "b"',
    "output %neg: USER_OUTPUT",
  ],
  `graph(%b_a: f32[1], %b_b: f32[1], %x: f32[1]) {
  %neg: f32[1] = aten.neg.default(%x)
  return (%b_b, %b_a, %neg)
}`,
  new Map([
    ["a", floats([1], [1])],
    ["b", floats([2], [1])],
  ]),
);

/** Writes `2 * x` to its input. */
export const writesInput = program(
  ["input %x: USER_INPUT", 'output %twice: USER_INPUT_MUTATION "x"', "output %neg: USER_OUTPUT"],
  `graph(%x: f32[2]) {
  %twice: f32[2] = aten.mul.Tensor(%x, 2.0)
  %neg: f32[2] = aten.neg.default(%twice)
  return (%twice, %neg)
}`,
);

/** Doubles rows of any number. */
export const dynamic = program(
  ['range "s0" [2, 64]', "input %x: USER_INPUT", "output %cat: USER_OUTPUT"],
  `graph(%x: f32[s0, 2]) {
  %cat: f32[2*s0, 2] = aten.cat.default([%x, %x])
  return (%cat)
}`,
);

/** The largest of each row, and where it is. */
export const several = program(
  ["input %x: USER_INPUT", "output %values: USER_OUTPUT", "output %indices: USER_OUTPUT"],
  `graph(%x: f32[2, 3]) {
  %max_1: (f32[2], i64[2]) = aten.max.dim(%x, 1)
  %values: f32[2] = operator.getitem(%max_1, 0)
  %indices: i64[2] = operator.getitem(%max_1, 1)
  return (%values, %indices)
}`,
);

/** A scalar, and nothing. */
export const odd = program(
  ["input %x: USER_INPUT", "input %e: USER_INPUT", "output %sum_1: USER_OUTPUT", "output %neg: USER_OUTPUT"],
  `graph(%x: f32[], %e: f32[0, 3]) {
  %sum_1: f32[] = aten.add.Tensor(%x, 1.0)
  %neg: f32[0, 3] = aten.neg.default(%e)
  return (%sum_1, %neg)
}`,
);
