/** @file Exports the model of a module, and writes the program. */
import {
  type DynamicShapes,
  draftExport,
  type Exportable,
  type ExportOptions,
  exportProgram,
} from "@sconce/capture";
import { countText } from "@sconce/errors";
import type { ExportedProgram } from "@sconce/ir";
import { usage } from "../errors.js";
import { STANDARD } from "../input-file.js";
import { EXIT, json, jsonLine, type Outcome, type SafeIo } from "../io.js";
import { loadModel, runOf } from "../model-module.js";
import { requireOutput, tensorsText, weightsBeside, writeProgram } from "../program-file.js";

export interface ExportCommandOptions {
  readonly output?: string;
  readonly draft?: boolean;
  readonly json?: boolean;
  readonly strict?: boolean;
}

export async function exportModule(
  name: string,
  { output, draft = false, json: asJson = false, strict = false }: ExportCommandOptions,
  io: SafeIo,
  outcome: Outcome,
): Promise<void> {
  if (output === undefined && !draft)
    throw usage(
      "sconce export needs the option --output",
      "add `-o OUT.pt2` or `-o OUT.sir`, or --draft for a report",
    );
  if (output !== undefined) await requireOutput(output);
  const { model, args, kwargs, dynamicShapes } = await loadModel(name);
  const options: ExportOptions = {
    kwargs: kwargs as Record<string, unknown> | undefined,
    dynamicShapes: dynamicShapes as DynamicShapes | undefined,
    onWarning: (message) => io.warn(message),
    strict,
  };
  const program = await runOf(name, () =>
    (draft ? draftExport : exportProgram)(model as Exportable, args, options),
  );
  if (output !== undefined) await writeProgram(output, program, io);
  if (program.draftReport?.successful === false) outcome.code = EXIT.differs;
  const facts = factsOf(program, output);
  if (asJson) {
    if (output === STANDARD) io.err(jsonLine(facts));
    else io.out(json(facts));
    return;
  }
  const report = program.draftReport === undefined ? "" : String(program.draftReport);
  if (output === STANDARD) {
    if (report !== "") io.err(report);
  } else if (output === undefined) io.out(report);
  else {
    if (report !== "") io.out(report);
    io.summary(
      `${output}: ${countText(facts.nodes, "node")}, dialect ${facts.dialect}; ${tensorsText(output)}\n`,
    );
  }
}

/** What `--json` prints. */
const factsOf = (program: ExportedProgram, output: string | undefined) => ({
  ...(output === undefined ? {} : { output, weights: weightsBeside(output) }),
  dialect: program.dialect,
  nodes: program.graph.size,
  ...program.draftReport?.toJSON(),
});
