/** @file What checks of passes compared, as text. */
import { countText } from "@sconce/errors";
import { type CheckReport, coverageText, regionsText } from "@sconce/passes";
import { linesText } from "../text.js";

/** Returns what checks without a difference covered, then each step. */
export function checkedText(reports: readonly CheckReport[]): string {
  const isCompared = reports.some(({ skipped }) => skipped === undefined);
  const verdict = isCompared ? `no difference in ${coverageText(reports)}` : "nothing was compared";
  return `${verdict}\n${reports.map(reportText).join("")}`;
}

/** Returns what was compared after a step, with what was not below it. */
function reportText(report: CheckReport): string {
  const { pass, step, skipped, tolerance, runs, outputs, inputs, state, elements, refused, coverage } =
    report;
  const place = `  step ${step + 1}, ${pass}: `;
  if (skipped !== undefined) return `${place}not compared, ${skipped}\n`;
  const parts = [
    countText(outputs, "output"),
    inputs > 0 && countText(inputs, "input"),
    state > 0 && countText(state, "buffer"),
  ].filter(Boolean);
  const left = refused > 0 ? `, ${refused} refused` : "";
  const within = tolerance?.precision === undefined ? "" : `, computed in ${tolerance.precision},`;
  const regions =
    coverage === undefined ? "; changed calls were not checked by themselves" : `; ${regionsText([report])}`;
  const whole = `${place}equal${within} in ${parts.join(", ")}, ${countText(elements, "number")}, ${countText(runs, "run")}${left}${regions}\n`;
  return whole + (coverage === undefined ? "" : detailsText(coverage));
}

/**
 * Returns the nested graphs that changed, what was not checked by itself, and differences that do
 * not count.
 */
function detailsText({ graphs, unchecked, notes }: NonNullable<CheckReport["coverage"]>): string {
  const nested = graphs.filter(({ graph, changedCalls }) => graph !== "" && changedCalls > 0);
  const lines = [
    ...nested.map(
      ({ graph, changedCalls, checkedCalls }) =>
        `${graph}: ${checkedCalls} of ${changedCalls} changed calls checked by themselves`,
    ),
    ...unchecked.map(
      ({ graph, node, reason }) =>
        `%${node}${graph === "" ? "" : ` in ${graph}`} only in whole runs: ${reason}`,
    ),
    ...notes,
  ];
  return linesText(lines.map((line) => `    ${line}`));
}
