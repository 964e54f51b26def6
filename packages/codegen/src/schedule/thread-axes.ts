/**
 * @file Maps the elements of a nest to the at most three coordinates of a grid of threads, with few
 * divisions.
 */

import { substituteAxes } from "../ir/bind.js";
import { extentOf } from "../ir/extents.js";
import {
  add,
  atom,
  axis,
  constant,
  divide,
  fixedValue,
  type Index,
  multiply,
  product,
  remainder,
  same,
  scale,
  ZERO,
} from "../ir/index-expr.js";
import type { LoopNest } from "../ir/loop-program.js";
import type { Axis, Scalar } from "../ir/terms.js";
import { forEachScalar, indicesOf } from "../ir/traverse.js";

/** A nest over at most three axes. */
export interface ThreadPlan {
  /** From the fastest: x, y, z. */
  readonly axes: readonly Axis[];
  readonly value: Scalar;
}

/**
 * Maps the axes of a nest with fixed sizes to threads. Axes of one element go away; neighbors that
 * every index takes together, as one longer axis would be taken, become one; what is left beyond
 * three is counted by one axis and divided out again, as are two of which one is longer than
 * `maxSide`.
 */
export function planThreads(nest: LoopNest, maxSide = Number.POSITIVE_INFINITY): ThreadPlan {
  let { axes, value } = joinedAxes(nest);
  if (axes.length > 3) ({ axes, value } = dividedOut(axes, value, 2));
  // Targets fold results of one and of three coordinates themselves.
  if (axes.length === 2 && axes.some((one) => extentOf(one) > maxSide))
    ({ axes, value } = dividedOut(axes, value, 0));
  return { axes: [...axes].reverse(), value };
}

/** The value of an element over fewer axes than a nest has. */
export interface JoinedAxes {
  /** Outermost first. */
  readonly axes: readonly Axis[];
  readonly value: Scalar;
}
/**
 * Returns a nest without axes of one element. Neighbors that every index takes together become one
 * axis.
 */
export function joinedAxes(nest: LoopNest): JoinedAxes {
  const whole = new Map<string, Index>();
  let axes = nest.axes.filter((one) => {
    if (fixedValue(one.extent) !== 1) return true;
    whole.set(one.name, ZERO);
    return false;
  });
  let value = whole.size === 0 ? nest.value : substituteAxes(nest.value, whole);
  for (let at = axes.length - 2; at >= 0; at--) {
    const [outer, inner] = [axes[at]!, axes[at + 1]!];
    if (!areTakenTogether(outer, inner, allIndices(value))) continue;
    const joined = axis(`${outer.name}${inner.name}`, multiply(outer.extent, inner.extent));
    value = substituteAxes(
      value,
      new Map([
        [outer.name, ZERO],
        [inner.name, atom(joined)],
      ]),
    );
    axes = [...axes.slice(0, at), joined, ...axes.slice(at + 2)];
  }
  return { axes, value };
}

/** Returns all axes but the fastest ones, which are kept, counted by one. */
function dividedOut(axes: readonly Axis[], value: Scalar, kept: number): JoinedAxes {
  const slow = axes.slice(0, axes.length - kept);
  const counter = axis(slow.map(({ name }) => name).join(""), product(slow.map(({ extent }) => extent)));
  const swaps = new Map<string, Index>();
  let step: Index = constant(1);
  for (let at = slow.length - 1; at >= 0; at--) {
    const { name, extent } = slow[at]!;
    const over = divide(atom(counter), step);
    swaps.set(name, at === 0 ? over : remainder(over, extent));
    step = multiply(step, extent);
  }
  return { axes: [counter, ...axes.slice(slow.length)], value: substituteAxes(value, swaps) };
}

/** Returns whether an outer axis only ever comes with an inner one, scaled by that one's extent. */
function areTakenTogether(outer: Axis, inner: Axis, indices: readonly Index[]): boolean {
  return indices.every(({ terms }) => {
    const steps: [Index, Index] = [ZERO, ZERO];
    for (const { coefficient, atoms } of terms) {
      const which = atoms.map((item) =>
        item.kind === "axis" ? [outer.name, inner.name].indexOf(item.name) : -1,
      );
      const at = which.findIndex((one) => one >= 0);
      if (at < 0) continue;
      const others = atoms.filter((_, d) => d !== at);
      if (others.some(({ kind }) => kind !== "size")) return false;
      const own = which[at] as 0 | 1;
      steps[own] = add(steps[own], scale(product(others.map(atom)), coefficient));
    }
    return same(steps[0], multiply(steps[1], inner.extent));
  });
}

/** Returns every index of a scalar, those inside quotients, remainders and bounds included. */
export function allIndices(root: Scalar): Index[] {
  const found = new Set<Index>();
  const walk = (index: Index): void => {
    if (found.has(index)) return;
    found.add(index);
    for (const { atoms } of index.terms)
      for (const item of atoms)
        if (item.kind === "quotient" || item.kind === "remainder") {
          walk(item.numerator);
          walk(item.denominator);
        }
  };
  forEachScalar(root, (scalar) => {
    for (const index of indicesOf(scalar)) walk(index);
    if (scalar.kind === "reduce") for (const { extent } of scalar.axes) walk(extent);
  });
  return [...found];
}
