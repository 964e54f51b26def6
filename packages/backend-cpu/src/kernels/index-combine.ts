/**
 * @file Combines values into chosen elements of a tensor, one after the other: sums, products,
 * extremes, means.
 */
import { internalError } from "@sconce/errors";
import { type DType, dtypeInfo, isBigIntDType, type Tensor } from "@sconce/tensor";
import { readBigInts, readComplex, readNumbers } from "../kernel/dense.js";
import { decodeTable, encodeFloat, isHalf, roundTo } from "../kernel/half.js";
import { divide, result } from "./complex-functions.js";
import { bigMax, bigMin, greater, smaller } from "./pointwise-math.js";

/** How a value joins the one already there. */
export type Combine = "replace" | "sum" | "prod" | "amax" | "amin" | "mean";

const NUMBERS: Readonly<Record<Combine, (old: number, value: number) => number>> = {
  replace: (_, value) => value,
  sum: (old, value) => old + value,
  mean: (old, value) => old + value,
  prod: (old, value) => old * value,
  amax: greater,
  amin: smaller,
};

const BIG_INTS: Readonly<Record<Combine, (old: bigint, value: bigint) => bigint>> = {
  replace: (_, value) => value,
  sum: (old, value) => old + value,
  mean: (old, value) => old + value,
  prod: (old, value) => old * value,
  amax: bigMax,
  amin: bigMin,
};

/** What an element is before anything joins it, when its own value is left out. */
const NEUTRAL: Readonly<Record<Combine, number>> = {
  replace: 0,
  sum: 0,
  mean: 0,
  prod: 1,
  amax: -Infinity,
  amin: Infinity,
};

/** Joins `source`'s elements, in row-major order, to the elements of `target` at `positions`. */
export function combineAt(target: Tensor, positions: ArrayLike<number>, source: Tensor, how: Combine): void {
  if (dtypeInfo(target.dtype).kind === "complex") combineComplex(target, positions, source, how);
  else if (isBigIntDType(target.dtype)) combineBig(target, positions, source, how);
  else combineNumbers(target, positions, source, how);
}

function combineNumbers(target: Tensor, positions: ArrayLike<number>, source: Tensor, how: Combine): void {
  const values = readNumbers(source);
  const combine = NUMBERS[how];
  const data = target.data as Float64Array;
  if (target.dtype === "bool") {
    for (let i = 0; i < positions.length; i++) {
      data[positions[i]!] = combine(data[positions[i]!]!, values[i]!) === 0 ? 0 : 1;
    }
  } else if (isHalf(target.dtype)) {
    const table = decodeTable(target.dtype);
    const encode = encodeFloat(target.dtype);
    for (let i = 0; i < positions.length; i++) {
      const p = positions[i]!;
      data[p] = encode(combine(table[data[p]!]!, values[i]!));
    }
  } else if (how === "prod" && (target.dtype === "int32" || target.dtype === "uint32")) {
    // Products beyond 2^53 would lose the bits that stay.
    for (let i = 0; i < positions.length; i++)
      data[positions[i]!] = Math.imul(data[positions[i]!]!, values[i]!);
  } else if (how === "sum") {
    for (let i = 0; i < positions.length; i++) data[positions[i]!]! += values[i]!;
  } else {
    for (let i = 0; i < positions.length; i++)
      data[positions[i]!] = combine(data[positions[i]!]!, values[i]!);
  }
}

function combineBig(target: Tensor, positions: ArrayLike<number>, source: Tensor, how: Combine): void {
  const values = readBigInts(source);
  const combine = BIG_INTS[how];
  const data = target.data as BigInt64Array;
  for (let i = 0; i < positions.length; i++) data[positions[i]!] = combine(data[positions[i]!]!, values[i]!);
}

function combineComplex(target: Tensor, positions: ArrayLike<number>, source: Tensor, how: Combine): void {
  const values = readComplex(source);
  const data = target.data as Float64Array;
  if (how === "amax" || how === "amin") throw internalError(`no ${how} of complex numbers`);
  for (let i = 0; i < positions.length; i++) {
    const p = 2 * positions[i]!;
    const [re, im] = [data[p]!, data[p + 1]!];
    const [x, y] = [values[2 * i]!, values[2 * i + 1]!];
    if (how === "prod") {
      data[p] = re * x - im * y;
      data[p + 1] = re * y + im * x;
    } else {
      data[p] = how === "replace" ? x : re + x;
      data[p + 1] = how === "replace" ? y : im + y;
    }
  }
}

