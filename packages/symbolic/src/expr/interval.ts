/**
 * The values that an expression may take; integers unless `float`. Infinite ends mean unbounded.
 */
export interface ValueRange {
  /** The least value; `-Infinity` without a lower bound. */
  readonly min: number;
  /** The greatest value; `Infinity` without an upper bound. */
  readonly max: number;
  /** A range of floats: infinities print `oo`. */
  readonly float?: boolean;
}

/** The number next to the largest size, which is 2^63 - 2. */
export const MAX_SIZE: number = 2 ** 63;
/** The range of all integers. */
export const UNBOUNDED: ValueRange = { min: -Infinity, max: Infinity };
/** The range of all floats. */
export const UNBOUNDED_FLOAT: ValueRange = { min: -Infinity, max: Infinity, float: true };

/** Returns the range that holds one value. */
export const point = (value: number): ValueRange => ({ min: value, max: value });
/** Returns whether a range holds a single value. */
export const isPoint = (range: ValueRange): boolean => range.min === range.max;

/** Returns the common part, or undefined. */
export function intersectRanges(a: ValueRange, b: ValueRange): ValueRange | undefined {
  const min = Math.max(a.min, b.min);
  const max = Math.min(a.max, b.max);
  return min > max ? undefined : a.float === true ? { min, max, float: true } : { min, max };
}

/** Returns the least range that holds two others. */
export const unionRanges = (a: ValueRange, b: ValueRange): ValueRange => ({
  min: Math.min(a.min, b.min),
  max: Math.max(a.max, b.max),
});

export const addRanges = (a: ValueRange, b: ValueRange): ValueRange => ({
  min: a.min + b.min,
  max: a.max + b.max,
});
const negateRange = (a: ValueRange): ValueRange => ({ min: -a.max, max: -a.min });

/** 0 times an unbounded end is 0: the end is never reached. */
const times = (a: number, b: number): number => (a === 0 || b === 0 ? 0 : a * b);

const hull = (values: readonly number[]): ValueRange => ({
  min: Math.min(...values),
  max: Math.max(...values),
});

export const mulRanges = (a: ValueRange, b: ValueRange): ValueRange =>
  hull([times(a.min, b.min), times(a.min, b.max), times(a.max, b.min), times(a.max, b.max)]);

/** `a ** n` for a natural number `n`. */
export function powRange(a: ValueRange, n: number): ValueRange {
  if (n === 0) return point(1);
  const ends = hull([a.min ** n, a.max ** n]);
  return n % 2 === 0 && a.min < 0 && a.max > 0 ? { min: 0, max: ends.max } : ends;
}

const floorQuotient = (a: number, b: number): number => {
  if (!Number.isFinite(b))
    return Number.isFinite(a)
      ? a !== 0 && a < 0 !== b < 0
        ? -1
        : 0
      : Math.sign(a) * Math.sign(b) * Infinity;
  return Math.floor(a / b);
};

/** Python's `//`; a divisor that may be zero contributes only its other values. */
export function floorDivRange(a: ValueRange, b: ValueRange): ValueRange {
  const divisors = nonzeroParts(b);
  if (divisors.length === 0) return UNBOUNDED;
  const values = divisors.flatMap((part) =>
    [a.min, a.max].flatMap((x) => [floorQuotient(x, part.min), floorQuotient(x, part.max)]),
  );
  return hull(a.min <= 0 && a.max >= 0 ? [...values, 0] : values);
}

function nonzeroParts(b: ValueRange): readonly ValueRange[] {
  const parts: ValueRange[] = [];
  if (b.min < 0) parts.push({ min: b.min, max: Math.min(b.max, -1) });
  if (b.max > 0) parts.push({ min: Math.max(b.min, 1), max: b.max });
  return parts;
}

/** Python's `%`. */
export function modRange(a: ValueRange, b: ValueRange): ValueRange {
  if (b.min > 0) {
    if (a.min >= 0 && a.max < b.min) return a;
    if (
      isPoint(b) &&
      Number.isFinite(a.min) &&
      Number.isFinite(a.max) &&
      Math.floor(a.min / b.min) === Math.floor(a.max / b.min)
    ) {
      return {
        min: a.min - Math.floor(a.min / b.min) * b.min,
        max: a.max - Math.floor(a.max / b.min) * b.min,
      };
    }
    return { min: 0, max: a.min >= 0 ? Math.min(a.max, b.max - 1) : b.max - 1 };
  }
  return b.max < 0 ? { min: b.min + 1, max: 0 } : UNBOUNDED;
}

export const maxRanges = (a: ValueRange, b: ValueRange): ValueRange => ({
  min: Math.max(a.min, b.min),
  max: Math.max(a.max, b.max),
});
export const minRanges = (a: ValueRange, b: ValueRange): ValueRange => ({
  min: Math.min(a.min, b.min),
  max: Math.min(a.max, b.max),
});

export function absRange(a: ValueRange): ValueRange {
  if (a.min >= 0) return a;
  return a.max <= 0 ? negateRange(a) : { min: 0, max: Math.max(-a.min, a.max) };
}

/** True division; unbounded when the divisor may be zero. */
export function trueDivRange(a: ValueRange, b: ValueRange): ValueRange {
  if (b.min <= 0 && b.max >= 0) return UNBOUNDED_FLOAT;
  const quotient = (x: number, y: number): number =>
    Number.isFinite(y) ? x / y : Number.isFinite(x) ? 0 : Math.sign(x) * Math.sign(y) * Infinity;
  const values = [
    quotient(a.min, b.min),
    quotient(a.min, b.max),
    quotient(a.max, b.min),
    quotient(a.max, b.max),
  ];
  return { ...hull(values), float: true };
}

/** Returns a monotonic function of one argument. */
export const mapRange = (a: ValueRange, fn: (x: number) => number): ValueRange => ({
  min: Number.isFinite(a.min) ? fn(a.min) : a.min,
  max: Number.isFinite(a.max) ? fn(a.max) : a.max,
});

/** PyTorch's text: `VR[2, int_oo]`, for floats `VR[-oo, oo]`. */
export function printRange(range: ValueRange): string {
  const isFloat = range.float === true;
  const infinity = isFloat ? "oo" : "int_oo";
  const end = (value: number): string => {
    if (!Number.isFinite(value)) return value < 0 ? `-${infinity}` : infinity;
    return isFloat ? sympyFloat(value) : String(value);
  };
  return `VR[${end(range.min)}, ${end(range.max)}]`;
}

/** sympy's text of a float: 15 digits, with an exponent from 1e15 on and below 1e-4. */
function sympyFloat(value: number): string {
  if (value === 0) return "0.0";
  const text = Math.abs(value) < 1e-4 ? value.toExponential(14) : value.toPrecision(15);
  return text.includes(".") ? text : `${text}.`;
}
