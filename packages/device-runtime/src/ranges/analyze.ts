/**
 * @file Checks that integers of a loop program stay exact in float32 and that indices are in
 * bounds, for given inputs.
 */
import {
  boundsOf,
  type CompareFn,
  extentOf,
  fixedValue,
  forEachAtom,
  forEachScalar,
  type Index,
  type Integers,
  indicesOf,
  isLogic,
  type LoopNest,
  type ReduceScalar,
  type Scalar,
} from "@sconce/codegen";
import { isFloatDType, isIntegralDType } from "@sconce/tensor";
import {
  ANY,
  between,
  castToFloat,
  intersection,
  isBounded,
  point,
  type Range,
  rangeOfCall,
  rangeOfDType,
  TRUTH,
  union,
  widened,
} from "./interval.js";

/**
 * Returns whether a nest computes with integers or reads indices from tensors, so that its ranges
 * have to be looked at.
 */
export function hasIntegers(nest: LoopNest): boolean {
  const isInteger = ({ dtype }: Scalar): boolean => isIntegralDType(dtype);
  let found = isInteger(nest.value);
  forEachScalar(nest.value, (scalar) => {
    found ||= isInteger(scalar) && scalar.kind !== "constant" && scalar.kind !== "index";
  });
  return found;
}

/** What the elements of a nest may be, and what may be wrong with them. */
export interface NestRange {
  readonly range: Range;
  readonly problem: string | undefined;
}

/** Ranges of one nest with fixed sizes, from those of the buffers that it reads. */
export function analyzeNest(nest: LoopNest, buffers: (id: number) => Range, integers: Integers): NestRange {
  // A nest without elements reads nothing.
  if (nest.axes.some((axis) => extentOf(axis) === 0)) return { range: point(0), problem: undefined };
  const analysis = new Analysis(buffers, integers);
  const range = analysis.of(nest.value);
  return { range, problem: analysis.problem };
}

/** Returns a power of two for people. */
export const bitsOf = (value: number): string => `2^${Math.round(Math.log2(value))}`;

/** Scalars of a nest that are visited again where a condition holds. */
const MOST_AGAIN = 8192;

/** What is known of scalars where a condition holds. */
type Known = ReadonlyMap<Scalar, Range>;
const NEGATED: Readonly<Record<CompareFn, CompareFn>> = {
  lt: "ge",
  ge: "lt",
  gt: "le",
  le: "gt",
  eq: "ne",
  ne: "eq",
};

class Analysis {
  problem: string | undefined;
  readonly #buffers: (id: number) => Range;
  readonly #integers: Integers;
  #known: Known = new Map();
  #memo = new Map<Scalar, Range>();
  /** Scalars that are looked at anew where a condition holds; then conditions are left aside. */
  #again = MOST_AGAIN;

  constructor(buffers: (id: number) => Range, integers: Integers) {
    this.#buffers = buffers;
    this.#integers = integers;
  }

  of(scalar: Scalar): Range {
    let range = this.#memo.get(scalar);
    if (range === undefined) {
      if (this.#known.size > 0) this.#again -= 1;
      range = this.#checked(scalar, this.#range(scalar));
      const known = this.#known.get(scalar);
      if (known !== undefined) range = intersection(range, known);
      this.#memo.set(scalar, range);
    }
    return range;
  }

  #wrong(reason: string): void {
    this.problem ??= reason;
  }