/**
 * {@link combineAt} with PyTorch's `include_self`: when false, touched elements forget their value
 * first. A mean is a sum that {@link divideByCount} divides.
 */
export function reduceAt(
  target: Tensor,
  positions: ArrayLike<number>,
  source: Tensor,
  how: Combine,
  includeSelf: boolean,
): void {
  if (!includeSelf) forget(target, positions, how);
  combineAt(target, positions, source, how);
}

function forget(target: Tensor, positions: ArrayLike<number>, how: Combine): void {
  const { dtype } = target;
  const neutral = NEUTRAL[how];
  for (let i = 0; i < positions.length; i++) {
    const p = positions[i]!;
    if (dtypeInfo(dtype).lanes === 2) {
      target.data[2 * p] = neutral;
      target.data[2 * p + 1] = 0;
    } else if (isBigIntDType(dtype)) (target.data as BigInt64Array)[p] = bigNeutral(how);
    else if (isHalf(dtype)) target.data[p] = encodeFloat(dtype)(neutral);
    else target.data[p] = dtypeInfo(dtype).kind === "float" ? neutral : smallNeutral(target, neutral);
  }
}

const bigNeutral = (how: Combine): bigint =>
  how === "amax" ? -(2n ** 63n) : how === "amin" ? 2n ** 63n - 1n : BigInt(NEUTRAL[how]);

/** Returns the smallest or largest number of a narrow integer dtype instead of an infinity. */
function smallNeutral({ dtype }: Tensor, neutral: number): number {
  if (Number.isFinite(neutral)) return neutral;
  if (dtype === "bool") return neutral > 0 ? 1 : 0;
  const { signed, itemSize } = dtypeInfo(dtype);
  const bits = 8 * itemSize;
  if (neutral > 0) return 2 ** (signed ? bits - 1 : bits) - 1;
  return signed ? -(2 ** (bits - 1)) : 0;
}

/**
 * Makes means of sums: divides each touched element by how many joined it, and itself where it is
 * included. Integers are divided downwards. As in PyTorch counts have the dtype of the elements:
 * those of narrow integers wrap, and a count of zero is one. Large counts of halves are rounded,
 * after each step or once.
 */
export function divideByCount(
  target: Tensor,
  positions: ArrayLike<number>,
  includeSelf: boolean,
  roundsSteps = false,
): void {
  const { dtype } = target;
  const start = includeSelf ? 1 : 0;
  const round = isHalf(dtype) ? roundTo(dtype) : undefined;
  const step = roundsSteps && round !== undefined ? round : (count: number): number => count;
  const counts = new Map<number, number>();
  for (let i = 0; i < positions.length; i++)
    counts.set(positions[i]!, step((counts.get(positions[i]!) ?? start) + 1));
  const data = target.data as Float64Array;
  const { kind, lanes } = dtypeInfo(dtype);
  for (const [p, exact] of counts) {
    const count = round?.(exact) ?? (kind === "float" || lanes === 2 ? exact : wrappedCount(dtype, exact));
    if (lanes === 2) {
      divide(data[2 * p]!, data[2 * p + 1]!, count, 0);
      data[2 * p] = result.re;
      data[2 * p + 1] = result.im;
    } else if (isBigIntDType(dtype)) divideBig(target.data as BigInt64Array, p, BigInt(count));
    else if (round !== undefined) data[p] = encodeFloat(dtype)(decodeTable(dtype)[data[p]!]! / count);
    else data[p] = kind === "float" ? data[p]! / count : Math.floor(data[p]! / count);
  }
}

/** Returns a count as an integer of its dtype, or 1 for 0. */
function wrappedCount(dtype: DType, count: number): number {
  const { signed, itemSize } = dtypeInfo(dtype);
  if (itemSize > 4) return count;
  const bits = 8 * itemSize;
  const wrapped = count % 2 ** bits;
  return (signed && wrapped >= 2 ** (bits - 1) ? wrapped - 2 ** bits : wrapped) || 1;
}

function divideBig(data: BigInt64Array, p: number, count: bigint): void {
  const value = data[p]!;
  data[p] = value / count - (value < 0n && value % count !== 0n ? 1n : 0n);
}
