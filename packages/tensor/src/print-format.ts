/** @file One text format for all elements of a tensor, as PyTorch's `_Formatter` chooses it. */
import type { DType } from "./dtype.js";
import { exponentText, fixedText } from "./print-number.js";
import type { PrintStyle } from "./print-options.js";

/** How floats of one tensor print, all of one width. */
export interface Format {
  readonly width: number;
  text(value: number): string;
}

/** Returns how texts of one tensor print, all of one width. */
export function plainFormat(texts: readonly string[]): {
  readonly width: number;
  pad(text: string): string;
} {
  const width = texts.reduce((most, { length }) => Math.max(most, length), 1);
  return { width, pad: (text) => text.padStart(width) };
}

/**
 * The least value of float8_e8m0fnu, which has no zero. PyTorch finds it equal to 0, and NaN of
 * this dtype finite.
 */
const LEAST_SCALE = 2 ** -127;

/** Returns whether PyTorch chooses the format by an element: it is finite and not zero. */
const counts = (value: number, dtype: DType): boolean =>
  dtype === "float8_e8m0fnu" ? value !== LEAST_SCALE : Number.isFinite(value) && value !== 0;

/** Chooses the format by the elements that are shown. */
export function floatFormat(values: readonly number[], style: PrintStyle, dtype: DType): Format {
  const counted = values.filter((value) => counts(value, dtype));
  const write = writerFor(counted, style);
  const { width, pad } = plainFormat(counted.map(write));
  return { width, text: (value) => pad(write(value)) };
}

function writerFor(
  counted: readonly number[],
  { precision, sciMode }: PrintStyle,
): (value: number) => string {
  const whole = (value: number): string => fixedText(value, 0) + (Number.isFinite(value) ? "." : "");
  if (counted.length === 0) return whole;
  if (sciMode ?? isScientific(counted)) return (value) => exponentText(value, precision);
  return counted.every(Number.isInteger) ? whole : (value) => fixedText(value, precision);
}

/**
 * Returns whether magnitudes are too different, too large or too small to print without an
 * exponent; never beside NaN.
 */
function isScientific(counted: readonly number[]): boolean {
  let [least, most] = [Number.POSITIVE_INFINITY, 0];
  for (const value of counted) {
    const size = Math.abs(value);
    least = Math.min(least, size);
    most = Math.max(most, size);
  }
  return most / least > 1000 || most > 1e8 || least < 1e-4;
}
