/** @file Sums of sizes and squares in the order of PyTorch's norms. */
import { fusedMultiplyAdd } from "./random-engine.js";

type Numbers = ArrayLike<number>;

/**
 * Returns the sum of the absolute values from `start` to `end`, one after the other; `single` in
 * float32.
 */
export function sumOfSizes(data: Numbers, start: number, end: number, single: boolean): number {
  const { abs, fround } = Math;
  let sum = 0;
  if (single) for (let i = start; i < end; i++) sum = fround(sum + abs(data[i]!));
  else for (let i = start; i < end; i++) sum += abs(data[i]!);
  return sum;
}

function addSquares(given: number, data: Numbers, start: number, end: number, single: boolean): number {
  const { fround } = Math;
  let sum = given;
  if (single) for (let i = start; i < end; i++) sum = fround(sum + fround(data[i]! * data[i]!));
  else for (let i = start; i < end; i++) sum += data[i]! * data[i]!;
  return sum;
}

/**
 * Rounds once. The square of a float32 is exact in float64, and so is the sum but for rare ties.
 */
function addFused(given: number, data: Numbers, start: number, end: number, single: boolean): number {
  let sum = given;
  for (let i = start; i < end; i++) {
    const x = data[i]!;
    sum = single ? Math.fround(sum + x * x) : fusedMultiplyAdd(x, x, sum);
  }
  return sum;
}

/**
 * Returns the sum of squares in 1 lane, or in vectors of a multiple of 4: whole vectors first, then
 * their lanes in order, then the rest. PyTorch's compiler fuses the squares and sums of the last
 * one to three elements, for processors that can (AVX2 and AVX512).
 */
export function sumOfSquares(
  data: Numbers,
  start: number,
  end: number,
  single: boolean,
  lanes: number,
): number {
  if (lanes === 1) return addSquares(0, data, start, end, single);
  const whole = end - ((end - start) % lanes);
  const fused = end - ((end - whole) % 4);
  let sum = 0;
  if (whole > start)
    for (let lane = 0; lane < lanes; lane += 4)
      sum = (single ? addFourSingles : addFourDoubles)(sum, data, start + lane, whole, lanes);
  sum = addSquares(sum, data, whole, fused, single);
  return addFused(sum, data, fused, end, single);
}

/** Adds the sums of squares in four lanes. */
function addFourSingles(sum: number, data: Numbers, start: number, end: number, lanes: number): number {
  const { fround } = Math;
  let a = fround(0);
  let b = fround(0);
  let c = fround(0);
  let d = fround(0);
  for (let i = start; i < end; i += lanes) {
    a = fround(a + fround(data[i]! * data[i]!));
    b = fround(b + fround(data[i + 1]! * data[i + 1]!));
    c = fround(c + fround(data[i + 2]! * data[i + 2]!));
    d = fround(d + fround(data[i + 3]! * data[i + 3]!));
  }
  return fround(fround(fround(fround(sum + a) + b) + c) + d);
}

function addFourDoubles(sum: number, data: Numbers, start: number, end: number, lanes: number): number {
  let a = 0;
  let b = 0;
  let c = 0;
  let d = 0;
  for (let i = start; i < end; i += lanes) {
    a += data[i]! * data[i]!;
    b += data[i + 1]! * data[i + 1]!;
    c += data[i + 2]! * data[i + 2]!;
    d += data[i + 3]! * data[i + 3]!;
  }
  return sum + a + b + c + d;
}
