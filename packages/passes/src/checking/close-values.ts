/**
 * @file Element by element comparison of a region's results: values, signs of zeros, NaN and
 * infinities.
 */
import type { Value } from "@sconce/ir";
import { dtypeInfo, Tensor } from "@sconce/tensor";
import { sameValues, type ToleranceOptions } from "@sconce/tensor/compare";
import { numberText } from "../changes/argument-key.js";
import { valueDifference } from "./compare.js";

/** One element of a result that differs. */
export interface ElementDifference {
  readonly index: number;
  readonly got: number;
  readonly want: number;
  readonly distance: number;
}

/**
 * `torch.testing.assert_close`'s relative tolerances; 64-bit floats are held to a smaller one, by
 * which a value that went through 32 bits differs.
 */
const RTOL: Readonly<Record<string, number>> = {
  float16: 1e-3,
  bfloat16: 1.6e-2,
  float32: 1.3e-6,
  float64: 1e-10,
  complex32: 1e-3,
  complex64: 1.3e-6,
  complex128: 1e-10,
};

export interface ResultComparison {
  /**
   * Why the results cannot be compared by element: another dtype, shape or kind, or integers that
   * differ.
   */
  readonly problem?: string | undefined;
  readonly elements: readonly ElementDifference[];
}

/**
 * Compares two results. Without a given tolerance nothing is allowed beside zero: what rounding may
 * leave there depends on the numbers that were computed with.
 */
export function compareResults(
  got: Value | undefined,
  want: Value,
  tolerance: ToleranceOptions,
): ResultComparison {
  const isFloat = want instanceof Tensor && RTOL[want.dtype] !== undefined;
  if (
    !isFloat ||
    !(got instanceof Tensor) ||
    got.dtype !== want.dtype ||
    got.shape.join() !== want.shape.join()
  )
    return { problem: valueDifference(got, want, tolerance), elements: [] };
  if (sameValues(got, want)) return { elements: [] };
  const isGiven = tolerance.rtol !== undefined || tolerance.atol !== undefined;
  const rtol = isGiven ? (tolerance.rtol ?? 0) : RTOL[want.dtype]!;
  const atol = tolerance.atol ?? 0;
  const [a, b] = [numbersOf(got), numbersOf(want)];
  const elements: ElementDifference[] = [];
  b.forEach((wanted, index) => {
    const value = a[index]!;
    const distance = distanceOf(value, wanted);
    if (distance === 0 || distance <= Math.min(atol + rtol * Math.abs(wanted), Number.MAX_VALUE)) return;
    elements.push({ index, got: value, want: wanted, distance });
  });
  return { elements };
}

/**
 * 0 for equal numbers, NaN and NaN among them; infinite for zeros of other signs, and where one is
 * not finite.
 */
function distanceOf(a: number, b: number): number {
  if (Object.is(a, b) || (a !== 0 && a === b)) return 0;
  const distance = Math.abs(a - b);
  return Number.isFinite(distance) && distance > 0 && Number.isFinite(b)
    ? distance
    : Number.POSITIVE_INFINITY;
}

/** Real and imaginary parts one after the other. */
export function numbersOf(tensor: Tensor): number[] {
  const values = tensor.toArray();
  if (dtypeInfo(tensor.dtype).kind !== "complex") return values.map(Number);
  return values.flatMap((value) => {
    const { re, im } = value as { readonly re: number; readonly im: number };
    return [re, im];
  });
}

/** Returns the first and how many, in one line. */
export function differenceText(elements: readonly ElementDifference[], total: number): string {
  const [{ index, got, want }] = elements as readonly [ElementDifference];
  return `${elements.length} of ${total} elements differ; element ${index} is ${numberText(got)}, ${numberText(want)} before`;
}
