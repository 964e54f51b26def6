/**
 * @file The expression of one element of a tensor: a tree of loads, constants, indices and
 * reductions. Trees are immutable. Emitters compute a subtree that is the same object in two places
 * once.
 */
import type { DType } from "@sconce/tensor";
import type { Axis, Index } from "./index-expr.js";

/** Functions that only floats have. */
export const FLOAT_UNARY = [
  "reciprocal",
  "sqrt",
  "rsqrt",
  "exp",
  "exp2",
  "expm1",
  "log",
  "log2",
  "log10",
  "log1p",
  "sin",
  "cos",
  "tan",
  "asin",
  "acos",
  "atan",
  "sinh",
  "cosh",
  "tanh",
  "asinh",
  "acosh",
  "atanh",
  "erf",
  "sigmoid",
] as const;
/**
 * Functions of one value. Integers wrap as their dtype does; NaN goes in and comes out, but `sign`
 * makes 0 of it.
 */
export const UNARY = [
  "neg",
  "abs",
  "sign",
  "floor",
  "ceil",
  "round",
  "trunc",
  ...FLOAT_UNARY,
  "not",
  "bitwise_not",
  "isnan",
  "isinf",
] as const;
/**
 * Functions of two values of one dtype. `div` is true division of floats, `floor_div` and
 * `remainder` follow Python's signs, `trunc_div` and `fmod` C's; `max` and `min` give NaN when
 * either is NaN, as PyTorch's `maximum` does.
 */
export const BINARY = [
  "add",
  "sub",
  "mul",
  "div",
  "floor_div",
  "trunc_div",
  "remainder",
  "fmod",
  "max",
  "min",
  "pow",
  "atan2",
  "and",
  "or",
  "xor",
  "bitwise_and",
  "bitwise_or",
  "bitwise_xor",
  "shift_left",
  "shift_right",
] as const;
/** Comparisons: two values of one dtype, a bool. */
export const COMPARE = ["eq", "ne", "lt", "le", "gt", "ge"] as const;

export type UnaryFn = (typeof UNARY)[number];
export type BinaryFn = (typeof BINARY)[number];
export type CompareFn = (typeof COMPARE)[number];
export type ScalarFn = UnaryFn | BinaryFn | CompareFn;

/** A value that is known. */
export interface ConstantScalar {
  readonly kind: "constant";
  readonly dtype: DType;
  /** A bool is a boolean, an int64 beyond 2^53 a bigint. */
  readonly value: number | bigint | boolean;
}
/** An index as a value, of int64. */
export interface IndexScalar {
  readonly kind: "index";
  readonly dtype: DType;
  readonly index: Index;
}
/**
 * A size or other number of the program that is known when it runs (a SymFloat), by the name of its
 * node.
 */
export interface LoadScalar {
  readonly kind: "load";
  readonly dtype: DType;
  /** Position in {@link LoopProgram.buffers}. */
  readonly buffer: number;
  /** Row-major place, within the buffer whenever the load is reached. */
  readonly index: Index;
}
export interface CallScalar {
  readonly kind: "call";
  readonly dtype: DType;
  readonly fn: ScalarFn;
  readonly args: readonly Scalar[];
}
/** Conversion as PyTorch's `to`: floats to integers towards zero, anything to bool by `!= 0`. */
export interface CastScalar {
  readonly kind: "cast";
  readonly dtype: DType;
  readonly value: Scalar;
}
/** One of two values. What is not chosen is not read: loads in it may be out of bounds. */
export interface SelectScalar {
  readonly kind: "select";
  readonly dtype: DType;
  readonly condition: Scalar;
  readonly then: Scalar;
  readonly otherwise: Scalar;
}
/**
 * How values along axes become one. `argmax` and `argmin` give the row-major place over the axes,
 * int64, the first of equals, NaN before all; `max` and `min` give NaN when there is one; `last`
 * keeps the last value that is taken.
 */
export type ReduceKind = "sum" | "prod" | "max" | "min" | "any" | "all" | "argmax" | "argmin" | "last";
/** A reduction over axes of its own. */
export interface ReduceScalar {
  readonly kind: "reduce";
  readonly dtype: DType;
  readonly reduce: ReduceKind;
  readonly axes: readonly Axis[];
  readonly body: Scalar;
  /** Elements for which it is false are left out. */
  readonly when?: Scalar | undefined;
  /** What it starts from, in place of the kind's identity; `last` always has one. */
  readonly initial?: Scalar | undefined;
}
export type Scalar =
  | ConstantScalar
  | IndexScalar
  | LoadScalar
  | CallScalar
  | CastScalar
  | SelectScalar
  | ReduceScalar;

export const constantScalar = (value: number | bigint | boolean, dtype: DType): ConstantScalar => ({
  kind: "constant",
  dtype,
  value,
});
export const indexScalar = (index: Index): IndexScalar => ({ kind: "index", dtype: "int64", index });
export const load = (buffer: number, index: Index, dtype: DType): LoadScalar => ({
  kind: "load",
  dtype,
  buffer,
  index,
});
/** A call; its dtype is the first argument's unless given. */
export const call = (fn: ScalarFn, args: readonly Scalar[], dtype: DType = args[0]!.dtype): CallScalar => ({
  kind: "call",
  dtype,
  fn,
  args,
});
const COMPARISONS: ReadonlySet<string> = new Set([...COMPARE, "isnan", "isinf", "and", "or", "xor", "not"]);
/** A call whose dtype follows from the function: comparisons and logic give bools. */
export const apply = (fn: ScalarFn, ...args: readonly Scalar[]): CallScalar =>
  call(fn, args, COMPARISONS.has(fn) ? "bool" : args[0]!.dtype);
/** A conversion; the value itself when it has the dtype. */
export const cast = (value: Scalar, dtype: DType): Scalar => {
  if (value.dtype === dtype) return value;
  return { kind: "cast", dtype, value };
};
export const select = (condition: Scalar, then: Scalar, otherwise: Scalar): Scalar => {
  if (condition.kind === "constant") return condition.value ? then : otherwise;
  return { kind: "select", dtype: then.dtype, condition, then, otherwise };
};
export const TRUE = constantScalar(true, "bool");
export const FALSE = constantScalar(false, "bool");

/** `true` when both hold; constants fold. */
export function both(a: Scalar, b: Scalar): Scalar {
  if (a.kind === "constant") return a.value ? b : a;
  if (b.kind === "constant") return b.value ? a : b;
  return apply("and", a, b);
}

/** The direct parts of a scalar, in order. Indices that tensors hold are not among them. */
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
