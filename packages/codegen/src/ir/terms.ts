/**
 * @file What loop nests compute with: indices, and scalars as values of elements. They hold each
 * other: a load has an index, and an index may be read from a tensor.
 */
import type { IntLike } from "@sconce/symbolic";
import type { DType } from "@sconce/tensor";
import type { ScalarFn } from "./scalar-functions.js";

/** A loop variable that runs over `0 <= axis < extent`. */
export interface Axis {
  readonly kind: "axis";
  /** Unique in its nest. */
  readonly name: string;
  /** The number of values; the axis stays below it. */
  readonly extent: Index;
}
/** A size known when the program runs: a symbol of the program or an expression over symbols. */
interface SizeAtom {
  readonly kind: "size";
  readonly expr: Exclude<IntLike, number>;
}
/** `floor(numerator / denominator)`; the denominator is positive. */
interface QuotientAtom {
  readonly kind: "quotient";
  readonly numerator: Index;
  readonly denominator: Index;
}
/** The remainder of floor division, `0 <= remainder < denominator`. */
interface RemainderAtom {
  readonly kind: "remainder";
  readonly numerator: Index;
  readonly denominator: Index;
}
/** An index that a tensor holds; a lowering keeps it in `0 <= value < bound`. */
interface ValueAtom {
  readonly kind: "value";
  readonly scalar: Scalar;
  readonly key: string;
  readonly bound: Index;
}
/** What an index is made of besides numbers. */
export type IndexAtom = Axis | SizeAtom | QuotientAtom | RemainderAtom | ValueAtom;

/** `coefficient * atom * atom * ...`, atoms sorted by their text. */
export interface IndexTerm {
  /** The integer that the atoms are multiplied by. */
  readonly coefficient: number;
  /** The factors. */
  readonly atoms: readonly IndexAtom[];
}
/** The sum of the terms and the constant. */
export interface Index {
  /** The terms, sorted by their text. */
  readonly terms: readonly IndexTerm[];
  /** What is added to the terms. */
  readonly constant: number;
  /** The normal form as text: two indices are equal exactly when their texts are. */
  readonly text: string;
}

/** A value that is known. */
export interface ConstantScalar {
  readonly kind: "constant";
  readonly dtype: DType;
  /** A bool is a boolean, an int64 beyond 2^53 a bigint. */
  readonly value: number | bigint | boolean;
}
/** An index as a value. */
export interface IndexScalar {
  readonly kind: "index";
  readonly dtype: DType;
  readonly index: Index;
}
/** An element of a buffer. */
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
/** Conversion as PyTorch's `to`: floats to integers toward zero, anything to bool by `!= 0`. */
interface CastScalar {
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
/** A reduction over its own axes. */
export interface ReduceScalar {
  readonly kind: "reduce";
  /** The dtype of the result. */
  readonly dtype: DType;
  /** How values become one. */
  readonly reduce: ReduceKind;
  /** The axes that are reduced, outermost first. */
  readonly axes: readonly Axis[];
  /** The value at each place of the axes. */
  readonly body: Scalar;
  /** Elements for which it is false are left out. */
  readonly when?: Scalar | undefined;
  /** What it starts from, in place of the kind's identity; `last` always has one. */
  readonly initial?: Scalar | undefined;
}
/** The value of one element. */
export type Scalar =
  | ConstantScalar
  | IndexScalar
  | LoadScalar
  | CallScalar
  | CastScalar
  | SelectScalar
  | ReduceScalar;
