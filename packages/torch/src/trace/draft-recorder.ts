/** @file Takes note of what a draft of a program assumes. */
import type { RawStack } from "@sconce/source-check";
import type { GuardObserver, SymExpr } from "@sconce/symbolic";

/** A symbol of a trace. */
interface TracedSymbol {
  readonly symbol: string;
  /** The size or value of an input as guards name it, or the operator that makes the symbol. */
  readonly source: string;
  /** Where the operator is called; undefined for a symbol of an input. */
  readonly stack: RawStack | undefined;
  /** The value in the example run. */
  readonly value: number | undefined;
}

/** Where a trace stands. */
export interface DraftPlace {
  /** The stack of the call that runs. */
  readonly stack: () => RawStack;
  /** The symbols of an expression. */
  readonly symbols: (expr: SymExpr) => readonly TracedSymbol[];
}

/** Learns of guards and assumed values while a trace runs. */
export interface DraftRecorder extends GuardObserver {
  /** An operator of the user's has no fake: its results are those of its kernel. */
  readonly missingFake: (target: string) => void;
  /** A fake gives something else than the kernel. */
  readonly mismatchedFake: (target: string, reason: string) => void;
  /** Operators whose results are those of their kernels. */
  readonly inferred: ReadonlySet<string>;
  /** Runs a model; what is guarded and assumed meanwhile is recorded. */
  readonly during: <T>(place: DraftPlace, run: () => T) => T;
}
