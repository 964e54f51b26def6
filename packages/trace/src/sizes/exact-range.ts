import type { RangeConstraint } from "@sconce/ir";
import { MAX_SIZE, type ValueRange } from "@sconce/symbolic";

/**
 * Returns a range. If its upper bound is the largest size, `exact` has it: a number cannot hold it.
 */
export const exactRange = (range: ValueRange): RangeConstraint =>
  range.max === MAX_SIZE ? { ...range, exact: { min: null, max: 2n ** 63n - 2n } } : range;
