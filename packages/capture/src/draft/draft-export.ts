/** @file `draftExport`: exports in spite of problems, and reports what must be fixed. */

import { ExportedProgram } from "@sconce/ir";
import { declareOwn } from "@sconce/source-check";
import { constraintReport, relaxedShapes } from "../dynamic/index.js";
import { type Exportable, type ExportOptions, exportRequest } from "../export/export-program.js";
import { resolvedShapes, type TraceRequest, traceProgram } from "../export/trace-program.js";
import { DraftLog } from "./draft-log.js";
import { DraftReport } from "./draft-report.js";
import { operatorProfiles } from "./operator-profiles.js";

declare module "@sconce/ir" {
  interface ExportedProgram {
    /** The report of `draftExport`; undefined for a program of another origin. */
    readonly draftReport: DraftReport | undefined;
  }
}

const reports = new WeakMap<ExportedProgram, DraftReport>();

Object.defineProperty(ExportedProgram.prototype, "draftReport", {
  get(this: ExportedProgram): DraftReport | undefined {
    return reports.get(this);
  },
  configurable: true,
});

/**
 * Exports a model even where `exportProgram` refuses it (`torch.export.draft_export`). The
 * operators also run on the example inputs. A decision that depends on data is taken as the example
 * takes it, and the program asserts it. Where `dynamicShapes` declare more than the model allows,
 * `Dim.AUTO` replaces them. `program.draftReport` lists each of these changes.
 *
 * The program is valid for inputs that lead to the same decisions as the example. Do not deploy it
 * until the report is empty.
 *
 * @throws SconceError what `exportProgram` refuses for other reasons, and what an operator refuses
 *   on the example inputs
 * @example
 * const program = draftExport(model, [x]);
 * console.log(String(program.draftReport));
 */
export function draftExport(
  target: Exportable,
  args: readonly unknown[],
  options: ExportOptions = {},
): ExportedProgram {
  const log = new DraftLog();
  const request: TraceRequest = { ...exportRequest("draftExport", target, args, options), draft: log };
  const { program, dynamicShapes } = traced(request);
  const report = new DraftReport(log.failures(dynamicShapes), operatorProfiles(program.graph, log.inferred));
  reports.set(program, report);
  if (!report.successful)
    request.warn(
      `${report.failures.length} issue(s) found during export, and it was not able to soundly produce a graph. \`String(program.draftReport)\` lists them.`,
    );
  return program;
}

declareOwn("draftExport", draftExport);

/** Traces a model; once more without demands on its sizes, where it does not meet them. */
function traced(request: TraceRequest): {
  readonly program: ExportedProgram;
  /** The specification of the second trace. */
  readonly dynamicShapes?: unknown;
} {
  try {
    return { program: traceProgram(request) };
  } catch (error) {
    const shapes = constraintReport(error) === undefined ? undefined : resolvedShapes(request);
    if (shapes === undefined || shapes === null) throw error;
    const dynamicShapes = relaxedShapes(shapes);
    return { program: traceProgram({ ...request, dynamicShapes }), dynamicShapes };
  }
}
