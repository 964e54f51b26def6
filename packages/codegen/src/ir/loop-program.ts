/**
 * @file Loop programs: buffers and the nests that fill them, in order. Emitters read nothing else.
 */
import type { IntLike, Reason } from "@sconce/ir";
import type { SymExpr } from "@sconce/symbolic";
import type { DType } from "@sconce/tensor";
import type { Axis, Index } from "./index-expr.js";
import type { Scalar } from "./scalar.js";

/** A contiguous, row-major piece of memory. */
export interface LoopBuffer {
  /** Position in {@link LoopProgram.buffers}; `b3` in texts. */
  readonly id: number;
  /** The dtype of the elements. */
  readonly dtype: DType;
  /** Sizes, outermost dimension first; elements lie in row-major order. */
  readonly shape: readonly Index[];
  /** `input`: given for each run, `value`: written by a nest. */
  readonly kind: "input" | "value";
  /** The graph node whose value it holds. */
  readonly node: string;
}

/**
 * The kind of a nest, for emitters that have a faster algorithm for it. An emitter may ignore it.
 */
export type NestHint =
  /** A sum of products; {@link contractionOf} gives its axes. */
  | { readonly kind: "contraction" }
  /** Element `i` along the axis reduces elements up to `i`; {@link scanOf} gives its parts. */
  | { readonly kind: "scan"; readonly axis: string }
  /** The rank of each element along the axis; {@link rankOf} gives what is ordered. */
  | {
      readonly kind: "rank";
      readonly axis: string;
      readonly descending: boolean;
      /** How many ranks are read: others may be any number that is not less. */
      readonly first?: number | undefined;
    }
  /** Element `i` along the axis searches the place of rank `i`; ranks are unique. */
  | { readonly kind: "place"; readonly axis: string }
  /** Each element reduces the sources that point at it. */
  | { readonly kind: "scatter" }
  | FourierHint;

/**
 * Lines along a dimension of the only buffer that is read, transformed: element `k` is
 * `scale * sum over n of x[n] exp(sign 2 pi i k n / size)`, or its real part where the output is
 * real. The output has the first elements of each line, and the other dimensions of the buffer.
 */
export interface FourierHint {
  /** Names the kind of hint. */
  readonly kind: "fourier";
  /** The dimension of the lines. */
  readonly dim: number;
  /** Elements of a line. */
  readonly size: number;
  /** The sign of the exponent. */
  readonly sign: 1 | -1;
  /** What the sums are multiplied by. */
  readonly scale: number;
}

/**
 * One kernel. It computes every element of the output from `value`, independently and in any order.
 */
export interface LoopNest {
  /** Position in {@link LoopProgram.nests}. */
  readonly id: number;
  /** The buffer that the nest writes, by its position in {@link LoopProgram.buffers}. */
  readonly output: number;
  /** One for each dimension of the output, in order. */
  readonly axes: readonly Axis[];
  /** The element at each place of the axes. */
  readonly value: Scalar;
  /** Graph nodes that it computes, in graph order. */
  readonly nodes: readonly string[];
  /** What the nest computes as a whole, where its lowering knows. */
  readonly hint?: NestHint | undefined;
  /**
   * Nests of one group share rows (the parts of a softmax, a normalization, an attention) and may
   * become one kernel.
   */
  readonly group?: string | undefined;
}

/**
 * A result of the program: a buffer with the shape of the result, or a value that needs no kernel.
 */
export type LoopOutput =
  | {
      readonly kind: "buffer";
      readonly buffer: number;
      readonly shape: readonly Index[];
      readonly node: string;
    }
  | { readonly kind: "size"; readonly value: IntLike }
  | { readonly kind: "constant"; readonly value: number | bigint | boolean | string | null };

/** What the loops of a node take for granted of symbolic sizes. */
export type SizeAssumption =
  /** An index without axes that is not negative. */
  | { readonly kind: "index"; readonly node: string; readonly index: Index }
  /** A condition on sizes, and what a decomposition took it for. */
  | {
      readonly kind: "condition";
      readonly node: string;
      readonly condition: SymExpr;
      readonly truth: boolean;
    };

/** A graph as loop nests over buffers. */
export interface LoopProgram {
  /** Inputs, results and values in between. */
  readonly buffers: readonly LoopBuffer[];
  /** The nests, in the order in which they run. */
  readonly nests: readonly LoopNest[];
  /**
   * For each placeholder, in order: the buffer that it fills, or `undefined` if it is unused or not
   * a tensor.
   */
  readonly inputs: readonly (number | undefined)[];
  /** Flattened results of the graph, in order. */
  readonly outputs: readonly LoopOutput[];
  /** What has to hold of the sizes of a run. Default: nothing. */
  readonly assumptions?: readonly SizeAssumption[];
}

/** A node that does not lower to loops, and why. */
export interface NotLowered extends Reason {
  /** The name of the node. */
  readonly node: string;
}
