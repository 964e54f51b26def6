/** @file One call of a program runs by itself. */
import { createRunner } from "@sconce/backend-cpu";
import { parseIr } from "@sconce/ir/text";
import { Tensor } from "@sconce/tensor";
import { expect, test } from "vitest";
import { callProgram } from "./call-program.js";

const program = parseIr(
  `sconce-ir 1
program "TRAINING" {
  parameter "w": f32[2, 3]
  input %w: PARAMETER "w"
  input %x: USER_INPUT
  output %sum: USER_OUTPUT
}
graph(%w: f32[2, 3], %x: f32[1, 3]) {
  %linear: f32[1, 2] = aten.linear.default(%x, %w)
  %max: (f32[1], i64[1]) = aten.max.dim(%linear, 1)
  %get: f32[1] = operator.getitem(%max, 0)
  %sum: f32[1] = aten.add.Tensor(%get, %get)
  return (%sum)
}`,
  { tensors: new Map([["w", Tensor.from([1, 2, 3, 4, 5, 6], [2, 3], "float32")]]) },
);

const run = (name: string, inputs: readonly Tensor[]): string[] => {
  const { graph } = program;
  const part = callProgram(program, graph, graph.node(name));
  return createRunner()(part, inputs).outputs.map(String);
};

test("what a call reads are inputs, weights too, each once", () => {
  const x = Tensor.from([1, 1, 1], [1, 3], "float32");
  expect(run("linear", [x, program.tensor("w")!])).toEqual(["tensor([[ 6., 15.]])"]);
  expect(run("sum", [Tensor.from([2], [1], "float32")])).toEqual(["tensor([4.])"]);
});

test("a call that gives several values has as many results", () => {
  expect(run("max", [Tensor.from([6, 15], [1, 2], "float32")])).toEqual(["tensor([15.])", "tensor([1])"]);
});
