/**
 * @file Random numbers drawn from the bits of a source, as PyTorch draws them: the same seed gives
 * the same numbers.
 */
import { type DType, memoryOrder, type Tensor } from "@sconce/tensor";
import { decodeTable, encodeFloat } from "../kernel/half.js";
import type { RandomSource } from "../kernel/kernel.js";

/** Uniform in [0, 1) with the 24 bits of a float32. */
export const uniform24 = (random: RandomSource): number => (random.uint32() & 0xffffff) * 2 ** -24;

/** Uniform in [0, 1) with the 53 bits of a float64. */
export function uniform53(random: RandomSource): number {
  const high = random.uint32();
  const low = random.uint32();
  return ((high & 0x1fffff) * 2 ** 32 + low) * 2 ** -53;
}

/** 64 uniform bits. */
export const uint64 = (random: RandomSource): bigint =>
  (BigInt(random.uint32()) << 32n) | BigInt(random.uint32());

/** Returns a normal deviate; they come in pairs, the second of which is kept for the next call. */
export function normalDeviate(random: RandomSource): number {
  if (random.spareNormal !== undefined) {
    const spare = random.spareNormal;
    random.spareNormal = undefined;
    return spare;
  }
  const angle = 2 * Math.PI * uniform53(random);
  const radius = Math.sqrt(-2 * Math.log1p(-uniform53(random)));
  random.spareNormal = radius * Math.sin(angle);
  return radius * Math.cos(angle);
}

/** As many uniform numbers as there are places, as wide as the dtype computed in. */
export function fillUniform(values: Float64Array, random: RandomSource, wide: boolean): void {
  for (let i = 0; i < values.length; i++) values[i] = wide ? uniform53(random) : uniform24(random);
}

export const exponentialNumbers = (count: number, rate: number, random: RandomSource): Float64Array =>
  Float64Array.from({ length: count }, () => -Math.log1p(-uniform53(random)) / rate);

/** 2^27 + 1 splits a float64 into two halves whose products are exact (Dekker, 1971). */
const SPLIT = 2 ** 27 + 1;

/** `x * y + z` with one rounding, but for ties of the second sum; for numbers far from overflow. */
export function fusedMultiplyAdd(x: number, y: number, z: number): number {
  const product = x * y;
  const xHigh = x * SPLIT - (x * SPLIT - x);
  const yHigh = y * SPLIT - (y * SPLIT - y);
  const [xLow, yLow] = [x - xHigh, y - yHigh];
  const productRest = xLow * yLow - (product - xHigh * yHigh - xLow * yHigh - xHigh * yLow);
  const sum = product + z;
  const part = sum - product;
  const sumRest = product - (sum - part) + (z - part);
  const result = sum + (productRest + sumRest);
  return Number.isFinite(result) ? result : product + z;
}

/** float64 draws 53 bits, everything else 24. */
export const isWide = ({ dtype }: Pick<Tensor, "dtype">): boolean =>
  dtype === "float64" || dtype === "complex128";

/** Rounds a number to what a dtype holds. */
export function rounding(dtype: DType): (value: number) => number {
  if (dtype === "float64") return (value) => value;
  if (dtype === "float32") return Math.fround;
  const [encode, table] = [encodeFloat(dtype), decodeTable(dtype)];
  return (value) => table[encode(value)]!;
}

/** Dimensions as they lie in memory, the outermost first. */
export const memoryDims = (tensor: Tensor): readonly number[] => memoryOrder(tensor.shape, [tensor]);

/** Returns the view with its dimensions in this order. */
export const permuted = (tensor: Tensor, order: readonly number[]): Tensor =>
  tensor.asStrided(
    order.map((d) => tensor.shape[d]!),
    order.map((d) => tensor.strides[d]!),
  );

/**
 * Returns the view in whose order PyTorch fills a tensor: that of its memory, whatever the order of
 * its dimensions.
 */
export const inMemoryOrder = (tensor: Tensor): Tensor =>
  tensor.isContiguous ? tensor : permuted(tensor, memoryDims(tensor));
