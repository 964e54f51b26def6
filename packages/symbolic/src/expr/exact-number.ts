/** @file Numbers as Python has them: integers of any size, and floats. */
import { badOperand, divisionByZero } from "./errors.js";
import { floorDivMod } from "./number.js";

/** Integers stay exact: a bigint where a number would round. */
export type ExactNumber = number | bigint | boolean;

const number = (value: ExactNumber): number => Number(value);
/** Returns an exact integer, or undefined for a value that is a float. */
const exact = (value: ExactNumber): bigint | undefined =>
  typeof value === "bigint"
    ? value
    : typeof value === "boolean" || Number.isSafeInteger(value)
      ? BigInt(value)
      : undefined;
export const narrow = (value: bigint): ExactNumber =>
  Number.isSafeInteger(Number(value)) ? Number(value) : value;

function exactly(
  a: ExactNumber,
  b: ExactNumber,
  fast: (a: number, b: number) => number,
  slow: (a: bigint, b: bigint) => bigint,
): ExactNumber {
  if (typeof a !== "bigint" && typeof b !== "bigint") {
    const result = fast(Number(a), Number(b));
    if (Number.isSafeInteger(result) || !Number.isInteger(result)) return result;
  }
  const [x, y] = [exact(a), exact(b)];
  return x === undefined || y === undefined ? fast(number(a), number(b)) : narrow(slow(x, y));
}

export const plus = (a: ExactNumber, b: ExactNumber): ExactNumber =>
  exactly(
    a,
    b,
    (x, y) => x + y,
    (x, y) => x + y,
  );
export const times = (a: ExactNumber, b: ExactNumber): ExactNumber =>
  exactly(
    a,
    b,
    (x, y) => x * y,
    (x, y) => x * y,
  );

/** Returns the quotient (0) or the rest (1) of a division that rounds down; `place` is its text. */
export function divide(place: () => string, a: ExactNumber, b: ExactNumber, part: 0 | 1): ExactNumber {
  if (number(b) === 0) throw divisionByZero(place());
  const [x, y] = [exact(a), exact(b)];
  if (x !== undefined && y !== undefined) return narrow(floorDivMod(x, y)[part]);
  if (part === 0) {
    const quotient = Math.floor(number(a) / number(b));
    // A floor division is an integer.
    if (!Number.isFinite(quotient)) throw badOperand(`cannot convert float ${quotient} to integer`);
    return quotient;
  }
  const rest = number(a) % number(b);
  return rest !== 0 && rest < 0 !== number(b) < 0 ? rest + number(b) : rest + 0;
}

export function raise(a: ExactNumber, b: ExactNumber): ExactNumber {
  const result = number(a) ** number(b);
  if (Number.isSafeInteger(result) || !Number.isInteger(result) || number(b) < 0 || number(b) > 256)
    return result;
  return exactly(
    a,
    b,
    (x, y) => x ** y,
    (x, y) => x ** y,
  );
}

export function less(a: ExactNumber, b: ExactNumber): boolean {
  return a < b;
}

export const equal = (a: ExactNumber, b: ExactNumber): boolean =>
  typeof a === "boolean" || typeof b === "boolean" ? number(a) === number(b) : a <= b && b <= a;
