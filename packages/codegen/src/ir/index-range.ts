/** @file Exact ranges of indices for known sizes. Built modules have it, too: it loads nothing. */
import type { SymExpr } from "@sconce/symbolic";
import type { Axis, Index, IndexAtom } from "./terms.js";

/** The least and the greatest value; both infinite where they are not known exactly. */
export interface IndexRange {
  readonly low: number;
  readonly high: number;
}
const UNKNOWN: IndexRange = { low: Number.NEGATIVE_INFINITY, high: Number.POSITIVE_INFINITY };

/** Kernels count places in integers of 32 bits with a sign. */
export const MOST = 2 ** 31 - 1;
/** Returns whether all values are integers of 32 bits. */
export const fits = ({ low, high }: IndexRange): boolean => low >= -MOST && high <= MOST;

/** Integers beyond 2^53 are not exact. */
const range = (low: number, high: number): IndexRange =>
  Number.isSafeInteger(low) && Number.isSafeInteger(high) ? { low, high } : UNKNOWN;

/** Ranges of axes that are narrower than their extents, by name. */
export type AxisRanges = ReadonlyMap<string, IndexRange>;
const NONE: AxisRanges = new Map();

/** The values of sizes. */
export interface SizeValues {
  /** Returns a size as an exact integer, or NaN if it has no value or is beyond 2^53. */
  size(expr: SymExpr): number;
}

/** Values of indices under known sizes. */
export class IndexRanges {
  readonly #sizes: SizeValues;

  constructor(sizes: SizeValues) {
    this.#sizes = sizes;
  }

  /** Returns a size as an exact integer, or NaN if it has no value or is beyond 2^53. */
  size(expr: SymExpr): number {
    return this.#sizes.size(expr);
  }

  /** Returns an index without axes as an exact integer, or NaN. */
  exact(index: Index): number {
    const { low, high } = this.of(index);
    return low === high ? low : Number.NaN;
  }

  /** Returns the range of an index. */
  of({ terms, constant }: Index, axes: AxisRanges = NONE): IndexRange {
    let total = range(constant, constant);
    for (const { coefficient, atoms } of terms) {
      let factor = range(coefficient, coefficient);
      for (const item of atoms) factor = product(factor, this.#atom(item, axes));
      total = range(total.low + factor.low, total.high + factor.high);
    }
    return total;
  }

  #atom(item: IndexAtom, axes: AxisRanges): IndexRange {
    switch (item.kind) {
      case "axis":
        return axes.get(item.name) ?? this.axis(item);
      case "size": {
        const value = this.size(item.expr);
        return range(value, value);
      }
      case "value":
        return range(0, Math.max(0, this.of(item.bound).high - 1));
      case "quotient":
      case "remainder":
        return this.#divided(item.kind, this.of(item.numerator, axes), this.of(item.denominator, axes));
    }
  }
  #divided(kind: "quotient" | "remainder", over: IndexRange, by: IndexRange): IndexRange {
    if (!(by.low > 0)) return UNKNOWN;
    if (kind === "quotient") {
      const ends = [over.low / by.low, over.low / by.high, over.high / by.low, over.high / by.high];
      return range(Math.floor(Math.min(...ends)), Math.floor(Math.max(...ends)));
    }
    return over.low >= 0 && over.high < by.low ? over : range(0, by.high - 1);
  }

  /** Returns the range of an axis. */
  axis({ extent }: Pick<Axis, "extent">): IndexRange {
    return range(0, Math.max(0, this.of(extent).high - 1));
  }
}

function product(a: IndexRange, b: IndexRange): IndexRange {
  const ends = [a.low * b.low, a.low * b.high, a.high * b.low, a.high * b.high];
  // Zero times an infinity is not a number, and then the range is not known.
  return range(Math.min(...ends), Math.max(...ends));
}
