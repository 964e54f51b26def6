/** @file What checks covered, in one line. */
import { countText } from "@sconce/errors";
import type { CheckReport } from "./checker.js";

/**
 * Returns what the checks of some steps covered: `4 of 5 branches, 37 changed calls, 12 value
 * classes, 3 runs of the whole program; 2 differences noted`. Nested graphs are branches; one
 * counts when all calls that changed in it were checked by themselves.
 */
export function coverageText(reports: readonly CheckReport[]): string {
  const runs = reports.reduce((sum, report) => sum + report.runs, 0);
  const notes = reports.reduce((sum, { coverage }) => sum + (coverage?.notes.length ?? 0), 0);
  const whole = countText(runs, "run of the whole program", "runs of the whole program");
  const noted = notes === 0 ? "" : `; ${countText(notes, "difference")} noted`;
  return `${regionsText(reports)}, ${whole}${noted}`;
}

/** Returns the same without the runs of the whole program. */
export function regionsText(reports: readonly Pick<CheckReport, "coverage">[]): string {
  const covered = reports.flatMap(({ coverage }) => coverage ?? []);
  const graphs = covered.flatMap((coverage) => coverage.graphs);
  const nested = graphs.filter(({ graph, changedCalls }) => graph !== "" && changedCalls > 0);
  const whole = nested.filter(({ changedCalls, checkedCalls }) => changedCalls === checkedCalls);
  const changed = graphs.reduce((sum, { changedCalls }) => sum + changedCalls, 0);
  const checked = graphs.reduce((sum, { checkedCalls }) => sum + checkedCalls, 0);
  const classes = new Set(covered.flatMap(({ valueClasses }) => valueClasses));
  return [
    ...(nested.length > 0 ? [`${whole.length} of ${countText(nested.length, "branch", "branches")}`] : []),
    checked === changed
      ? countText(changed, "changed call")
      : `${checked} of ${countText(changed, "changed call")}`,
    countText(classes.size, "value class", "value classes"),
  ].join(", ");
}
