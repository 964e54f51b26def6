/** @file What an environment of symbolic sizes starts from. */
import type { OptionNames } from "@sconce/errors";
import type { SymExpr } from "../expr/expr.js";
import type { ValueRange } from "../expr/interval.js";

/** Learns of decisions of a `ShapeEnv` at the time when they are made. */
export interface GuardObserver {
  /** A condition was recorded: a guard of the inputs, or an assertion of the run. */
  readonly guarded: (condition: SymExpr, kind: "eval" | "runtime_assert") => void;
  /** Only the data decide an expression: the value of the example run was taken. */
  readonly assumed: (expr: SymExpr, value: number | boolean) => void;
}

/** What a `ShapeEnv` starts from. */
export interface ShapeEnvInit {
  /** Ranges of symbols by name; a size without one is at least 2. */
  readonly ranges?: ReadonlyMap<string, ValueRange> | undefined;
  /** Example values by name: what conditions on backed symbols are guarded with. */
  readonly hints?: ReadonlyMap<string, number> | undefined;
  /** Returns the place in the user's code that runs, kept with each guard and specialization. */
  readonly locate?: (() => unknown) | undefined;
  /** Learns of guards, assertions and assumed values. */
  readonly observer?: GuardObserver | undefined;
  /**
   * Whether conditions on sizes of inputs are asserted at run time, and not guards
   * (`prefer_deferred_runtime_asserts_over_guards`). @defaultValue false
   */
  readonly deferGuards?: boolean | undefined;
  /**
   * Returns what errors about choices that only a run decides say besides. @defaultValue nothing
   */
  readonly openNote?: ((expr: SymExpr) => string) | undefined;
  /** See {@link SymEnv.keepsMin}. @defaultValue false */
  readonly keepsMin?: boolean | undefined;
}

/** The names of {@link ShapeEnvInit}. */
export const INIT: OptionNames<ShapeEnvInit> = {
  ranges: true,
  hints: true,
  locate: true,
  observer: true,
  deferGuards: true,
  openNote: true,
  keepsMin: true,
};
