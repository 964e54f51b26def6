/**
 * @file The expression of one element of a tensor: a tree of loads, constants, indices and
 * reductions. Trees are immutable. Emitters compute a subtree that is the same object in two places
 * once.
 */
import { internalError } from "@sconce/errors";
import { type DType, isComplexDType } from "@sconce/tensor";
import { complexCall, complexCast } from "./complex.js";
import { heldNumber } from "./held-number.js";
import { COMPARE, type ScalarFn } from "./scalar-functions.js";
import type { CallScalar, ConstantScalar, Index, IndexScalar, LoadScalar, Scalar } from "./terms.js";

export * from "./complex.js";
export * from "./scalar-functions.js";
export type * from "./terms.js";

/** Returns a known value as a scalar; a half is rounded to its dtype. */
export const constantScalar = (value: number | bigint | boolean, dtype: DType): ConstantScalar => ({
  kind: "constant",
  dtype,
  value: heldNumber(value, dtype),
});
/** Returns an index as a value of int64. */
export const indexScalar = (index: Index): IndexScalar => ({ kind: "index", dtype: "int64", index });
/** Returns the index or whole number that a scalar is. */
export const placeOf = (scalar: Scalar): Index | number | undefined => {
  if (scalar.kind === "index") return scalar.index;
  const value = scalar.kind === "constant" && scalar.dtype === "int64" ? Number(scalar.value) : undefined;
  // A number that is not exact would wrap as an index.
  return Number.isSafeInteger(value) ? value : undefined;
};
export const load = (buffer: number, index: Index, dtype: DType): LoadScalar => ({
  kind: "load",
  dtype,
  buffer,
  index,
});
/** Returns a call; its dtype is the first argument's unless given. */
const call = (fn: ScalarFn, args: readonly Scalar[], dtype: DType = args[0]!.dtype): CallScalar => ({
  kind: "call",
  dtype,
  fn,
  args,
});
const COMPARISONS: ReadonlySet<string> = new Set([...COMPARE, "isnan", "isinf", "and", "or", "xor", "not"]);
/** Returns whether a function gives a truth value rather than a number that is 0 or 1. */
export const isLogic = (fn: string): boolean => COMPARISONS.has(fn);
/** Returns a call whose dtype follows from the function: comparisons and logic give bools. */
export function apply(fn: ScalarFn, ...args: readonly Scalar[]): Scalar {
  if (args.some(({ dtype }) => isComplexDType(dtype)))
    return complexCall(fn, args) ?? failed(`complex numbers have no ${fn}`);
  return call(fn, args, COMPARISONS.has(fn) ? "bool" : args[0]!.dtype);
}
const failed = (problem: string): never => {
  throw internalError(problem);
};
/** Returns a conversion; the value itself when it has the dtype. */
export const cast = (value: Scalar, dtype: DType): Scalar => {
  if (value.dtype === dtype) return value;
  if (isComplexDType(value.dtype) || isComplexDType(dtype)) return complexCast(value, dtype, cast);
  return { kind: "cast", dtype, value };
};
/** Returns one of two values; what is not chosen is not read. */
export const select = (condition: Scalar, then: Scalar, otherwise: Scalar): Scalar => {
  if (condition.kind === "constant") return condition.value ? then : otherwise;
  return { kind: "select", dtype: then.dtype, condition, then, otherwise };
};
/** The bool that is true. */
export const TRUE = constantScalar(true, "bool");
/** The bool that is false. */
export const FALSE = constantScalar(false, "bool");

/** `true` when both hold; constants fold. */
export function both(a: Scalar, b: Scalar): Scalar {
  if (a.kind === "constant") return a.value ? b : a;
  if (b.kind === "constant") return b.value ? a : b;
  return apply("and", a, b);
}

/** Returns the direct parts of a scalar, in order. Indices that tensors hold are not among them. */
export function partsOf(scalar: Scalar): readonly Scalar[] {
  switch (scalar.kind) {
    case "constant":
    case "index":
    case "load":
      return [];
    case "call":
      return scalar.args;
    case "cast":
      return [scalar.value];
    case "select":
      return [scalar.condition, scalar.then, scalar.otherwise];
    case "reduce":
      return [scalar.body, scalar.when, scalar.initial].filter((part) => part !== undefined);
  }
}
