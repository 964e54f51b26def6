/** @file What a pass or rule declares about the numbers that it changes. */
import type { ToleranceOptions } from "@sconce/tensor/compare";

/**
 * Classes of input values that are sampled one by one:
 *
 * - `ordinary`: random values of moderate size.
 * - `signed-zero`: zeros, for floats of both signs.
 * - `negative`: negative values.
 * - `literals`: the numbers that the changed calls have as arguments, and those plus and minus one.
 * - `large`: magnitudes whose products of three do not overflow.
 * - `offset`: values close together and far from zero, where differences cancel.
 * - `overflow`: magnitudes near the largest finite float.
 * - `limits`: the least and the greatest integer of the dtype.
 * - `infinity`, `nan`, `subnormal`: of floats.
 */
export const VALUE_CLASSES = [
  "ordinary",
  "signed-zero",
  "negative",
  "literals",
  "large",
  "offset",
  "overflow",
  "limits",
  "infinity",
  "nan",
  "subnormal",
] as const;

/** The name of a class of values; see {@link VALUE_CLASSES}. */
export type ValueClass = (typeof VALUE_CLASSES)[number];

/** How far results may be from those before a change. */
export interface NumberChange extends ToleranceOptions {
  /** Classes of input values for which results may differ in any way. */
  readonly valueClasses?: readonly ValueClass[] | undefined;
  /**
   * Classes for which results may differ besides, by the operator of a call that is replaced. A
   * pass declares it.
   */
  readonly operators?: Readonly<Record<string, readonly ValueClass[]>> | undefined;
}
