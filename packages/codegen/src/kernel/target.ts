/** @file What a target of code generation can do, as far as scheduling has to know. */

/** Which branches are computed whether they are chosen or not. */
export interface Speculation {
  /** Operations of such a branch at most; a function of many counts as four. */
  readonly operations: number;
  /**
   * Whether it may read memory, within its bounds. `known` leaves out places that elements hold:
   * they may be out of bounds where a condition guards them.
   */
  readonly loads: boolean | "known";
}

/** Which integers a target computes with exactly. */
export interface Integers {
  /** The least. */
  readonly low: number;
  /** The greatest. Infinite if all integer dtypes are exact, and wrap as they do on the host. */
  readonly high: number;
  /** Whether int32 arithmetic wraps correctly. If not, results outside of the range are inexact. */
  readonly wraps: boolean;
}

/** Integers of a target that has all integer dtypes of the host. */
export const ALL_INTEGERS: Integers = {
  low: Number.NEGATIVE_INFINITY,
  high: Number.POSITIVE_INFINITY,
  wraps: true,
};

/** The capabilities of a target. */
export interface Target {
  /** The name, for reports. */
  readonly name: string;
  /**
   * How a kernel runs: in workgroups of threads; in a grid of threads, which store one element each
   * at their own place; as one thread with loops; or as units, each with loops of its part.
   */
  readonly threads: "workgroups" | "grid" | "one" | "units";
  /**
   * Whether there are many workgroups at a time, whose threads gain by sharing memory. Default: no,
   * as where a processor computes in place of a GPU.
   */
  readonly isHardware?: boolean;
  /** Threads along an axis of a grid of two axes. */
  readonly maxSide: number;
  /** Indices below it are exact in ordinary arithmetic. */
  readonly exactIndex: number;
  /** Whether a division of indices below `exactIndex` may go through floats, rounded down. */
  readonly dividesInFloats: boolean;
  /** What sums of float32 are added up in. */
  readonly sumsIn: "float32" | "float64";
  /** Whether there are infinities to begin a greatest or least with. */
  readonly hasInfinity: boolean;
  /** Products that one iteration of a long sum adds. */
  readonly unroll: number;
  readonly speculation: Speculation;
  /** Integers that are exact. */
  readonly integers: Integers;
  /** Buffers that a kernel may read: fusion stops there. */
  readonly maxReads: number;
}
