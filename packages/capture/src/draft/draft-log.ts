/** @file Takes note of what a draft assumes (`CaptureStructuredTrace` of PyTorch). */
import { formatStack, type RawStack } from "@sconce/source-check";
import { printExpr, type SymExpr } from "@sconce/symbolic";
import type { DraftPlace, DraftRecorder } from "@sconce/torch";
import type { DraftFailure, SymbolOrigin, UserFrame } from "./failures.js";

/** A failure without what is known at the end alone. */
type Noted = DraftFailure extends infer Failure
  ? Failure extends DraftFailure
    ? Omit<Failure, "occurrences" | "dynamicShapes">
    : never
  : never;

/** As many lines of the user's stack as PyTorch compares and shows. */
const FRAMES = 3;

/**
 * The failures of a draft, one for each place: of several at one place the first is kept, and they
 * are counted. A draft with two traces has one log.
 */
export class DraftLog implements DraftRecorder {
  readonly #entries = new Map<string, { readonly noted: Noted; count: number }>();
  /** Operators whose results are those of their kernels. */
  readonly inferred = new Set<string>();
  #place: DraftPlace | undefined;

  /** Takes what a trace assumes, until it is complete. */
  during<T>(place: DraftPlace, run: () => T): T {
    this.#place = place;
    try {
      return run();
    } finally {
      this.#place = undefined;
    }
  }

  readonly guarded = (condition: SymExpr, prefix: "eval" | "runtime_assert"): void => {
    const expression = printExpr(condition);
    this.#note(condition, (facts) => ({ type: "GUARD_ADDED", expression, prefix, ...facts }));
  };

  readonly assumed = (expr: SymExpr, value: number | boolean): void => {
    const expression = printExpr(expr);
    const result = printExpr(value);
    this.#note(expr, (facts) => ({ type: "DATA_DEPENDENT_ERROR", expression, result, ...facts }));
  };

  readonly missingFake = (operator: string): void => {
    this.inferred.add(operator);
    this.#add(JSON.stringify(["MISSING_FAKE_KERNEL", operator]), { type: "MISSING_FAKE_KERNEL", operator });
  };

  readonly mismatchedFake = (operator: string, reason: string): void => {
    this.inferred.add(operator);
    const failure = { type: "MISMATCHED_FAKE_KERNEL" as const, operator, reason };
    this.#add(JSON.stringify(failure), failure);
  };

  #note(
    expr: SymExpr,
    make: (facts: { stack: readonly UserFrame[]; symbols: readonly SymbolOrigin[] }) => Noted,
  ): void {
    const place = this.#place;
    if (place === undefined) return;
    const stack = framesOf(place.stack());
    const symbols = place.symbols(expr).map(({ stack: made, ...origin }) => {
      return { ...origin, frame: made && framesOf(made).at(-1) };
    });
    const noted = make({ stack, symbols });
    // Code without a file has no lines: its failures are known by their expressions.
    const at = stack.length > 0 ? stack : printExpr(expr);
    this.#add(JSON.stringify([noted.type, at]), noted);
  }

  #add(key: string, noted: Noted): void {
    const known = this.#entries.get(key);
    if (known === undefined) this.#entries.set(key, { noted, count: 1 });
    else known.count++;
  }

  /**
   * Returns the failures, in the order in which they occurred.
   *
   * @param dynamicShapes the specification of the second trace. Without one, guards of the inputs
   *   are as they should be.
   */
  failures(dynamicShapes: unknown): DraftFailure[] {
    return [...this.#entries.values()].flatMap(({ noted, count }): DraftFailure[] => {
      if (noted.type === "DATA_DEPENDENT_ERROR") return [{ ...noted, occurrences: count }];
      if (noted.type !== "GUARD_ADDED") return [noted];
      return dynamicShapes === undefined ? [] : [{ ...noted, dynamicShapes }];
    });
  }
}

const FRAME = /File "([^"]*)", line (\d+), in (.*)\n {4}(.*)/g;

/** Returns the innermost lines of the user's code. */
function framesOf(raw: RawStack): UserFrame[] {
  const frames = [...(formatStack(raw) ?? "").matchAll(FRAME)];
  return frames.slice(-FRAMES).map(([, file, line, name, code]) => {
    return { file: file!, line: Number(line), name: name!, code: code! };
  });
}
