/**
 * @file Single elements as Python prints them, with the digits that identify them in their dtype.
 */
import { type DType, type Element, patternEncoder } from "@sconce/tensor";

/** Digits that identify every float64. */
const MOST_DIGITS = 17;
/** Python writes an exponent from here on, and below -4. */
const FIRST_EXPONENT = 16;

/**
 * Writes elements of a dtype: integers are exact, other floats have the shortest text that is
 * unique.
 */
export function elementText(dtype: DType): (element: Element) => string {
  const round = rounding(dtype);
  return (element) => {
    if (typeof element === "boolean") return element ? "True" : "False";
    if (typeof element === "bigint") return String(element);
    if (typeof element === "number") return round === undefined ? String(element) : floatText(element, round);
    const { re, im } = element;
    const [real, imaginary] = [re, im].map((part) => floatText(part, round!).replace(/\.0$/, ""));
    return `${real}${imaginary!.startsWith("-") ? "" : "+"}${imaginary}j`;
  };
}

/** Returns what a number becomes in a dtype, for comparison alone; undefined for integers. */
function rounding(dtype: DType): ((value: number) => number) | undefined {
  const encode = patternEncoder(dtype);
  if (encode !== undefined) return encode;
  if (dtype === "float32" || dtype === "complex64") return Math.fround;
  return dtype === "float64" || dtype === "complex128" ? (value) => value : undefined;
}

function floatText(value: number, round: (value: number) => number): string {
  if (Number.isNaN(value)) return "nan";
  if (!Number.isFinite(value)) return value > 0 ? "inf" : "-inf";
  if (value === 0) return Object.is(value, -0) ? "-0.0" : "0.0";
  if (Number.isSafeInteger(value)) return `${value}.0`;
  const pattern = round(value);
  let digits = 1;
  while (digits < MOST_DIGITS && round(Number(value.toPrecision(digits))) !== pattern) digits++;
  const [mantissa, exponent] = value.toExponential(digits - 1).split("e") as [string, string];
  const power = Number(exponent);
  if (power < -4 || power >= FIRST_EXPONENT)
    return `${mantissa}e${exponent[0]}${exponent.slice(1).padStart(2, "0")}`;
  const text = String(Number(`${mantissa}e${exponent}`));
  return text.includes(".") ? text : `${text}.0`;
}
