/** @file A budget that records what was spent of it. */
import { Budget, type WorkKind } from "@sconce/errors";

/** What reading one input took; the same on every machine. */
export type Spent = Readonly<Record<WorkKind, number>>;

/** Counts what readers spend. */
export class CountingBudget extends Budget {
  readonly spent: Record<WorkKind, number> = { bytes: 0, nodes: 0, terms: 0, entries: 0 };

  override spend(kind: WorkKind, amount = 1, where?: () => string): void {
    this.spent[kind] += amount;
    super.spend(kind, amount, where);
  }
}
