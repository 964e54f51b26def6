/**
 * @file What PyTorch asks to sort dimensions by their strides
 * (`is_non_overlapping_and_dense_or_false`).
 */
import type { FakeTensor, SymInt } from "@sconce/ir";
import { eq, gt, lt, mod, ne, type SymEnv } from "@sconce/symbolic";
import { equalSizes, numelOf } from "./fake.js";

/**
 * Records the guards by which PyTorch finds out that the strides of a row-major tensor fall from
 * one dimension to the next. Computed sizes leave that open.
 */
export function askStrideOrder({ shape, strides, ndim }: FakeTensor, env: SymEnv): void {
  if (ndim < 2 || strides.every((stride) => typeof stride === "number")) return;
  if (env.orFalse(lt(numelOf(shape), 2))) return;
  for (let d = 1; d < ndim; d++) if (!isBefore(env, strides[d]!, strides[d - 1]!)) return;
}

/** Whether a dimension of stride `a` is sorted before one of stride `b` (`K.__lt__`). */
const isBefore = (env: SymEnv, a: SymInt, b: SymInt): boolean =>
  // A Python number hands the comparison over to the size on its right.
  env.orFalse(typeof a === "number" ? gt(b, a) : lt(a, b)) ||
  ((equalSizes(env, a, 0) || env.orFalse(eq(mod(b, a), 0))) && env.orTrue(ne(a, b)));
