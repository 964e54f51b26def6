/**
 * @file Normal deviates in blocks of 16, to the last bit as PyTorch draws them.
 *
 * For float32 PyTorch computes eight pairs at once (`normal_fill_16_AVX2`,
 * ATen/native/cpu/DistributionTemplates.h) with the logarithm, sine and cosine of the Cephes
 * library in single precision (`log256_ps`, `sincos256_ps`). Its compiler fuses products and sums
 * where the code below calls {@link fusedSingle}.
 */
import type { RandomSource } from "../kernel/kernel.js";
import { fillUniform, fusedMultiplyAdd, normalDeviate } from "./random-engine.js";

const { fround } = Math;
const BITS = new Uint32Array(2);
const DOUBLE = new Float64Array(BITS.buffer);
const WORD = new Int32Array(1);
const SINGLE = new Float32Array(WORD.buffer);

/** Where a float64 stores its low bits. */
const LOW = new Uint8Array(new Uint16Array([1]).buffer)[0] === 1 ? 0 : 1;

/** `a * b + c` of float32 values with one rounding to float32. */
function fusedSingle(a: number, b: number, c: number): number {
  // A product of float32 values is exact in float64.
  const product = a * b;
  const sum = product + c;
  DOUBLE[0] = sum;
  // Two roundings differ from one only where the first ends halfway between two float32 values.
  if ((BITS[LOW]! & 0x1fffffff) !== 0x10000000) return fround(sum);
  const part = sum - product;
  const rest = product - (sum - part) + (c - part);
  if (rest === 0) return fround(sum);
  if (rest > 0 === sum > 0) BITS[LOW]! |= 1;
  else BITS[LOW]! -= 1;
  return fround(DOUBLE[0]);
}

const singles = (...values: readonly number[]): Float32Array => Float32Array.from(values);

/** Coefficients of the logarithm, from the highest power on. */
const LOG = singles(
  7.0376836292e-2,
  -1.151461031e-1,
  1.167699874e-1,
  -1.2420140846e-1,
  1.4249322787e-1,
  -1.6668057665e-1,
  2.0000714765e-1,
  -2.4999993993e-1,
  3.3333331174e-1,
);
/** The logarithm of 2 in two parts. */
const [LOG2_LOW, LOG2_HIGH] = [fround(-2.1219444e-4), 0.693359375];
const SQRT_HALF = fround(Math.SQRT1_2);

/** Returns the natural logarithm of a float32 value that is positive and normal. */
function logSingle(x: number): number {
  SINGLE[0] = x;
  let exponent = (WORD[0]! >>> 23) - 126;
  WORD[0] = (WORD[0]! & 0x7fffff) | 0x3f000000;
  const mantissa = SINGLE[0]!;
  let m = fround(mantissa - 1);
  if (mantissa < SQRT_HALF) {
    exponent -= 1;
    m = fround(m + mantissa);
  }
  const square = fround(m * m);
  let y = LOG[0]!;
  for (let i = 1; i < LOG.length; i++) y = fusedSingle(y, m, LOG[i]!);
  y = fusedSingle(fround(y * m), square, fround(exponent * LOG2_LOW));
  y = fround(y - square / 2);
  return fusedSingle(exponent, LOG2_HIGH, fround(m + y));
}

const FOUR_OVER_PI = fround(4 / Math.PI);
/** A quarter of pi in three parts, negated. */
const PI_PARTS = singles(-0.78515625, -2.4187564849853516e-4, -3.774894977445941e-8);
const SINE = singles(-1.9515295891e-4, 8.3321608736e-3, -1.6666654611e-1);
const COSINE = singles(2.443315711809948e-5, -1.388731625493765e-3, 4.166664568298827e-2);

/** Where {@link sineAndCosine} leaves its results. */
const wave = { sine: 0, cosine: 0 };

