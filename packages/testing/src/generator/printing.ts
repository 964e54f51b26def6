/**
 * The method by which fast-check prints values; it is registered globally, so fast-check need not
 * be there.
 */
export const toStringMethod: unique symbol = Symbol.for("fast-check/toStringMethod") as never;
