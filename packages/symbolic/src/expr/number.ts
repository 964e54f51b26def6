import { divisionByZero, tooLarge } from "./errors.js";
import { SymExpr } from "./expr.js";

/** Integers of more bits are refused, and so are fractions: their sums take a gcd each. */
const MAX_BITS = 4096;
const MAX_FRACTION_BITS = 1024;

const bitsOf = (value: bigint): number => value.toString(16).length * 4;

const SMALL: SymExpr[] = [];
for (let i = -16; i <= 256; i++) SMALL.push(new SymExpr({ op: "Integer", value: i }));

/** Returns an integer constant; a bigint is kept exactly. */
export function integer(value: number | bigint): SymExpr {
  if (typeof value === "bigint") {
    const narrow = Number(value);
    if (Number.isSafeInteger(narrow)) return integer(narrow);
    if (bitsOf(value) > MAX_BITS) throw tooLarge("a constant of more than 4096 bits");
    return new SymExpr({ op: "Integer", value });
  }
  const small = SMALL[value + 16];
  return small ?? new SymExpr({ op: "Integer", value: value === 0 ? 0 : value });
}

/** Returns a float constant, also when its value is integral. */
export const floating = (value: number): SymExpr => new SymExpr({ op: "Float", value });

export const ZERO = integer(0);
export const ONE = integer(1);
export const MINUS_ONE = integer(-1);

const bigGcd = (a: bigint, b: bigint): bigint => {
  let [x, y] = [a < 0n ? -a : a, b < 0n ? -b : b];
  while (y !== 0n) [x, y] = [y, x % y];
  return x;
};

/** `num / den` in lowest terms. */
export function rational(num: bigint, den: bigint): SymExpr {
  if (den === 0n) throw divisionByZero(`${num}/${den}`);
  const g = bigGcd(num, den) * (den < 0n ? -1n : 1n);
  if (den === g) return integer(num / g);
  const [value, rest] = [num / g, den / g];
  if (Math.max(bitsOf(value), bitsOf(rest)) > MAX_FRACTION_BITS)
    throw tooLarge(`a fraction of more than ${MAX_FRACTION_BITS} bits`);
  return new SymExpr({ op: "Rational", value, den: rest });
}

export const isNumber = (e: SymExpr): boolean =>
  e.op === "Integer" || e.op === "Rational" || e.op === "Float";
export const isInteger = (e: SymExpr): boolean => e.op === "Integer";
export const isRational = (e: SymExpr): boolean => e.op === "Integer" || e.op === "Rational";
export const isOne = (e: SymExpr): boolean => e.op === "Integer" && e.value === 1;
export const isZero = (e: SymExpr): boolean => (e.op === "Integer" || e.op === "Float") && e.value === 0;
export const isNegative = (e: SymExpr): boolean => isNumber(e) && e.value < 0;

/** Returns the nearest double. */
export const approximate = (e: SymExpr): number =>
  e.op === "Rational" ? Number(e.value) / Number(e.den) : Number(e.value);

/** Returns the exact value of an `Integer` node. */
export const bigOf = (e: SymExpr): bigint => BigInt(e.value);

const isSafe = (a: SymExpr, b: SymExpr): boolean =>
  a.op === "Integer" && b.op === "Integer" && typeof a.value === "number" && typeof b.value === "number";

export function addNumbers(a: SymExpr, b: SymExpr): SymExpr {
  if (isSafe(a, b)) {
    const sum = (a.value as number) + (b.value as number);
    if (Number.isSafeInteger(sum)) return integer(sum);
  }
  if (a.op === "Float" || b.op === "Float") return floatResult(approximate(a) + approximate(b));
  return rational(BigInt(a.value) * b.den + BigInt(b.value) * a.den, a.den * b.den);
}

/** sympy's float arithmetic converts a zero to the integer. */
const floatResult = (value: number): SymExpr => (value === 0 ? ZERO : floating(value));

export function mulNumbers(a: SymExpr, b: SymExpr): SymExpr {
  if (isSafe(a, b)) {
    const product = (a.value as number) * (b.value as number);
    if (Number.isSafeInteger(product)) return integer(product);
  }
  if (a.op === "Float" || b.op === "Float") {
    return floatResult(approximate(a) * approximate(b));
  }
  return rational(BigInt(a.value) * BigInt(b.value), a.den * b.den);
}

export const negateNumber = (a: SymExpr): SymExpr => mulNumbers(MINUS_ONE, a);

/** Returns the reciprocal of a non-zero constant. */
export function invertNumber(a: SymExpr): SymExpr {
  if (isZero(a)) throw divisionByZero("1/0");
  return a.op === "Float" ? floating(1 / (a.value as number)) : rational(a.den, BigInt(a.value));
}

/** Sign of `a - b`. */
export function compareNumbers(a: SymExpr, b: SymExpr): number {
  if (isSafe(a, b) || a.op === "Float" || b.op === "Float") return Math.sign(approximate(a) - approximate(b));
  const left = BigInt(a.value) * b.den;
  const right = BigInt(b.value) * a.den;
  return left < right ? -1 : left > right ? 1 : 0;
}

/** Python's `a // b` and `a % b` for integers. */
export function floorDivMod(a: bigint, b: bigint): readonly [quotient: bigint, remainder: bigint] {
  const quotient = a / b;
  const remainder = a % b;
  return remainder !== 0n && remainder < 0n !== b < 0n
    ? [quotient - 1n, remainder + b]
    : [quotient, remainder];
}

/** Greatest common divisor of two `Integer` nodes, non-negative. */
export function gcdIntegers(a: SymExpr, b: SymExpr): SymExpr {
  if (!isSafe(a, b)) return integer(bigGcd(bigOf(a), bigOf(b)));
  let [x, y] = [Math.abs(a.value as number), Math.abs(b.value as number)];
  while (y !== 0) [x, y] = [y, x % y];
  return integer(x);
}

/** Returns an integer to a non-negative integer power. */
export function powerOfInteger(base: SymExpr, exponent: number): SymExpr {
  const b = bigOf(base);
  if (b === 0n || b === 1n || b === -1n)
    return exponent === 0 ? ONE : integer(exponent % 2 === 0 ? b * b : b);
  if (exponent * Math.max(1, b.toString(2).length - 1) > MAX_BITS)
    throw tooLarge("a constant of more than 4096 bits");
  return integer(b ** BigInt(exponent));
}
