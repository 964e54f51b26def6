/** @file The signs of zeros that normalization gives, as PyTorch 2.14 gives them for `-0.0`. */
import { createEvaluator } from "@sconce/backend-cpu";
import type { Value } from "@sconce/ir";
import { defaultOperators } from "@sconce/ops";
import { type BuiltValue, CallProgram } from "@sconce/ops-cases";
import { Tensor } from "@sconce/tensor";
import { expect, test } from "vitest";
import { wasmBackend } from "./backend.js";

const operators = defaultOperators();
const evaluate = createEvaluator({ operators });
const backend = wasmBackend({ threads: 1 });
const zeros = (shape: readonly number[]): Tensor =>
  Tensor.from(new Array(shape.reduce((a, b) => a * b, 1)).fill(-0), shape, "float32");
const vector = (...values: number[]): Tensor => Tensor.from(values, [2], "float32");

/** The first two elements of the result, which the interpreter gives too. */
async function firstOf(target: string, args: readonly BuiltValue[]): Promise<number[]> {
  const call = new CallProgram(target, args, {}, operators);
  using executable = await backend.compile(call.program);
  const [result] = (await executable.run(call.inputs as Value[])) as [Tensor];
  expect(executable.placement!().nodes.filter(({ place }) => place === "host")).toEqual([]);
  const [reference] = evaluate(target, args as never, {}) as [Tensor];
  expect(result.toArray()).toEqual(reference.toArray());
  return [...result.toFloat64Array()].slice(0, 2);
}

/** Weight and bias, and the signs of the two channels; those of groups of two channels. */
const PARAMETERS: readonly [Tensor | null, Tensor | null, number[], number[]][] = [
  [null, null, [0, 0], [-0, -0]],
  [vector(1, -1), vector(0, 0), [0, 0], [0, 0]],
  [vector(1, -1), vector(-0, -0), [-0, 0], [-0, 0]],
  [vector(1, -1), null, [0, 0], [0, 0]],
];
test.each(PARAMETERS)("weight %s and bias %s", async (weight, bias, signs, groupSigns) => {
  const batch = zeros([2, 2]);
  expect(
    await firstOf("aten._native_batch_norm_legit.no_stats", [batch, weight, bias, true, 0.1, 1e-5]),
  ).toEqual(signs);
  expect(await firstOf("aten.native_layer_norm.default", [batch, [2], weight, bias, 1e-5])).toEqual(signs);
  const group = [zeros([2, 2, 1]), weight, bias, 2, 2, 1, 2, 1e-5] as const;
  expect(await firstOf("aten.native_group_norm.default", group)).toEqual(groupSigns);
});
test("batch normalization by saved statistics adds a bias of zero", async () => {
  const saved = [vector(0, 0), vector(1, 1)];
  const target = "aten._native_batch_norm_legit_no_training.default";
  expect(await firstOf(target, [zeros([2, 2]), null, null, ...saved, 0.1, 1e-5])).toEqual([0, 0]);
});
