/**
 * @file Loop programs: buffers and the nests that fill them, in order. Emitters read nothing else.
 */
import type { Reason, SymInt } from "@sconce/ir";
import type { DType } from "@sconce/tensor";
import type { Axis, Index } from "./index-expr.js";
import type { Scalar } from "./scalar.js";

/** A contiguous, row-major piece of memory. */
export interface LoopBuffer {
  /** Position in {@link LoopProgram.buffers}; `b3` in texts. */
  readonly id: number;
  readonly dtype: DType;
  readonly shape: readonly Index[];
  /** `input`: given for each run, `value`: written by a nest. */
  readonly kind: "input" | "value";
  /** The graph node whose value it holds. */
  readonly node: string;
}

/**
 * What a nest is, for emitters that have a better way for some kinds. Leaving it out of account is
 * always right.
 */
export type NestHint =
  /** A sum of products; {@link contractionOf} gives its axes. */
  | { readonly kind: "contraction" }
  /** Element `i` along the axis reduces elements up to `i`; {@link scanOf} gives its parts. */
  | { readonly kind: "scan"; readonly axis: string }
  /**
   * The place of each element in the order along the axis; {@link rankOf} gives what is ordered.
   */
  | { readonly kind: "rank"; readonly axis: string; readonly descending: boolean }
  /**
   * Element `i` along the axis looks for the place that has the rank `i`; each rank is there once.
   */
  | { readonly kind: "place"; readonly axis: string }
  /** Each element reduces those of many sources that point at it. */
  | { readonly kind: "scatter" };

/** One kernel: every element of the output is computed from `value` on its own, in any order. */
export interface LoopNest {
  readonly id: number;
  readonly output: number;
  /** One for each dimension of the output, in order. */
  readonly axes: readonly Axis[];
  readonly value: Scalar;
  /** Graph nodes that it computes, in graph order. */
  readonly nodes: readonly string[];
  readonly hint?: NestHint | undefined;
  /**
   * Nests of one group share rows (the parts of a softmax, a normalization, an attention) and may
   * become one kernel.
   */
  readonly group?: string | undefined;
}

/**
 * A result of the program: a buffer, seen with a shape of its own, or a value that no kernel makes.
 */
export type LoopOutput =
  | {
      readonly kind: "buffer";
      readonly buffer: number;
      readonly shape: readonly Index[];
      readonly node: string;
    }
  | { readonly kind: "size"; readonly value: SymInt }
  | { readonly kind: "constant"; readonly value: number | bigint | boolean | string | null };

export interface LoopProgram {
  readonly buffers: readonly LoopBuffer[];
  readonly nests: readonly LoopNest[];
  /**
   * For each placeholder, in order: the buffer that it fills, or `undefined` for one that holds no
   * tensor or is unused.
   */
  readonly inputs: readonly (number | undefined)[];
  /** Flattened results of the graph, in order. */
  readonly outputs: readonly LoopOutput[];
}

/** A node that loops cannot say, and why. */
export interface NotLowered extends Reason {
  readonly node: string;
}
