/** @file The operators on sizes in recorded cases, by Python's names. */
import { type Size, sym } from "@sconce/capture";

/** What each operator makes of two sizes. */
export const SIZE_OPERATORS: Readonly<Record<string, (a: Size, b: Size) => Size>> = {
  "+": sym.add,
  "-": sym.sub,
  "*": sym.mul,
  "//": sym.floorDiv,
  "%": sym.mod,
  max: sym.max,
  min: sym.min,
};
