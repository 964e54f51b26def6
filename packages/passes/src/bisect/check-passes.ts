import type { ExportedProgram } from "@sconce/ir";
import type { CheckReport } from "../checking/checker.js";
import type { CheckOptions } from "../checking/options.js";
import { PassManager } from "../manager/pass-manager.js";
import type { Pass, PassContext, PipelineItem } from "../pass/pass.js";

/** The program after the passes, and what was compared after each step. */
export interface CheckedPasses {
  /** The program after all passes. */
  readonly program: ExportedProgram;
  /** What was compared after each pass, in order. */
  readonly reports: readonly CheckReport[];
}

/**
 * Runs passes, comparing numbers after each.
 *
 * @throws SconceError `PASS_CHANGED_NUMBERS` at the first pass that changes them,
 * `NOTHING_COMPARED`, and those of {@link PassManager.run}
 */
export function checkPasses(
  program: ExportedProgram,
  passes: readonly (Pass | PipelineItem)[],
  context: PassContext,
  options: CheckOptions = {},
): CheckedPasses {
  const reports: CheckReport[] = [];
  const manager = new PassManager(context, {
    check: options,
    observers: [({ check }) => check !== undefined && reports.push(check)],
  });
  return { program: manager.run(program, passes), reports };
}
