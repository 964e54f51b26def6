/** @file Sums in float64 that overflow as those of float32. */
import type { DType } from "@sconce/tensor";

/** Sums from here on are infinite in float32. */
export const FLOAT32_END = (2 - 2 ** -24) * 2 ** 127;

/** Returns a number as it is, or infinite where float32 has none of its size. */
export const withFloat32Overflow = (value: number): number =>
  value >= FLOAT32_END ? Infinity : value <= -FLOAT32_END ? -Infinity : value;

/** Keeps a sum as it is for float64; others overflow as float32. */
export const overflowOf = (dtype: DType): ((sum: number) => number) =>
  dtype === "float64" ? (sum) => sum : withFloat32Overflow;

/** Mean of numbers that may be infinite; the running mean of PyTorch's kernels is NaN after one. */
export const runningMean = (mean: number): number => (Number.isFinite(mean) ? mean : Number.NaN);
