import { defaultOperators } from "@sconce/ops";
import { CallProgram } from "@sconce/ops-cases";
import { type DType, Tensor } from "@sconce/tensor";
import { expect, test } from "vitest";
import { evaluateLoops, lowerToLoops } from "../../index.js";

const operators = defaultOperators();

test.each([
  ["aten.cummax.default", "float32"],
  ["aten.cummax.default", "float16"],
  ["aten.cummax.default", "bfloat16"],
  ["aten.cummin.default", "bfloat16"],
] as const)("%s of %s keeps the place of the first NaN", (target, dtype: DType) => {
  const x = Tensor.from([1, Number.NaN, 2, 3], [4], dtype);
  const call = new CallProgram(target, [x, 0], {}, operators);
  const loops = lowerToLoops(call.program.graph, { operators });
  const [values, places] = call.resultOf(evaluateLoops(loops, call.inputs) as Tensor[]) as [Tensor, Tensor];
  expect([...values.toArray()]).toEqual([1, Number.NaN, Number.NaN, Number.NaN]);
  expect([...places.toArray()].map(Number)).toEqual([0, 1, 1, 1]);
});
