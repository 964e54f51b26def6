/**
 * @file Recognizes windows that reach over the edge of a tensor. Products read a copy with zeros
 * around it, so that each element has an address and none is asked for.
 */
import { add, atom, boundsOf, constant, fixedValue, type Index, type Scalar, scale } from "@sconce/codegen";
import { type Guard, guardsOf, linear } from "./image.js";

/** One dimension of a padded copy. */
interface PaddedDim {
  /** Elements of the copy along the dimension. */
  readonly size: number;
  /** The first element of the copy that is in the tensor, and their count. */
  readonly first: number;
  readonly count: number;
  /** Elements from one to the next, in the tensor. */
  readonly step: number;
}
/** A copy of a part of a tensor, with zeros around it. */
export interface Padding {
  /** Dimensions, outermost first; elements of the copy lie in row-major order. */
  readonly dims: readonly PaddedDim[];
  /** Elements of the copy. */
  readonly length: number;
  /** Where the copied part starts in the tensor, by the outer axes. */
  readonly from: Index;
  /** The place in the copy, in place of that in the tensor. */
  readonly index: Index;
}

interface Dim extends PaddedDim {
  /** The coordinate in the copy. */
  readonly place: Index;
  /** The coordinate in the tensor of the first element that is copied. */
  readonly start: number;
}

/**
 * Returns the padded copy for a load under a condition; undefined if the condition is not that
 * coordinates lie in the tensor.
 *
 * @param outer axes that are fixed while a copy is used
 */
export function paddingOf(load: Index, when: Scalar, outer: ReadonlySet<string>): Padding | undefined {
  const guards = guardsOf(when);
  if (guards === undefined || linear(load) === undefined) return undefined;
  const dims: Dim[] = [];
  let rest = load;
  for (const guard of guards) {
    const step = stepOf(guard.index, load);
    const dim = step === undefined ? undefined : guardedDim(guard, step);
    if (dim === undefined) return undefined;
    rest = add(rest, scale(guard.index, -dim.step));
    dims.push(dim);
  }
  const guarded = new Set(guards.flatMap(({ index }) => [...(linear(index)?.keys() ?? [])]));
  let from = constant(rest.constant);
  for (const { axis, coefficient } of linear(rest)?.values() ?? []) {
    const extent = fixedValue(axis.extent);
    if (guarded.has(axis.name)) return undefined;
    if (outer.has(axis.name)) {
      from = add(from, scale(atom(axis), coefficient));
      continue;
    }
    if (extent === undefined) return undefined;
    const whole = { size: extent, first: 0, count: extent, step: Math.abs(coefficient), start: 0 };
    if (coefficient >= 0) dims.push({ ...whole, place: atom(axis) });
    else {
      // From the last place to the first one.
      from = add(from, constant(coefficient * (extent - 1)));
      dims.push({ ...whole, place: add(constant(extent - 1), scale(atom(axis), -1)) });
    }
  }
  return laidOut(dims, from);
}

/** Elements from one value of a coordinate to the next. */
function stepOf(index: Index, load: Index): number | undefined {
  const [ofIndex, ofLoad] = [linear(index), linear(load)];
  for (const [name, { coefficient }] of ofIndex ?? []) {
    const step = (ofLoad?.get(name)?.coefficient ?? 0) / coefficient;
    return Number.isInteger(step) && step > 0 ? step : undefined;
  }
  return undefined;
}

function guardedDim({ index, low, limit }: Guard, step: number): Dim | undefined {
  const { min, max } = boundsOf(index);
  if (min === undefined || max === undefined || linear(index) === undefined) return undefined;
  if (min < 0 && !low) return undefined;
  const start = Math.max(0, min);
  const end = Math.min(limit ?? max + 1, max + 1);
  return {
    size: max - min + 1,
    first: start - min,
    count: Math.max(0, end - start),
    step,
    place: add(index, constant(-min)),
    start,
  };
}

/** Dimensions of large steps come first, so that rows of the copy are rows of the tensor. */
function laidOut(dims: Dim[], from: Index): Padding {
  dims.sort((a, b) => b.step - a.step);
  let index = constant(0);
  let length = 1;
  for (const { place, size } of [...dims].reverse()) {
    index = add(index, scale(place, length));
    length *= size;
  }
  const start = dims.reduce((sum, dim) => sum + dim.step * dim.start, 0);
  return { dims, length, from: add(from, constant(start)), index };
}
