import type { SymExpr } from "../expr/expr.js";
import type { ValueRange } from "../expr/interval.js";
import type { Solved } from "../solve/solve.js";
import { boundsOf, type RangeOf } from "./bounds.js";

/**
 * Returns the range that a relation gives the symbol it was solved for; undefined when that is not
 * tighter than the old one (`_refine_ranges`).
 */
export function refineRange({ op, rhs }: Solved, old: ValueRange, rangeOf: RangeOf): ValueRange | undefined {
  const bound = boundsOf(rhs, rangeOf);
  const isBelow = op === "Equality" || op === "GreaterThan" || op === "StrictGreaterThan";
  const isAbove = op === "Equality" || op === "LessThan" || op === "StrictLessThan";
  const min = isBelow && old.min <= bound.min ? bound.min + Number(op === "StrictGreaterThan") : old.min;
  const max = isAbove && old.max >= bound.max ? bound.max - Number(op === "StrictLessThan") : old.max;
  return min === old.min && max === old.max ? undefined : { min, max };
}

/**
 * Returns whether an expression is what sizes of inputs may be in PyTorch where guards are deferred
 * (`_is_supported_equivalence`).
 */
export function isSupportedEquivalence({ op, args }: SymExpr): boolean {
  if (op !== "Add" && op !== "Mul") return op === "Symbol";
  const rest = args.filter((arg) => arg.op !== "Integer");
  return args.length === 2 && rest.length === 1 && isSupportedEquivalence(rest[0]!);
}

/** Returns whether all values of a range are in another one. */
export const isWithin = (inner: ValueRange, outer: ValueRange): boolean =>
  inner.min >= outer.min && inner.max <= outer.max;
