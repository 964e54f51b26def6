/**
 * @file Whether a load stays within its buffer under the conditions that reach it. Each condition
 * is an index that is not negative: a multiple of it, taken from the place, leaves a bound of the
 * place. So windows, whose conditions are sums of axes, are bounded as well. Built modules have it,
 * too: it loads nothing but ranges.
 */

import type { IndexRange, IndexRanges } from "../ir/index-range.js";
import type { Axis, Index, IndexAtom } from "../ir/terms.js";
import type { GuardedLoad } from "./guarded-loads.js";

/** An index as a sum of products, whose factors are numbers under the sizes of a run. */
interface Linear {
  readonly constant: number;
  /** Coefficients by the text of what they multiply. */
  readonly terms: ReadonlyMap<string, number>;
}

/** What a linear index is made of. */
interface Term extends IndexRange {
  /**
   * For a quotient: what it makes with the remainder of the same division, times the denominator.
   */
  readonly whole?: {
    readonly remainder: string;
    readonly denominator: number;
    readonly numerator: IndexRange;
  };
}
/** By the text. */
type Terms = Map<string, Term>;

/**
 * Returns whether all places of a load are at least 0 and below the limit. A load that is never
 * reached is inside.
 */
export function isLoadInside(
  { index, guards, axes }: GuardedLoad,
  limit: number,
  ranges: IndexRanges,
): boolean {
  if (axes.some((axis) => ranges.exact(axis.extent) === 0)) return true;
  const narrowed = new Map<string, IndexRange>();
  for (const guard of guards) narrow(guard, narrowed, ranges);
  if ([...narrowed.values()].some(({ low, high }) => low > high)) return true;
  const { low, high } = ranges.of(index, narrowed);
  if (low >= 0 && high < limit) return true;
  const terms: Terms = new Map();
  const linear = (one: Index): Linear => linearOf(one, narrowed, ranges, terms);
  const place = linear(index);
  const conditions = guards.map(linear);
  if (conditions.some((one) => highestOf(one, terms) < 0)) return true;
  return bound(place, conditions, terms, 1) >= 0 && -bound(place, conditions, terms, -1) < limit;
}

function linearOf(
  { terms, constant }: Index,
  narrowed: ReadonlyMap<string, IndexRange>,
  ranges: IndexRanges,
  known: Terms,
): Linear {
  const sums = new Map<string, number>();
  let rest = constant;
  for (const { coefficient, atoms } of terms) {
    let factor = coefficient;
    const others = atoms.filter((item) => {
      if (item.kind !== "size") return true;
      factor *= ranges.size(item.expr);
      return false;
    });
    if (others.length === 0) rest += factor;
    else {
      const key = others.map(textOf).join(" * ");
      if (!known.has(key)) known.set(key, termOf(others, key, narrowed, ranges));
      sums.set(key, (sums.get(key) ?? 0) + factor);
    }
  }
  return { constant: rest, terms: sums };
}

/** Returns a text that is another one for each factor. */
function textOf(item: IndexAtom): string {
  switch (item.kind) {
    case "axis":
      return item.name;
    case "quotient":
    case "remainder":
      return `${item.kind}(${item.numerator.text}, ${item.denominator.text})`;
    case "value":
      return item.key;
    case "size":
      return "size";
  }
}

function termOf(
  atoms: readonly IndexAtom[],
  key: string,
  narrowed: ReadonlyMap<string, IndexRange>,
  ranges: IndexRanges,
): Term {
  const own = ranges.of({ terms: [{ coefficient: 1, atoms }], constant: 0, text: key }, narrowed);
  const [only, more] = atoms;
  if (only?.kind !== "quotient" || more !== undefined) return own;
  const whole = {
    remainder: textOf({ ...only, kind: "remainder" }),
    denominator: ranges.exact(only.denominator),
    numerator: ranges.of(only.numerator, narrowed),
  };
  return { ...own, whole };
}

/** Returns the least value; negative infinity where it is not known. */
function lowestOf({ constant, terms }: Linear, known: Terms): number {
  let total = constant;
  const joined = new Set<string>();
  const take = (factor: number, { low, high }: IndexRange): void => {
    if (factor !== 0) total += factor > 0 ? factor * low : factor * high;
  };
  for (const [key, factor] of terms) {
    const { whole } = known.get(key)!;
    if (whole === undefined || factor !== whole.denominator * (terms.get(whole.remainder) ?? 0)) continue;
    take(terms.get(whole.remainder) ?? 0, whole.numerator);
    joined.add(key).add(whole.remainder);
  }
  for (const [key, factor] of terms) if (!joined.has(key)) take(factor, known.get(key)!);
  return Number.isNaN(total) ? Number.NEGATIVE_INFINITY : total;
}
const highestOf = (linear: Linear, known: Terms): number =>
  -lowestOf(combined({ constant: 0, terms: new Map() }, linear, 1), known);

/** Returns the first index less a multiple of the second. */
function combined(a: Linear, b: Linear, factor: number): Linear {
  const terms = new Map(a.terms);
  for (const [key, value] of b.terms) terms.set(key, (terms.get(key) ?? 0) - factor * value);
  return { constant: a.constant - factor * b.constant, terms };
}

/**
 * Returns the best lower bound of an index times `sign` that conditions show: for a condition
 * `c >= 0` and a factor above 0, an index is at least the index less the multiple of `c`.
 */
function bound(place: Linear, conditions: readonly Linear[], known: Terms, sign: 1 | -1): number {
  let best = sign === 1 ? place : combined({ constant: 0, terms: new Map() }, place, 1);
  let low = lowestOf(best, known);
  // Each round takes one condition more into account.
  for (let changed = true; changed; ) {
    changed = false;
    for (const condition of conditions)
      for (const [key, value] of condition.terms) {
        const factor = (best.terms.get(key) ?? 0) / value;
        if (!(factor > 0) || !Number.isFinite(factor)) continue;
        const next = combined(best, condition, factor);
        const least = lowestOf(next, known);
        if (least <= low) continue;
        [best, low, changed] = [next, least, true];
        break;
      }
  }
  return low;
}

/** Narrows the range of the only axis of an index that is not negative. */
function narrow(guard: Index, into: Map<string, IndexRange>, ranges: IndexRanges): void {
  let [factor, rest] = [0, guard.constant];
  let axis: Axis | undefined;
  for (const { coefficient, atoms } of guard.terms) {
    let value = coefficient;
    let own: Axis | undefined;
    for (const item of atoms) {
      if (item.kind === "size") value *= ranges.size(item.expr);
      else if (item.kind === "axis" && own === undefined) own = item;
      else return;
    }
    if (own === undefined) rest += value;
    else if (axis === undefined || axis.name === own.name) [axis, factor] = [own, factor + value];
    else return;
  }
  if (axis === undefined || factor === 0 || Number.isNaN(factor + rest)) return;
  const { low, high } = into.get(axis.name) ?? ranges.axis(axis);
  const limit = -rest / factor;
  into.set(
    axis.name,
    factor > 0
      ? { low: Math.max(low, Math.ceil(limit)), high }
      : { low, high: Math.min(high, Math.floor(limit)) },
  );
}
