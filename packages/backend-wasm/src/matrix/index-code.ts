/** @file Code for places in memory. */

import {
  type Axis,
  atom,
  boundsOf,
  constant,
  fixedValue,
  type Index,
  type IndexAtom,
  multiply,
} from "@sconce/codegen";
import { internalError } from "@sconce/errors";
import type { FunctionBuilder, Local } from "@sconce/wasm";

/** An address or a count. */
export type Address = Local<"i32">;
/** So many addresses. */
type Addresses<N extends number, T extends readonly Address[] = readonly []> = T["length"] extends N
  ? T
  : Addresses<N, readonly [...T, Address]>;
/** Adds locals for addresses. */
export const addresses = <N extends number>(f: FunctionBuilder, count: N): Addresses<N> =>
  f.locals("i32", count) as readonly Address[] as Addresses<N>;
/** The place along each axis, and the sizes that are known when a kernel runs, by their texts. */
export type Places = ReadonlyMap<string, Address>;

/** Whether an index is of axes and sizes, and of divisions that never see a negative number. */
export function isEmittable(index: Index): boolean {
  return index.terms.every(({ atoms }) =>
    atoms.every((item) => {
      if (item.kind === "axis" || item.kind === "size") return true;
      if (item.kind === "value") return false;
      const { min } = boundsOf(item.numerator);
      // No size is zero when such code runs.
      const isPositive = min !== undefined && min >= 0 && (fixedValue(item.denominator) ?? 1) > 0;
      return isPositive && isEmittable(item.numerator) && isEmittable(item.denominator);
    }),
  );
}

/** Pushes the value of an index. */
export function pushIndex(f: FunctionBuilder, index: Index, places: Places): void {
  let isFirst = true;
  for (const { coefficient, atoms } of index.terms) {
    atoms.forEach((item, i) => {
      pushAtom(f, item, places);
      if (i > 0) f.op("i32.mul");
    });
    if (coefficient !== 1) f.i32(coefficient).op("i32.mul");
    if (!isFirst) f.op("i32.add");
    isFirst = false;
  }
  if (isFirst) f.i32(index.constant);
  else if (index.constant !== 0) f.i32(index.constant).op("i32.add");
}

function pushAtom(f: FunctionBuilder, item: IndexAtom, places: Places): void {
  if (item.kind === "axis") {
    const place = places.get(item.name);
    if (place !== undefined) f.get(place);
    else if (fixedValue(item.extent) === 1) f.i32(0);
    else throw internalError(`the axis ${item.name} has no place`);
    return;
  }
  if (item.kind === "size") {
    f.get(places.get(atom(item).text)!);
    return;
  }
  if (item.kind === "value") throw internalError("an index of a product has values");
  pushIndex(f, item.numerator, places);
  pushIndex(f, item.denominator, places);
  f.op(item.kind === "quotient" ? "i32.div_u" : "i32.rem_u");
}

const NONE: Places = new Map();
/** Sets the place along each axis for the flat place over all of them. */
export function unflatten(
  f: FunctionBuilder,
  flat: Address,
  axes: readonly Axis[],
  { locals = NONE, sizes = NONE }: { readonly locals?: Places; readonly sizes?: Places } = {},
): Places {
  const places = new Map(sizes);
  let below = constant(1);
  const isOne = ({ extent }: Axis): boolean => fixedValue(extent) === 1;
  for (const [d, one] of [...axes.entries()].reverse()) {
    if (isOne(one)) continue;
    const place = locals.get(one.name) ?? f.local("i32");
    const isOutermost = axes.slice(0, d).every(isOne);
    f.get(flat);
    if (fixedValue(below) !== 1) {
      pushIndex(f, below, sizes);
      f.op("i32.div_u");
    }
    if (!isOutermost) {
      pushIndex(f, one.extent, sizes);
      f.op("i32.rem_u");
    }
    f.set(place);
    places.set(one.name, place);
    below = multiply(below, one.extent);
  }
  return places;
}

/** Runs a body while a counter is below an end; it has at least one round. */
export function countUp(
  f: FunctionBuilder,
  counter: Address,
  step: number,
  end: Address | number,
  body: () => void,
): void {
  f.loop((again) => {
    body();
    f.get(counter).i32(step).op("i32.add").tee(counter);
    if (typeof end === "number") f.i32(end);
    else f.get(end);
    f.op("i32.lt_s").brIf(again);
  });
}

/**
 * Runs a body for so many places at a time, of which there are at least as many. The last ones
 * overlap those before them.
 */
export function inGroups(
  f: FunctionBuilder,
  place: Address,
  { together, count }: { readonly together: number; readonly count: number },
  body: () => void,
): void {
  const last = count - together;
  f.loop((again) => {
    body();
    f.get(place).i32(last).op("i32.lt_s");
    f.if(() => {
      f.get(place).i32(together).op("i32.add").tee(place).i32(last).get(place).i32(last);
      f.op("i32.lt_s", "select").set(place).br(again);
    });
  });
}
