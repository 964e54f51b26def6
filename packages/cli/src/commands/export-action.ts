/** @file Exports the model of a module, and writes the program. */
import { type DynamicShapes, type Exportable, exportProgram } from "@sconce/capture";
import { STANDARD } from "../input-file.js";
import { json, jsonLine, type SafeIo } from "../io.js";
import { loadModel, runOf } from "../model-module.js";
import { sirWithTensors, weightsPath, writeSir } from "../sir.js";
import { requireFolder } from "../write-files.js";
import { requireSirName } from "./output-name.js";

export interface ExportCommandOptions {
  readonly output: string;
  readonly json?: boolean;
}

export async function exportModule(name: string, options: ExportCommandOptions, io: SafeIo): Promise<void> {
  const { output } = options;
  requireSirName(output);
  if (output !== STANDARD) await requireFolder(output);
  const { model, args, kwargs, dynamicShapes } = await loadModel(name);
  const program = await runOf(name, () =>
    exportProgram(model as Exportable, args, {
      kwargs: kwargs as Record<string, unknown> | undefined,
      dynamicShapes: dynamicShapes as DynamicShapes | undefined,
      onWarning: (message) => io.warn(message),
    }),
  );
  if (output === STANDARD) for (const piece of sirWithTensors(program)) io.exact(piece);
  else await writeSir(output, program);
  const weights = output === STANDARD ? null : weightsPath(output);
  const facts = { output, weights, dialect: program.dialect, nodes: program.graph.size };
  if (options.json) {
    if (output === STANDARD) io.err(jsonLine(facts));
    else io.out(json(facts));
  } else if (output !== STANDARD)
    io.summary(`${output}: ${facts.nodes} nodes, dialect ${facts.dialect}; tensors in ${weights}\n`);
}
