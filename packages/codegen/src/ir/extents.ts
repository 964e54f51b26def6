/** @file How many values axes have. */
import { internalError } from "@sconce/errors";
import { type Axis, fixedValue, type Index, product } from "./index-expr.js";

export const extentsOf = (axes: readonly Axis[]): Index[] => axes.map(({ extent }) => extent);
/** Returns the number of values of an axis with a bound extent. */
export function extentOf({ name, extent }: Axis): number {
  const value = fixedValue(extent);
  if (value === undefined) throw internalError(`the extent of ${name} is not bound`);
  return value;
}
/** Elements that axes run over. */
export const elementsOf = (axes: readonly Axis[]): Index => product(extentsOf(axes));
/** Elements that axes of bound extents run over. */
export const volumeOf = (axes: readonly Axis[]): number =>
  axes.reduce((product, axis) => product * extentOf(axis), 1);