  /** Integers wrap in eight and sixteen bits; wider ones have to stay exact. */
  #checked(scalar: Scalar, range: Range): Range {
    for (const index of indicesOf(scalar)) this.#checkIndices(index);
    if (!isIntegralDType(scalar.dtype)) return range;
    const { low, high, wraps } = this.#integers;
    const own = rangeOfDType(scalar.dtype);
    if (high === Number.POSITIVE_INFINITY) return held(scalar, range, own);
    if (wraps && scalar.dtype === "int32" && (range.low < low || range.high > high))
      return between(low, high);
    if (!isBounded(range) || range.low < low || range.high > high) {
      this.#wrong(
        `integers beyond ${bitsOf(high)} may come up, which the device does not compute with exactly`,
      );
      return between(low, high);
    }
    return range.low < own.low || range.high > own.high ? own : range;
  }

  #checkIndices(index: Index): void {
    forEachAtom(index, (item) => {
      if (item.kind !== "value") return;
      const { low, high, nan } = this.of(item.scalar);
      const bound = fixedValue(item.bound) ?? 0;
      if (nan || low < 0 || high >= bound) this.#wrong("an index may lie outside of its tensor");
    });
  }

  #range(scalar: Scalar): Range {
    switch (scalar.kind) {
      case "constant":
        return point(Number(scalar.value));
      case "index": {
        const { min, max } = boundsOf(scalar.index);
        return min === undefined || max === undefined ? between(-(2 ** 30), 2 ** 30) : between(min, max);
      }
      case "load":
        return this.#buffers(scalar.buffer);
      case "cast":
        return this.#cast(scalar.value, scalar);
      case "select":
        return this.#select(scalar);
      case "call":
        return this.#call(scalar);
      case "reduce":
        return this.#reduce(scalar);
    }
  }

  #cast(from: Scalar, { dtype }: Scalar): Range {
    const range = this.of(from);
    if (dtype === "bool") return TRUTH;
    if (isFloatDType(dtype))
      return isFloatDType(from.dtype) ? widened(range, dtype) : castToFloat(range, dtype);
    if (!isFloatDType(from.dtype)) return range;
    if (isBounded(range)) return between(Math.trunc(range.low), Math.trunc(range.high));
    const { low, high, wraps } = this.#integers;
    if (high === Number.POSITIVE_INFINITY) return rangeOfDType(dtype);
    if (!(wraps && dtype === "int32"))
      this.#wrong(
        `floats of any size become integers, which the device computes with exactly up to ${bitsOf(high)}`,
      );
    return between(low, high);
  }

  #call({ fn, args }: Extract<Scalar, { kind: "call" }>): Range {
    const ranges = args.map((arg) => this.of(arg));
    if (isLogic(fn)) return isFloatDType(args[0]!.dtype) ? TRUTH : truthOf(fn, ranges);
    return rangeOfCall(fn, ranges, args[0]!.dtype);
  }

  #select({ condition, then, otherwise }: Extract<Scalar, { kind: "select" }>): Range {
    const ranges = [this.#where(condition, true, then), this.#where(condition, false, otherwise)];
    return ranges.filter((range) => range !== undefined).reduce(union);
  }

  /**
   * Returns the range of a value where a condition holds or does not; undefined where that is never
   * so.
   */
  #where(condition: Scalar, holds: boolean, value: Scalar): Range | undefined {
    const { low, high } = this.of(condition);
    if (holds ? high < 1 : low > 0) return undefined;
    // Each choice inside of a branch would double what is looked at.
    if (this.#again < 0) return this.of(value);
    const facts = new Map(this.#known);
    this.#learn(condition, holds, facts);
    if (facts.size === this.#known.size) return this.of(value);
    const [known, memo] = [this.#known, this.#memo];
    [this.#known, this.#memo] = [facts, new Map()];
    const range = this.of(value);
    [this.#known, this.#memo] = [known, memo];
    return range;
  }

  #learn(condition: Scalar, holds: boolean, facts: Map<Scalar, Range>): void {
    if (condition.kind !== "call") return;
    const { fn, args } = condition;
    if (fn === "not") this.#learn(args[0]!, !holds, facts);
    if (fn === (holds ? "and" : "or")) for (const arg of args) this.#learn(arg, holds, facts);
    const [a, b] = args as [Scalar, Scalar];
    // What is not smaller may be NaN.
    if (!(fn in NEGATED) || (isFloatDType(a.dtype) && !holds)) return;
    const comparison = holds ? (fn as CompareFn) : NEGATED[fn as CompareFn];
    const range = isFloatDType(a.dtype)
      ? comparedFloat(comparison, this.of(b))
      : comparedWith(comparison, this.of(b));
    if (range !== undefined) facts.set(a, intersection(facts.get(a) ?? this.of(a), range));
  }

  #reduce(scalar: ReduceScalar): Range {
    const { reduce, body, when, initial, axes } = scalar;
    const count = axes.reduce((total, axis) => total * extentOf(axis), 1);
    const start = initial === undefined ? undefined : this.of(initial);
    if (when !== undefined) this.of(when);
    const own = when === undefined ? this.of(body) : (this.#where(when, true, body) ?? this.of(body));
    switch (reduce) {
      case "any":
      case "all":
        return TRUTH;
      case "argmax":
      case "argmin":
        return between(0, Math.max(0, count - 1));
      case "sum":
        return isFloatDType(scalar.dtype)
          ? widened(sumRange(own, count, start ?? point(0)), scalar.dtype, count)
          : sumRange(own, count, start ?? point(0));
      case "prod": {
        const most = Math.max(1, Math.abs(own.low), Math.abs(own.high)) ** count;
        return own.nan || Number.isNaN(most) ? ANY : between(own.low < 0 ? -most : 0, most);
      }
      default: {
        const isEmpty = count === 0 || when !== undefined;
        if (start !== undefined) return union(start, own);
        return isEmpty ? ANY : own;
      }
    }
  }
}

/** Functions whose results are among their operands, or nearer to zero. */
const INSIDE: ReadonlySet<string> = new Set([
  ...["max", "min", "remainder", "fmod", "sign", "bitwise_and", "bitwise_or", "bitwise_xor", "bitwise_not"],
  "shift_right",
]);

/**
 * Returns the range of an integer that wraps where its dtype does. The ends of 64 bits are beyond
 * exact doubles: a result that reaches them may have wrapped.
 */
function held(scalar: Scalar, range: Range, own: Range): Range {
  if (!isBounded(range)) return own;
  const isWide = own.high >= 2 ** 53;
  const mayWrap =
    (scalar.kind === "call" && !INSIDE.has(scalar.fn)) ||
    (scalar.kind === "reduce" && (scalar.reduce === "sum" || scalar.reduce === "prod")) ||
    scalar.kind === "cast";
  if (isWide && mayWrap) return range.low > own.low && range.high < own.high ? range : own;
  return range.low >= own.low && range.high <= own.high ? range : own;
}

/**
 * Returns a truth value of whole numbers or of truth values: 0 or 1 where their ranges decide it.
 */
function truthOf(fn: string, [a, b]: readonly Range[]): Range {
  if (fn === "not") return between(1 - a!.high, 1 - a!.low);
  if (fn === "and") return between(Math.min(a!.low, b!.low), Math.min(a!.high, b!.high));
  if (fn === "or") return between(Math.max(a!.low, b!.low), Math.max(a!.high, b!.high));
  if (!(fn in NEGATED)) return TRUTH;
  const isExcluded = (comparison: CompareFn): boolean => {
    const range = comparedWith(comparison, b!);
    return range !== undefined && (a!.high < range.low || a!.low > range.high);
  };
  if (isExcluded(fn as CompareFn)) return point(0);
  return isExcluded(NEGATED[fn as CompareFn]) ? point(1) : TRUTH;
}

function sumRange(own: Range, count: number, start: Range): Range {
  if (!isBounded(own)) return ANY;
  return between(
    start.low + count * Math.min(0, own.low),
    start.high + count * Math.max(0, own.high),
    start.nan,
  );
}

/**
 * Returns the same for floats, which have values between whole numbers; NaN compares with nothing.
 */
function comparedFloat(fn: CompareFn, { low, high }: Range): Range | undefined {
  switch (fn) {
    case "lt":
      return between(Number.NEGATIVE_INFINITY, -above(-high));
    case "le":
      return between(Number.NEGATIVE_INFINITY, high);
    case "gt":
      return between(above(low), Number.POSITIVE_INFINITY);
    case "ge":
      return between(low, Number.POSITIVE_INFINITY);
    case "eq":
      return between(low, high);
    case "ne":
      return undefined;
  }
}
/** Returns the next number, or the number itself where rounding gives that. */
const above = (value: number): number =>
  value === 0 ? Number.MIN_VALUE : value + Math.abs(value) * Number.EPSILON * 0.5;

/** Returns what a value compared so with one in the range may be. */
function comparedWith(fn: CompareFn, { low, high }: Range): Range | undefined {
  switch (fn) {
    case "lt":
      return between(Number.NEGATIVE_INFINITY, high - 1);
    case "le":
      return between(Number.NEGATIVE_INFINITY, high);
    case "gt":
      return between(low + 1, Number.POSITIVE_INFINITY);
    case "ge":
      return between(low, Number.POSITIVE_INFINITY);
    case "eq":
      return between(low, high);
    case "ne":
      return undefined;
  }
}
