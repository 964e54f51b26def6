/**
 * @file Computes long sums in groups. The rounding error of one running sum grows with its length.
 * In groups of a few hundred, whose totals are again summed in groups, it grows logarithmically.
 * Infinities and NaN keep their values.
 */
import { isFloatDType } from "@sconce/tensor";
import { type Axis, add, atom, axis, constant, fixedValue, type Index, scale } from "../ir/index-expr.js";
import { Rewriter } from "../ir/rewrite.js";
import { apply, both, constantScalar, indexScalar, type ReduceScalar, type Scalar } from "../ir/scalar.js";
import { forEachScalar } from "../ir/traverse.js";

/** Sums of more terms than this are taken in groups; fewer do not make up for the code. */
const LONG = 2048;
/** Terms of one group at most. */
const GROUP = 512;
/** A group ends before an axis if it cannot hold at least this many elements of it. */
const FEW = 16;

/** How axes are walked in groups. */
export interface SumGroups {
  /**
   * Axes of each group, outermost first: the totals of one are the terms of the group before it.
   */
  readonly groups: readonly (readonly Axis[])[];
  /** What axes that were split are, by the axes they were split into. */
  readonly places: ReadonlyMap<string, Index>;
  /** False beyond the end of an axis that does not come out even. */
  readonly when: Scalar | undefined;
}

/**
 * Returns groups for a sum over axes of fixed extents, with `each` terms for each of their
 * elements; undefined for short sums.
 *
 * @param lanes how many such sums are added to one that is longer
 */
export function sumGroups(axes: readonly Axis[], each = 1, lanes = 1): SumGroups | undefined {
  const extents = axes.map(({ extent }) => fixedValue(extent));
  const total = extents.reduce<number>((count, extent) => count * (extent ?? 0), each);
  if (total * lanes <= LONG || (lanes > 1 && total <= GROUP)) return undefined;
  const groups: Axis[][] = [[]];
  const places = new Map<string, Index>();
  let when: Scalar | undefined;
  let inside = each;
  for (let at = axes.length - 1; at >= 0; at--) {
    const [one, extent] = [axes[at]!, extents[at]!];
    let [rest, step, place] = [extent, 1, constant(0)];
    const take = (count: number): void => {
      const part = step === 1 && count === extent ? one : axis(`${one.name}_${step}`, constant(count));
      groups[0]!.unshift(part);
      place = add(place, scale(atom(part), step));
      step *= count;
    };
    while (inside * rest > GROUP) {
      const room = Math.floor(GROUP / inside);
      if (room >= FEW) {
        const size = groupSize(rest, room);
        take(size);
        rest = Math.ceil(rest / size);
      }
      groups.unshift([]);
      inside = 1;
    }
    take(rest);
    inside *= rest;
    if (step === extent && rest === extent) continue;
    places.set(one.name, place);
    if (step !== extent) when = andBelow(when, place, extent);
  }
  return { groups, places, when };
}
const andBelow = (when: Scalar | undefined, place: Index, extent: number): Scalar => {
  const isBelow = apply("lt", indexScalar(place), constantScalar(extent, "int64"));
  return when === undefined ? isBelow : both(when, isBelow);
};

/**
 * Returns the elements of one group: a divisor of the extent, a multiple of four if possible; else
 * the length that makes the levels alike, so that little is left over.
 */
function groupSize(extent: number, most: number): number {
  for (const unit of [4, 1])
    for (let size = most - (most % unit); size >= Math.max(most / 8, 2); size -= unit)
      if (extent % size === 0) return size;
  const levels = Math.ceil(Math.log(extent) / Math.log(most));
  return Math.min(most, Math.ceil(extent ** (1 / levels) / 4) * 4);
}

/**
 * Returns the value with its long sums of floats in groups, for fixed sizes. Shared parts stay
 * shared.
 *
 * @param untouched parts that stay the objects that they are
 * @param lanes how many such values are added to one
 */
export function withSumGroups(value: Scalar, untouched: readonly Scalar[] = [], lanes = 1): Scalar {
  const known = new Map<string, SumGroups | undefined>();
  const groupsOf = ({ reduce, dtype, axes }: ReduceScalar): SumGroups | undefined => {
    if (reduce !== "sum" || !isFloatDType(dtype)) return undefined;
    const key = axes.map(({ name, extent }) => `${name} < ${extent.text}`).join();
    if (!known.has(key)) known.set(key, sumGroups(axes, 1, lanes));
    return known.get(key);
  };
  let hasLong = false;
  forEachScalar(value, (scalar) => {
    hasLong ||= scalar.kind === "reduce" && groupsOf(scalar) !== undefined;
  });
  if (!hasLong) return value;
  const reduce = (scalar: ReduceScalar): Scalar => {
    const found = groupsOf(scalar);
    return found === undefined ? scalar : nested(scalar, found);
  };
  const scalars = new Map(untouched.map((part) => [part, part]));
  return new Rewriter({ ownAxes: (scalar) => groupsOf(scalar)?.places, reduce, scalars }).scalar(value);
}

function nested(scalar: ReduceScalar, { groups, when: isInside }: SumGroups): Scalar {
  const when = isInside && scalar.when ? both(isInside, scalar.when) : (isInside ?? scalar.when);
  return [...groups].reverse().reduce<Scalar>(
    (body, axes, level) => ({
      ...scalar,
      axes,
      body,
      when: level === 0 ? when : undefined,
      initial: level === groups.length - 1 ? scalar.initial : undefined,
    }),
    scalar.body,
  );
}
