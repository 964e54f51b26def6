/**
 * @file Folds conditions on places that always hold or never hold. Loads that they guard may be out
 * of bounds, so dead branches must go.
 */
import { boundsOf, namesPlaces } from "./index-expr.js";
import { type CallScalar, type CompareFn, FALSE, type Scalar, TRUE } from "./scalar.js";

interface Bounds {
  readonly min: number;
  readonly max: number;
}

/**
 * Returns a place or a whole number between bounds; undefined for all that is computed from
 * elements. A place that a tensor names is one: that it is inside is checked when the program runs,
 * from the very conditions that would fold.
 */
function boundsOfScalar(scalar: Scalar): Bounds | undefined {
  if (scalar.kind === "constant") {
    const value = Number(scalar.value);
    return scalar.dtype === "int64" && Number.isSafeInteger(value) ? { min: value, max: value } : undefined;
  }
  if (scalar.kind !== "index" || namesPlaces(scalar.index)) return undefined;
  const { min, max } = boundsOf(scalar.index);
  return min === undefined || max === undefined ? undefined : { min, max };
}

/** Whether a comparison always holds, by the bounds of its sides. */
const ALWAYS: Readonly<Record<CompareFn, (a: Bounds, b: Bounds) => boolean>> = {
  lt: (a, b) => a.max < b.min,
  le: (a, b) => a.max <= b.min,
  gt: (a, b) => a.min > b.max,
  ge: (a, b) => a.min >= b.max,
  eq: (a, b) => a.min === a.max && b.min === b.max && a.min === b.min,
  ne: (a, b) => a.max < b.min || a.min > b.max,
};
const OPPOSITE: Readonly<Record<CompareFn, CompareFn>> = {
  lt: "ge",
  le: "gt",
  gt: "le",
  ge: "lt",
  eq: "ne",
  ne: "eq",
};

/** Returns the call, or the constant that it always is. */
export function folded(call: CallScalar): Scalar {
  const { fn, args } = call;
  const [a, b] = args as readonly [Scalar, Scalar];
  if (fn === "and" || fn === "or") {
    const decides = fn === "or";
    for (const [one, other] of [args, [b, a]] as const)
      if (one!.kind === "constant") return Boolean(one!.value) === decides ? one! : other!;
    return call;
  }
  if (fn === "not") return a.kind === "constant" ? (a.value ? FALSE : TRUE) : call;
  if (!(fn in ALWAYS)) return call;
  const [left, right] = [boundsOfScalar(a), boundsOfScalar(b)];
  if (left === undefined || right === undefined) return call;
  if (ALWAYS[fn as CompareFn](left, right)) return TRUE;
  return ALWAYS[OPPOSITE[fn as CompareFn]](left, right) ? FALSE : call;
}
