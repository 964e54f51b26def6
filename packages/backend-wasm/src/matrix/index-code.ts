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
import { type Expression, type FunctionBuilder, i32, type Local } from "@sconce/wasm";

/** An address or a count. */
export type Address = Local<"i32">;
/** The place along each axis, and the sizes that are known when a kernel runs, by their texts. */
export type Places = ReadonlyMap<string, Address>;

/**
 * Returns whether an index is of axes and sizes, and of divisions that never see a negative number.
 */
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

/** Returns the value of an index. */
export function indexAt({ terms, constant: known }: Index, places: Places): Expression {
  const values = terms.map(({ coefficient, atoms }) =>
    atoms
      .map((item) => atomAt(item, places))
      .reduce((product, value) => product.times(value))
      .times(coefficient),
  );
  return values.reduce((sum, value) => sum.plus(value), i32(0)).plus(known);
}

function atomAt(item: IndexAtom, places: Places): Expression {
  if (item.kind === "axis") {
    const place = places.get(item.name);
    if (place !== undefined) return i32(place);
    if (fixedValue(item.extent) === 1) return i32(0);
    throw internalError(`the axis ${item.name} has no place`);
  }
  if (item.kind === "size") return i32(places.get(atom(item).text)!);
  if (item.kind === "value") throw internalError("an index of a product has values");
  const [above, below] = [indexAt(item.numerator, places), indexAt(item.denominator, places)];
  return item.kind === "quotient" ? above.over(below) : above.rest(below);
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
    const behind = i32(flat).over(indexAt(below, sizes));
    f.assign(place, isOutermost ? behind : behind.rest(indexAt(one.extent, sizes)));
    places.set(one.name, place);
    below = multiply(below, one.extent);
  }
  return places;
}
