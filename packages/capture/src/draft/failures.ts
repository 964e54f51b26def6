/** @file The failures that a draft of a program reports. */

/** The kinds of failures, with the numbers of PyTorch's `FailureType`. */
export const FAILURE_TYPES = {
  MISSING_FAKE_KERNEL: 1,
  DATA_DEPENDENT_ERROR: 2,
  GUARD_ADDED: 3,
  MISMATCHED_FAKE_KERNEL: 4,
} as const;

/** One line of the user's code. */
export interface UserFrame {
  /** The path of the file. */
  readonly file: string;
  /** The line, counted from 1. */
  readonly line: number;
  /** The function that the line belongs to. */
  readonly name: string;
  /** The text of the line. */
  readonly code: string;
}

/** A symbol of an expression. */
export interface SymbolOrigin {
  /** The name: `u0`, `s77`. */
  readonly symbol: string;
  /**
   * The size or value of an input as guards name it (`L['x'].size()[0]`), or the operator that
   * makes the symbol.
   */
  readonly source: string;
  /** The line that makes the symbol; undefined for one of an input. */
  readonly frame: UserFrame | undefined;
  /** The value in the example run. */
  readonly value: number | undefined;
}

/** An operator of yours has no shape rule: its results were taken from a run of its kernel. */
export interface MissingFakeKernel {
  /** The kind of failure. */
  readonly type: "MISSING_FAKE_KERNEL";
  /** The overload: `mylib.sin.default`. */
  readonly operator: string;
}

/** The shape rule of an operator of yours gives something else than its kernel. */
export interface MismatchedFakeKernel {
  /** The kind of failure. */
  readonly type: "MISMATCHED_FAKE_KERNEL";
  /** The overload: `mylib.sin.default`. */
  readonly operator: string;
  /** How the results differ, in PyTorch's words. */
  readonly reason: string;
}

/** Something that only the data decide was taken as the example inputs have it. */
export interface DataDependentFailure {
  /** The kind of failure. */
  readonly type: "DATA_DEPENDENT_ERROR";
  /** What was asked: `u0 > 2`. */
  readonly expression: string;
  /** What the example inputs gave, as Python writes it: `True`, `3`. */
  readonly result: string;
  /** How often it was asked at this place. */
  readonly occurrences: number;
  /** The last lines of the user's stack, innermost last. */
  readonly stack: readonly UserFrame[];
  /** The symbols of the expression. */
  readonly symbols: readonly SymbolOrigin[];
}

/** A condition on the inputs, in a program whose `dynamicShapes` do not allow it. */
export interface GuardFailure {
  /** The kind of failure. */
  readonly type: "GUARD_ADDED";
  /** What was required: `Eq(s77, 4)`. */
  readonly expression: string;
  /** `eval` for a guard of the inputs, `runtime_assert` for an assertion of the run. */
  readonly prefix: "eval" | "runtime_assert";
  /** The last lines of the user's stack, innermost last. */
  readonly stack: readonly UserFrame[];
  /** The symbols of the expression. */
  readonly symbols: readonly SymbolOrigin[];
  /** The specification that the program was exported with. */
  readonly dynamicShapes: unknown;
}

/** One thing to fix. */
export type DraftFailure = MissingFakeKernel | DataDependentFailure | GuardFailure | MismatchedFakeKernel;
