/**
 * @file The shape of every reduction here: dimensions that stay come first, the reduced ones last,
 * so that each result is a function of one dense row.
 */

import { type DType, isBigIntDType, numel, type Tensor, wrapDimension } from "@sconce/tensor";
import { type NumberArray, readBigInts, readNumbers, writeBigInts, writeNumbers } from "../kernel/dense.js";
import { scratchLike } from "../kernel/scratch.js";

/** A tensor with its reduced dimensions moved last. */
export interface Rows {
  readonly tensor: Tensor;
  /** Number of rows. */
  readonly count: number;
  /** Elements of a row. */
  readonly length: number;
}

/** Non-negative dimensions; all of them when none are given. */
export function reducedDims(ndim: number, dims: readonly number[] | number | null | undefined): number[] {
  if (typeof dims === "number") return ndim === 0 ? [] : [wrapDimension(dims, ndim)];
  if (dims === null || dims === undefined || dims.length === 0)
    return Array.from({ length: ndim }, (_, d) => d);
  return ndim === 0 ? [] : dims.map((d) => wrapDimension(d, ndim));
}

/** Returns the view of a tensor with these dimensions moved last, in rising order. */
export function moveLast(tensor: Tensor, dims: readonly number[]): Tensor {
  const kept = tensor.shape.map((_, d) => d).filter((d) => !dims.includes(d));
  const order = [...kept, ...[...dims].sort((a, b) => a - b)];
  return tensor.asStrided(
    order.map((d) => tensor.shape[d]!),
    order.map((d) => tensor.strides[d]!),
  );
}

export function rowsOf(self: Tensor, dims: readonly number[] | number | null | undefined): Rows {
  const reduced = reducedDims(self.ndim, dims);
  const tensor = moveLast(self, reduced);
  const length = numel(reduced.map((d) => self.shape[d]!));
  const count = numel(tensor.shape.slice(0, self.ndim - reduced.length));
  return { tensor, count, length };
}

/**
 * Elements in row-major order as something that compares and moves exactly: numbers, or 64-bit
 * integers where some is beyond 2^53. Comparison operators treat both alike; arithmetic does not.
 */
export function readKeys(tensor: Tensor): NumberArray {
  const numbers = readNumbers(tensor);
  if (!isBigIntDType(tensor.dtype) || numbers.every((x: number) => Number.isSafeInteger(x))) return numbers;
  return readBigInts(tensor) as unknown as NumberArray;
}

/** True when every number of the array is an exact 64-bit integer or of another dtype. */
export const isExact = (dtype: DType, numbers: NumberArray): boolean =>
  !isBigIntDType(dtype) || (numbers as Float64Array).every(Number.isSafeInteger);

/** Returns an array that holds the same kind of elements. */
export const likeKeys = (keys: NumberArray, length: number): NumberArray => scratchLike(keys, length);

/** Stores elements chosen from {@link readKeys}. */
export function writeKeys(tensor: Tensor, keys: NumberArray): Tensor {
  const big = keys as unknown as BigInt64Array;
  if (big instanceof BigInt64Array || (big as object) instanceof BigUint64Array) writeBigInts(tensor, big);
  else writeNumbers(tensor, keys);
  return tensor;
}
