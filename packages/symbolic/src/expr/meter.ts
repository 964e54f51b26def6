/**
 * @file What simplification counts its steps on. The constructors of expressions take no budget:
 * a reader of a text sets one for the time of reading.
 */
import type { Budget } from "@sconce/errors";

let current: Budget | undefined;
let where: (() => string) | undefined;
/** Steps that the budget does not know yet. */
let pending = 0;
/** Steps that are counted at once. */
const COUNTED = 64;

/** Runs something whose steps count on a budget; `place` names the text in the error. */
export function metered<T>(budget: Budget, place: () => string, run: () => T): T {
  const [outer, outerPlace, outerPending] = [current, where, pending];
  [current, where, pending] = [budget, place, 0];
  try {
    const result = run();
    count(budget);
    return result;
  } finally {
    [current, where, pending] = [outer, outerPlace, outerPending];
  }
}

/**
 * Counts steps of simplification, where something counts.
 * @throws SconceError `BUDGET_EXCEEDED`
 */
export function step(steps = 1): void {
  if (current === undefined) return;
  pending += steps;
  if (pending >= COUNTED) count(current);
}

function count(budget: Budget): void {
  const steps = pending;
  pending = 0;
  if (steps > 0) budget.spend("terms", steps, where);
}
