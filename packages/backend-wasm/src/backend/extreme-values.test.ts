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

const ROWS = [
  [1e20, 2e20, 3e20, -5e19],
  [1e38, 2e38, 3e38, -3e38],
  [1e-30, 2e-30, 3e-30, 4e-30],
  [1e25, 1e25, 1e25, 1e25],
  [INFINITY, 1, 2, 3],
  [1e30, 1e-30, 0, 1],
  [0, 0, 0, -0],
  [Number.NaN, 1e30, 0, 1],
  [0.25, -3, 7.5, 2],
];
/** PyTorch's standard deviations and means of the rows. */
const DEVIATIONS = [1.4930394e20, 2.6299557e38, 1.2909944e-30, 0, Number.NaN, 5e29, 0, Number.NaN, 4.3940063];
const MEANS = [1.375e20, 7.5e37, 2.5e-30, 1e25, Number.NaN, 2.5e29, 0, Number.NaN, 1.6875];

function expectRows(result: Tensor, expected: readonly number[]): void {
  for (const [i, value] of result.toFloat64Array().entries()) {
    const one = expected[i]!;
    if (Number.isNaN(one) || one === 0) expect(value, `row ${i}`).toBe(one);
    else expect(Math.abs(value / one - 1), `row ${i}`).toBeLessThan(1e-6);
  }
}

test.each([
  [1, "std"],
  [2, "std"],
  [1, "std_mean"],
  [2, "std_mean"],
])("large and small float32 along dimension %i: %s", async (dim, name) => {
  const across = [0, 1, 2, 3].flatMap((column) => ROWS.map((row) => row[column]!));
  const input =
    dim === 2
      ? Tensor.from(ROWS.flat(), [1, ROWS.length, 4], "float32")
      : Tensor.from(across, [1, 4, ROWS.length], "float32");
  const target = `aten.${name}.correction`;
  const call = new CallProgram(target, [input, [dim]], {}, operators);
  const executable = await wasmBackend({ threads: 1 }).compile(call.program);
  const [own, mean] = (await executable.run(call.inputs)) as [Tensor, Tensor?];
  expectRows(own, DEVIATIONS);
  if (name === "std_mean") expectRows(mean!, MEANS);
  expectRows([evaluate(target, [input, [dim]] as never, {})].flat()[0] as Tensor, DEVIATIONS);
  expect(executable.placement!().nodes.every(({ place }) => place === "device")).toBe(true);
  executable.dispose();
});

test("a standard deviation of many large float32", async () => {
  const values = Array.from({ length: 70_000 }, (_, i) => (i % 2 === 0 ? 3e30 : -3e30));
  const call = new CallProgram("aten.std.correction", [vector(values, "float32")], {}, operators);
  const executable = await wasmBackend({ threads: 1 }).compile(call.program);
  expectRows((await executable.run(call.inputs))[0] as Tensor, [3.0000214e30]);
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

/**
 * Zeros of both signs: PyTorch adds 0 in place of the bias of a batch, and not of that of a group.
 */
test.each<[string, readonly unknown[], readonly number[]]>([
  ["aten._native_batch_norm_legit.no_stats", [null, null, true, 0.1, 1e-5], [0, 0, 0, 0]],
  ["aten.native_group_norm.default", [null, null, 1, 2, 2, 2, 1e-5], [-0, 0, -0, -0]],
  ["aten.native_layer_norm.default", [[2], null, null, 1e-5], [0, 0, 0, 0]],
])("zeros of %s", async (target, more, expected) => {
  const layers = target.includes("layer_norm");
  const input = Tensor.from(layers ? [-0, 0, 0, -0] : [-0, 0, -0, -0], [1, 2, 2], "float32");
  const args = [input, ...more];
  const call = new CallProgram(target, args as never, {}, operators);
  const executable = await wasmBackend({ threads: 1 }).compile(call.program);
  const [own] = (await executable.run(call.inputs)) as [Tensor];
  const [reference] = evaluate(target, args as never, {}) as [Tensor];
  expect([...reference.toFloat64Array()]).toEqual(expected);
  expect([...own.toFloat64Array()]).toEqual(expected);
  executable.dispose();
});
