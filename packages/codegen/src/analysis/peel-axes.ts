/**
 * @file Loads that are inside of their buffers for all sizes, because each axis whose extent is a
 * size runs over a separate dimension: `axis * step` with a limit of `extent * step`.
 */
import {
  type Axis,
  atom,
  constant,
  fixedValue,
  forEachAtom,
  type Index,
  type IndexTerm,
  multiply,
  product,
  subtract,
} from "../ir/index-expr.js";
import { IndexRanges } from "../ir/index-range.js";
import { NO_SIZES } from "../ir/known-sizes.js";
import type { GuardedLoad } from "./guarded-loads.js";
import { isLoadInside } from "./load-inside.js";

/** No size is known. */
const STATIC = new IndexRanges(NO_SIZES);

/**
 * Returns whether a load is inside for all sizes, where that shows when the outer dimensions are
 * taken off one by one, and what is left has no symbols.
 */
export function isInsideForAllSizes(load: GuardedLoad, limit: Index): boolean {
  let [rest, below] = [load.index, limit];
  let { guards, axes } = load;
  for (let found = outerTerm(rest, below); found !== undefined; found = outerTerm(rest, below)) {
    const { axis, step, whole } = found;
    rest = subtract(rest, whole);
    below = step;
    const isOther = (index: Index): boolean => !mentions(index, axis.name);
    guards = guards.filter(isOther);
    axes = axes.filter(({ name }) => name !== axis.name);
    if (!isOther(rest)) return false;
  }
  const most = fixedValue(below);
  // Guards on sizes are left out: without them more places are reached.
  const own = {
    ...load,
    index: rest,
    guards: guards.filter(isFree),
    axes: axes.filter(({ extent }) => isFree(extent)),
  };
  return most !== undefined && isFree(rest) && isLoadInside(own, most, STATIC);
}

/**
 * Returns the term of the outermost dimension: the limit is the product of its step and its extent.
 */
function outerTerm(
  { terms }: Index,
  limit: Index,
): { readonly axis: Axis; readonly step: Index; readonly whole: Index } | undefined {
  if (fixedValue(limit) !== undefined) return undefined;
  for (const term of terms) {
    const axis = onlyAxis(term);
    if (axis === undefined) continue;
    const sizes = term.atoms.filter((item) => item !== axis).map(atom);
    const step = product([constant(term.coefficient), ...sizes]);
    if (multiply(step, axis.extent).text !== limit.text) continue;
    return { axis, step, whole: multiply(step, atom(axis)) };
  }
  return undefined;
}

function onlyAxis({ atoms }: IndexTerm): Axis | undefined {
  const axes = atoms.filter((item) => item.kind === "axis");
  return axes.length === 1 && atoms.every(({ kind }) => kind === "axis" || kind === "size")
    ? axes[0]
    : undefined;
}

function mentions(index: Index, name: string): boolean {
  let found = false;
  forEachAtom(index, (item) => {
    found ||= item.kind === "axis" && item.name === name;
  });
  return found;
}
/** Returns whether an index has no sizes of a run, those of its axes included. */
function isFree(index: Index): boolean {
  let free = true;
  forEachAtom(index, (item) => {
    if (item.kind === "size") free = false;
    if (item.kind === "axis" && fixedValue(item.extent) === undefined) free = false;
    if (item.kind === "value" && fixedValue(item.bound) === undefined) free = false;
  });
  return free;
}
