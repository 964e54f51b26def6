/** @file Scales and zero points, as PyTorch's `choose_qparams` and observers compute them. */

/** The integers that codes may be. */
export interface CodeRange {
  /** The least code. */
  readonly min: number;
  /** The greatest code. */
  readonly max: number;
}

/** What maps codes to numbers: `(code - zero) * scale`. */
export interface QuantizationParameters {
  /** The distance of two codes, a float32. */
  readonly scale: number;
  /** The code of 0. */
  readonly zero: number;
}

const { fround } = Math;

/** PyTorch's `torch.finfo(torch.float32).eps`: no scale is smaller. */
const EPSILON = 2 ** -23;

/** Returns the nearest integer; rounds half to even, as `torch.round`. */
export function roundEven(value: number): number {
  const rounded = Math.round(value);
  return Math.abs(value % 1) === 0.5 && rounded % 2 !== 0 ? rounded - 1 : rounded;
}

/**
 * Returns the parameters for values between `low` and `high`, in float32 as PyTorch's observers
 * compute them. 0 is always in the range. Symmetric parameters have the zero point 0. Before any
 * value is seen (`low > high`) the scale is 1.
 */
export function chooseParameters(
  low: number,
  high: number,
  { min, max }: CodeRange,
  isSymmetric: boolean,
  eps = EPSILON,
): QuantizationParameters {
  if (low > high || low === Number.POSITIVE_INFINITY || high === Number.NEGATIVE_INFINITY)
    return { scale: 1, zero: 0 };
  const [negative, positive] = [fround(Math.min(low, 0)), fround(Math.max(high, 0))];
  if (isSymmetric) {
    const scale = fround(Math.max(-negative, positive) / ((max - min) / 2));
    return { scale: Math.max(scale, eps), zero: 0 };
  }
  const scale = Math.max(fround(fround(positive - negative) / (max - min)), eps);
  const zero = min - roundEven(fround(negative / scale));
  return { scale, zero: Math.min(Math.max(zero, min), max) };
}

/** Returns the code of a number, as `quantize_per_tensor` and `quantize_per_channel` compute it. */
export function codeOf(
  value: number,
  { scale, zero }: QuantizationParameters,
  { min, max }: CodeRange,
): number {
  const code = roundEven(fround(value * fround(1 / scale))) + zero;
  return Math.min(Math.max(code, min), max);
}

/** Returns the number that a code represents. */
export const numberOf = (code: number, { scale, zero }: QuantizationParameters): number =>
  fround((code - zero) * scale);
