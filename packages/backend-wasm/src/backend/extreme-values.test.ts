/** @file Infinities, zeros of both signs and bounds beyond a dtype, as PyTorch 2.14 gives them. */
import { createEvaluator } from "@sconce/backend-cpu";
import { defaultOperators } from "@sconce/ops";
import { CallProgram } from "@sconce/ops-cases";
import { type DType, Tensor } from "@sconce/tensor";
import { expect, test } from "vitest";
import { wasmBackend } from "./backend.js";

const operators = defaultOperators();
const evaluate = createEvaluator({ operators });
const INFINITY = Number.POSITIVE_INFINITY;
const vector = (values: readonly number[], dtype: DType): Tensor =>
  Tensor.from([...values], [values.length], dtype);

test.each<[string, DType, number[], number[], readonly number[]]>([
  ["cummax", "float32", [0, -0, 0, -1, -0], [0, -0, 0, 0, -0], [0]],
  ["cummax", "float16", [-0, 0, -0], [-0, 0, -0], [0]],
  ["cummin", "float32", [-0, 0, -0, 1], [-0, 0, -0, -0], [0]],
  ["gelu", "float16", [INFINITY, -INFINITY, 60000, -60000], [INFINITY, Number.NaN, 60000, -0], []],
  ["gelu", "float32", [INFINITY, -INFINITY], [Number.NaN, Number.NaN], []],
  ["gelu", "bfloat16", [INFINITY, -INFINITY], [Number.NaN, Number.NaN], []],
])("%s of %s", async (name, dtype, values, expected, more) => {
  const args = [vector(values, dtype), ...more];
  const call = new CallProgram(`aten.${name}.default`, args, {}, operators);
  const executable = await wasmBackend({ threads: 1 }).compile(call.program);
  const [own] = (await executable.run(call.inputs)) as [Tensor];
  expect([...own.toFloat64Array()]).toEqual(expected);
  expect(executable.placement!().nodes.every(({ place }) => place === "device")).toBe(true);
  const [reference] = [evaluate(`aten.${name}.default`, args as never, {})].flat() as [Tensor];
  expect([...reference.toFloat64Array()]).toEqual(expected);
  executable.dispose();
});

test.each<[DType, readonly (number | null)[]]>([
  ["float16", [null, 1e6]],
  ["float16", [-1e6, null]],
  ["bfloat16", [null, 1e39]],
])("a bound that %s does not hold is refused", async (dtype, bounds) => {
  const call = new CallProgram("aten.clamp.default", [vector([1, 2], dtype), ...bounds], {}, operators);
  const executable = await wasmBackend({ threads: 1 }).compile(call.program);
  await expect(executable.run(call.inputs)).rejects.toMatchObject({ code: "INVALID_ARGUMENT" });
  executable.dispose();
});
