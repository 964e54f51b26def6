/**
 * @file Axes in parts, so that elements along them lie side by side: an axis that is divided
 * becomes two, and one that conditions look at becomes ranges in which each condition is known.
 */
import { substituteAxes } from "../ir/bind.js";
import { extentOf } from "../ir/extents.js";
import { add, atom, axis, constant, fixedValue, type Index, scale, subtract } from "../ir/index-expr.js";
import { type CompareFn, placeOf } from "../ir/scalar.js";
import { COMPARE } from "../ir/scalar-functions.js";
import type { Axis, Scalar } from "../ir/terms.js";
import { forEachScalar } from "../ir/traverse.js";
import { allIndices, type JoinedAxes } from "./thread-axes.js";

/** Elements side by side for which a loop of their own pays. */
const SHORTEST = 16;
/** Ranges of an axis at most: each has its own code. */
const MOST_RANGES = 4;

/** Axes of fixed extents, those that every index divides by one number in two. */
export function dividedAxes({ axes, value }: JoinedAxes): JoinedAxes {
  for (const [at, one] of axes.entries()) {
    const divisor = divisorOf(one, value);
    if (divisor === undefined || (at === axes.length - 1 && divisor < SHORTEST)) continue;
    const outer = axis(`${one.name}q`, constant(extentOf(one) / divisor));
    const inner = axis(`${one.name}r`, constant(divisor));
    const whole = add(scale(atom(outer), divisor), atom(inner));
    return dividedAxes({
      axes: axes.toSpliced(at, 1, outer, inner),
      value: substituteAxes(value, new Map([[one.name, whole]])),
    });
  }
  return { axes, value };
}
/** Returns what an axis by itself is divided by: a factor of its extent. */
function divisorOf(one: Axis, value: Scalar): number | undefined {
  for (const { terms } of allIndices(value))
    for (const { atoms } of terms)
      for (const item of atoms) {
        if (item.kind !== "quotient" && item.kind !== "remainder") continue;
        const by = fixedValue(item.denominator);
        const isOwn = item.numerator.text === one.name;
        if (isOwn && by !== undefined && by < extentOf(one) && extentOf(one) % by === 0) return by;
      }
  return undefined;
}

/** A range of an axis: its own axis, from zero, and what the nest's becomes. */
export interface AxisRange {
  readonly axis: Axis;
  readonly place: Index;
  readonly value: Scalar;
}
/** Returns the ranges of an axis in which conditions on it are known; one where there are none. */
export function rangesOf(one: Axis, value: Scalar): readonly AxisRange[] {
  const extent = extentOf(one);
  const ends = new Set<number>();
  forEachScalar(value, (scalar) => {
    if (scalar.kind === "call" && COMPARISONS.has(scalar.fn))
      for (const end of endsOf(one, scalar)) ends.add(end);
  });
  const inside = [...ends].filter((end) => end > 0 && end < extent).sort((a, b) => a - b);
  if (inside.length === 0 || inside.length >= MOST_RANGES) return [{ axis: one, place: atom(one), value }];
  return [0, ...inside].map((start, at) => {
    const own = axis(`${one.name}p${at}`, constant((inside[at] ?? extent) - start));
    const place = add(atom(own), constant(start));
    return { axis: own, place, value: substituteAxes(value, new Map([[one.name, place]])) };
  });
}
const COMPARISONS: ReadonlySet<string> = new Set(COMPARE);

/** Where along an axis a comparison of it with a number changes. */
function endsOf(one: Axis, { fn, args }: Extract<Scalar, { kind: "call" }>): readonly number[] {
  const [left, right] = args.map(indexOf);
  if (left === undefined || right === undefined) return [];
  const { terms, constant: rest } = subtract(left, right);
  const [only] = terms;
  const isOwn = terms.length === 1 && only!.atoms.length === 1 && only!.atoms[0]!.kind === "axis";
  if (!isOwn || (only!.atoms[0] as Axis).name !== one.name || Math.abs(only!.coefficient) !== 1) return [];
  // The place at which both sides are equal, and where the comparison differs from that before.
  const equal = -rest * only!.coefficient;
  const isRising = only!.coefficient > 0;
  switch (fn as CompareFn) {
    case "lt":
    case "ge":
      return [isRising ? equal : equal + 1];
    case "le":
    case "gt":
      return [isRising ? equal + 1 : equal];
    default:
      return [equal, equal + 1];
  }
}
/** Returns a known place, or one along axes. */
function indexOf(scalar: Scalar): Index | undefined {
  const place = placeOf(scalar);
  return typeof place === "number" ? constant(place) : place;
}
