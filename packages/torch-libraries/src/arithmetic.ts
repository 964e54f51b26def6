/**
 * @file Arithmetic of the C++ kernels: each step rounds to the element type, and floats become
 * 32-bit integers as on x86.
 */
import { type DType, float16ToNumber, numberToFloat16 } from "@sconce/tensor";

/** Rounds a number to an element type. */
export type Round = (value: number) => number;

const roundHalf: Round = (value) => float16ToNumber(numberToFloat16(Math.fround(value)));

/** Returns the rounding of each step of a computation in `dtype`: float64, float32 or float16. */
export const roundingOf = (dtype: DType): Round => {
  if (dtype === "float64") return (value) => value;
  return dtype === "float16" ? roundHalf : Math.fround;
};

const LEAST_INT = -2147483648;

/** `(int)value`: NaN and what does not fit become the least integer. */
export const toInt = (value: number): number =>
  value > LEAST_INT - 1 && value < 2147483648 ? Math.trunc(value) : LEAST_INT;

/** `std::max(a, b)`: the first where one is NaN. */
export const maxOf = (a: number, b: number): number => (a < b ? b : a);
/** `std::min(a, b)`: the first where one is NaN. */
export const minOf = (a: number, b: number): number => (b < a ? b : a);

/** `round(value)`: halves away from zero. */
export function roundAway(value: number): number {
  const whole = Math.trunc(value);
  return Math.abs(value - whole) >= 0.5 ? whole + Math.sign(value) : whole;
}

/** Returns a 32-bit integer within bounds, of which `low` counts first. */
export const clip = (value: number, low: number, high: number): number =>
  Math.min(Math.max(value | 0, low), high);
