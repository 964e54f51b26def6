/** @file Numbers at the edges of each dtype, for tests of rules. Not exported. */
import {
  contiguousStrides,
  type DType,
  dtypeInfo,
  type Element,
  isBigIntDType,
  Tensor,
} from "@sconce/tensor";

/** How many edge values each dtype has here. */
export const COUNT = 16;

const FLOATS = [
  0,
  -0,
  Number.NaN,
  Number.POSITIVE_INFINITY,
  Number.NEGATIVE_INFINITY,
  1,
  -1,
  0.1,
  -2.5,
  Math.PI,
  16383.999999999998,
  -65504,
  // The largest of float32, and the smallest of half precision, of float32 and of float64.
  (2 - 2 ** -23) * 2 ** 127,
  2 ** -24,
  2 ** -149,
  -5e-324,
];

const PARTS: readonly (readonly [number, number])[] = [
  [0, 0],
  [-0, -0],
  [0, -0],
  [-0, 0],
  [Number.POSITIVE_INFINITY, 0],
  [Number.NEGATIVE_INFINITY, -0],
  [0, Number.POSITIVE_INFINITY],
  [Number.NaN, 1],
  [1, Number.NaN],
  [1, 0],
  [-1, -0],
  [0, 1],
  [0.1, -2.5],
  [Math.PI, 65504],
  [-1e30, 1e-30],
  [Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY],
];

function integers(dtype: DType): (number | bigint)[] {
  const { itemSize, signed } = dtypeInfo(dtype);
  const bits = BigInt(itemSize * 8);
  const [low, high] = signed ? [-(1n << (bits - 1n)), (1n << (bits - 1n)) - 1n] : [0n, (1n << bits) - 1n];
  const middle = (low + high) / 2n;
  const half = signed ? -5n : middle - 1n;
  const values = [
    low,
    low + 1n,
    half,
    0n,
    1n,
    2n,
    3n,
    5n,
    7n,
    64n,
    100n,
    127n,
    middle,
    high / 3n,
    high - 1n,
    high,
  ];
  return isBigIntDType(dtype) ? values : values.map(Number);
}

/** Extremes of integers; zeros, infinities, NaN and subnormal numbers of floats; pairs of those. */
export function edgeValues(dtype: DType): readonly Element[] {
  switch (dtypeInfo(dtype).kind) {
    case "bool":
      return Array.from({ length: COUNT }, (_, i) => i % 2 === 1);
    case "int":
      return integers(dtype);
    case "float":
      return FLOATS;
    case "complex":
      return PARTS.map(([re, im]) => ({ re, im }));
  }
}

/**
 * Returns a square with the edge values down its columns, or along its rows: together two have
 * every pair.
 */
export function square(dtype: DType, along: "columns" | "rows"): Tensor {
  const shape = [COUNT, COUNT];
  const strides = along === "rows" ? contiguousStrides(shape) : [1, COUNT];
  const values = Array.from({ length: COUNT }, () => edgeValues(dtype)).flat();
  const rows = Tensor.from(values, shape, dtype);
  return rows.asStrided(shape, strides).contiguous();
}

/** Returns whether two tensors have the same dtype, sizes and bits; NaN equals NaN. */
export function sameBits(a: Tensor, b: Tensor): boolean {
  if (a.dtype !== b.dtype || a.shape.join() !== b.shape.join()) return false;
  const [left, right] = [a.toArray(), b.toArray()];
  return left.every((value, i) => sameElement(value, right[i]!));
}

function sameElement(a: Element, b: Element): boolean {
  if (typeof a !== "object" || typeof b !== "object") return Object.is(a, b);
  return Object.is(a.re, b.re) && Object.is(a.im, b.im);
}
