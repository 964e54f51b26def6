/** @file Floats as Python formats them: `f"{x:.4f}"` and `f"{x:.4e}"`. */

const isOdd = (value: number): boolean => value % 2 === 1 || value % 2 === -1;

/**
 * Returns whether a number lies exactly between two multiples of a power of ten. JavaScript rounds
 * such numbers away from zero, Python to the even digit.
 */
function isTie(value: number, exponent: number): boolean {
  // value = (k + 1/2) * 10^exponent, so value * 2^(1 - exponent) = (2k + 1) * 5^exponent.
  const scaled = value * 2 ** (1 - exponent);
  return isOdd(scaled) && (exponent <= 0 || scaled % 5 ** exponent === 0);
}

/** Digits rounded away from zero, as rounded to the even digit. An odd digit is at least 1. */
const toEven = (digits: string): string => digits.replace(/[13579]$/, (digit) => String(Number(digit) - 1));

function specialText(value: number): string | undefined {
  if (Number.isNaN(value)) return "nan";
  if (Number.isFinite(value)) return undefined;
  return value < 0 ? "-inf" : "inf";
}

const isNegative = (value: number): boolean => value < 0 || Object.is(value, -0);

/** Returns the digits of an integral number of 1e21 and more: `toFixed` has an exponent there. */
const largeFixed = (size: number, precision: number): string =>
  BigInt(size).toString() + (precision === 0 ? "" : `.${"0".repeat(precision)}`);

/** Returns `f"{value:.{precision}f}"`. */
export function fixedText(value: number, precision: number): string {
  const special = specialText(value);
  if (special !== undefined) return special;
  const size = Math.abs(value);
  const rounded = size >= 1e21 ? largeFixed(size, precision) : size.toFixed(precision);
  return (isNegative(value) ? "-" : "") + (isTie(size, -precision) ? toEven(rounded) : rounded);
}

/** Returns `f"{value:.{precision}e}"`. */
export function exponentText(value: number, precision: number): string {
  const special = specialText(value);
  if (special !== undefined) return special;
  const size = Math.abs(value);
  const [digits, exponent] = size.toExponential(precision).split("e") as [string, string];
  const rounded = isTie(size, Number(exponent) - precision) ? toEven(digits) : digits;
  return `${isNegative(value) ? "-" : ""}${rounded}e${exponent[0]}${exponent.slice(1).padStart(2, "0")}`;
}
