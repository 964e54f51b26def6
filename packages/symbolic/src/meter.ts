/**
 * @file What simplification counts its steps on. The constructors of expressions take no budget:
 * whoever reads a text sets one for the time of reading.
 */
import type { Budget } from "@sconce/errors";

let current: Budget | undefined;
let where: (() => string) | undefined;

/** Runs something whose steps count on a budget; `place` names the text in the error. */
export function metered<T>(budget: Budget, place: () => string, run: () => T): T {
  const [outer, outerPlace] = [current, where];
  [current, where] = [budget, place];
  try {
    return run();
  } finally {
    [current, where] = [outer, outerPlace];
  }
}

/**
 * Counts steps of simplification, where somebody counts.
 * @throws SconceError `BUDGET_EXCEEDED`
 */
export function step(count = 1): void {
  if (current !== undefined) current.spend("terms", count, where);
}
