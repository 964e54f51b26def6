/** @file One text format for all elements of a tensor, as PyTorch's `_Formatter` chooses it. */
import { exponentText, fixedText } from "./print-number.js";
import type { PrintStyle } from "./print-options.js";

/** How floats of one tensor print, all of one width. */
export interface Format {
  readonly width: number;
  text(value: number): string;
}

/** How texts of one tensor print, all of one width. */
export function plainFormat(texts: readonly string[]): {
  readonly width: number;
  pad(text: string): string;
} {
  const width = texts.reduce((most, { length }) => Math.max(most, length), 1);
  return { width, pad: (text) => text.padStart(width) };
}

/** Chooses the format by the elements that are seen. */
export function floatFormat(values: readonly number[], style: PrintStyle): Format {
  const finite = values.filter((value) => Number.isFinite(value) && value !== 0);
  const write = writerFor(finite, style);
  const { width, pad } = plainFormat(finite.map(write));
  return { width, text: (value) => pad(write(value)) };
}

function writerFor(finite: readonly number[], { precision, sciMode }: PrintStyle): (value: number) => string {
  const whole = (value: number): string => fixedText(value, 0) + (Number.isFinite(value) ? "." : "");
  if (finite.length === 0) return whole;
  if (sciMode ?? isScientific(finite)) return (value) => exponentText(value, precision);
  return finite.every(Number.isInteger) ? whole : (value) => fixedText(value, precision);
}

/** Whether magnitudes are too different, too large or too small to print without an exponent. */
function isScientific(finite: readonly number[]): boolean {
  let [least, most] = [Number.POSITIVE_INFINITY, 0];
  for (const value of finite) {
    const size = Math.abs(value);
    least = Math.min(least, size);
    most = Math.max(most, size);
  }
  return most / least > 1000 || most > 1e8 || least < 1e-4;
}
