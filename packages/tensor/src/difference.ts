/**
 * @file Describes how tensors differ beyond a tolerance: the first and the worst element, as
 * `torch.testing.assert_close` does.
 */
import { checkOptions, type OptionNames } from "@sconce/errors";
import { sameValues } from "./compare.js";
import type { DType } from "./dtype.js";
import { type Element, elementText } from "./element.js";
import { indexOf } from "./shape.js";
import type { Tensor } from "./tensor.js";

/** How close elements have to be: `|got - want| <= atol + rtol * |want|`. */
export interface ToleranceOptions {
  /**
   * Relative tolerance, of the expected value.
   * @defaultValue 0 beside an `atol`, otherwise that of the dtype
   */
  readonly rtol?: number | undefined;
  /** Absolute tolerance. @defaultValue 0 beside an `rtol`, otherwise that of the dtype */
  readonly atol?: number | undefined;
}

const TOLERANCE: OptionNames<ToleranceOptions> = { rtol: true, atol: true };

/**
 * `torch.testing.assert_close`'s defaults (`torch/testing/_comparison.py`, `_DTYPE_PRECISIONS`); 0
 * for the other dtypes.
 */
const PRECISIONS: Readonly<Partial<Record<DType, readonly [rtol: number, atol: number]>>> = {
  float16: [1e-3, 1e-5],
  bfloat16: [1.6e-2, 1e-5],
  float32: [1.3e-6, 1e-5],
  float64: [1e-7, 1e-7],
  complex32: [1e-3, 1e-5],
  complex64: [1.3e-6, 1e-5],
  complex128: [1e-7, 1e-7],
};

interface Mismatch {
  readonly ordinal: number;
  readonly got: Element;
  readonly want: Element;
  readonly difference: number;
}

/**
 * In what a tensor differs from another, by the first and the worst element; undefined when it is
 * close.
 */
export function tensorDifference(
  received: Tensor,
  expected: Tensor,
  options: ToleranceOptions = {},
): string | undefined {
  checkOptions("tensorDifference", options, TOLERANCE);
  if (received.dtype !== expected.dtype) return `dtype ${received.dtype}, expected ${expected.dtype}`;
  if (received.shape.join() !== expected.shape.join())
    return `shape [${received.shape.join(", ")}], expected [${expected.shape.join(", ")}]`;
  const [rtol, atol] = tolerances(expected.dtype, options);
  const found = mismatches(received, expected, rtol, atol);
  if (found.length === 0) return undefined;
  const worst = found.reduce((a, b) => (b.difference > a.difference ? b : a));
  const total = expected.numel;
  const share = ((100 * found.length) / total).toFixed(1);
  const place = ({ ordinal, got, want, difference }: Mismatch): string =>
    `[${indexOf(ordinal, expected.shape).join(", ")}] is ${elementText(got)}, expected ${elementText(want)} (off by ${short(difference)})`;
  return [
    `${found.length} of ${total} elements differ (${share} %), rtol ${short(rtol)}, atol ${short(atol)}`,
    `  first: ${place(found[0]!)}`,
    `  worst: ${place(worst)}`,
  ].join("\n");
}

function tolerances(dtype: DType, { rtol, atol }: ToleranceOptions): readonly [number, number] {
  const [byRtol, byAtol] = PRECISIONS[dtype] ?? [0, 0];
  // One alone means that the other is 0: a default beside it would admit more than was asked for.
  if (rtol === undefined && atol === undefined) return [byRtol, byAtol];
  return [rtol ?? 0, atol ?? 0];
}

function mismatches(received: Tensor, expected: Tensor, rtol: number, atol: number): Mismatch[] {
  if (expected.hasValues && sameValues(received, expected)) return [];
  const [got, want] = [received.toArray(), expected.toArray()];
  const found: Mismatch[] = [];
  want.forEach((wanted, ordinal) => {
    const difference = distance(got[ordinal]!, wanted);
    if (difference > 0 && !(difference <= atol + rtol * magnitude(wanted)))
      found.push({ ordinal, got: got[ordinal]!, want: wanted, difference });
  });
  return found;
}

/**
 * 0 for equal elements, NaN and NaN among them; infinite where the difference is not a finite
 * number.
 */
function distance(a: Element, b: Element): number {
  if (typeof a === "object" && typeof b === "object") {
    const [re, im] = [distance(a.re, b.re), distance(a.im, b.im)];
    return Math.hypot(re, im);
  }
  if (typeof a === "bigint" && typeof b === "bigint") return Number(a > b ? a - b : b - a);
  const [x, y] = [Number(a), Number(b)];
  if (x === y || (Number.isNaN(x) && Number.isNaN(y))) return 0;
  const gap = Math.abs(x - y);
  return Number.isFinite(gap) ? gap : Number.POSITIVE_INFINITY;
}

function magnitude(value: Element): number {
  const size = typeof value === "object" ? Math.hypot(value.re, value.im) : Math.abs(Number(value));
  // Infinity times a tolerance would admit anything.
  return Number.isFinite(size) ? size : 0;
}

const short = (value: number): string => (value === 0 ? "0" : String(Number(value.toPrecision(3))));
