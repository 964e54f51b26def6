/**
 * @file What PyTorch asks to sort dimensions by their strides
 * (`is_non_overlapping_and_dense_or_false`).
 */
import type { FakeTensor } from "@sconce/ir";
import { lt, type SymEnv } from "@sconce/symbolic";
import { isBelow } from "./comparison.js";
import { askNesting, elementsOf } from "./fake.js";

/**
 * Records the guards by which PyTorch finds out that the strides of a row-major tensor fall from
 * one dimension to the next, and that they are dense. Computed sizes leave that open.
 */
export function askStrideOrder(tensor: FakeTensor, env: SymEnv): void {
  const { strides, ndim } = tensor;
  if (ndim < 2 || strides.every((stride) => typeof stride === "number")) return;
  if (env.orFalse(lt(elementsOf(tensor), 2))) return;
  for (let d = 1; d < ndim; d++) if (!isBelow(env, strides[d]!, strides[d - 1]!)) return;
  askNesting(tensor, env, { countsEmpty: true });
}