/** The sine and the cosine of a float32 value that is not negative. */
function sineAndCosine(angle: number): void {
  const octant = (Math.trunc(fround(angle * FOUR_OVER_PI)) + 1) & ~1;
  let x = angle;
  for (let i = 0; i < 3; i++) x = fusedSingle(octant, PI_PARTS[i]!, x);
  const z = fround(x * x);
  const evenTail = fusedSingle(fusedSingle(COSINE[0]!, z, COSINE[1]!), z, COSINE[2]!);
  const even = fround(fusedSingle(fround(evenTail * z), z, -z / 2) + 1);
  const oddTail = fusedSingle(fusedSingle(SINE[0]!, z, SINE[1]!), z, SINE[2]!);
  const odd = fusedSingle(fround(oddTail * z), x, x);
  const isFirst = (octant & 2) === 0;
  const [sine, cosine] = isFirst ? [odd, even] : [even, odd];
  wave.sine = (octant & 4) === 0 ? sine : -sine;
  wave.cosine = ((octant - 2) & 4) === 0 ? -cosine : cosine;
}

/** The mean and the standard deviation of normal numbers. */
export interface Moments {
  readonly mean: number;
  readonly std: number;
}

const TWO_PI = fround(2 * Math.PI);

/** Makes normal numbers of 16 uniform ones, in float32. */
function transformSingles(block: Float64Array, { mean, std }: Moments): void {
  const [center, width] = [fround(mean), fround(std)];
  for (let j = 0; j < 8; j++) {
    const radius = fround(Math.sqrt(fround(-2 * logSingle(fround(1 - block[j]!)))));
    sineAndCosine(fround(TWO_PI * block[j + 8]!));
    block[j] = fusedSingle(fround(radius * wave.cosine), width, center);
    block[j + 8] = fusedSingle(fround(radius * wave.sine), width, center);
  }
}

/**
 * The same in float64, rounded later where the dtype is narrow. PyTorch calls glibc's `log`, `cos`
 * and `sin`. Those of JavaScript engines differ in the last bit for 7%, 3% and 3% of the arguments
 * (V8, 20,000 of each), so one of ten numbers differs in its last bit. `log1p`, which
 * {@link normalDeviate} calls, differs for 0.1%.
 */
function transformDoubles(block: Float64Array, { mean, std }: Moments): void {
  for (let j = 0; j < 8; j++) {
    const radius = Math.sqrt(-2 * Math.log(1 - block[j]!));
    const angle = 2 * Math.PI * block[j + 8]!;
    block[j] = fusedMultiplyAdd(radius * Math.cos(angle), std, mean);
    block[j + 8] = fusedMultiplyAdd(radius * Math.sin(angle), std, mean);
  }
}

/** How numbers are drawn: in float64, in float32, or in float32 for a dtype of 16 bits. */
export type Precision = "double" | "single" | "half";

/**
 * Normal numbers as PyTorch fills tensors with them: below 16 one by one, from 16 on in blocks of 8
 * pairs, the last block again for what is left over.
 */
export function fillNormal(
  values: Float64Array,
  random: RandomSource,
  precision: Precision,
  moments: Moments,
): void {
  const count = values.length;
  if (count < 16) {
    for (let i = 0; i < count; i++) values[i] = normalDeviate(random) * moments.std + moments.mean;
    return;
  }
  const isWide = precision === "double";
  const transform = precision === "single" ? transformSingles : transformDoubles;
  // Only 16-bit dtypes draw the uniform numbers of a block when the block before is done.
  const drawsFirst = precision !== "half";
  if (drawsFirst) fillUniform(values, random, isWide);
  for (let start = 0; start + 16 <= count; start += 16) {
    const block = values.subarray(start, start + 16);
    if (!drawsFirst) fillUniform(block, random, isWide);
    transform(block, moments);
  }
  if (count % 16 === 0) return;
  const last = values.subarray(count - 16);
  fillUniform(last, random, isWide);
  transform(last, moments);
}
