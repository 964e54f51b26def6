/** @file Writes programs without what shows their authors. */
import { stat } from "node:fs/promises";
import { countText } from "@sconce/errors";
import { writeFiles } from "@sconce/formats/files";
import { printIr } from "@sconce/ir/text";
import { strip } from "@sconce/session";
import { usage } from "../errors.js";
import type { SafeIo } from "../io.js";
import { openProgram } from "../open.js";
import { reportWritten, requireOutput, tensorsText, weightsBeside, writeProgram } from "../program-file.js";
import { openSession } from "../session.js";
import { weightsPath } from "../sir.js";

export interface StripCommandOptions {
  readonly output: string;
  readonly dropWeights?: boolean;
  readonly dropModules?: boolean;
  readonly json?: boolean;
  readonly plugin?: readonly string[];
}

export async function stripFile(file: string, options: StripCommandOptions, io: SafeIo): Promise<void> {
  const { output, dropWeights = false, dropModules = false } = options;
  await requireOutput(output);
  // Text without weights is one file.
  const isBareText = dropWeights && weightsBeside(output) !== null;
  if (isBareText) await refuseOldWeights(output);
  const session = await openSession(io, options.plugin, undefined, [file]);
  const program = strip(await openProgram(file, session), { weights: dropWeights, modules: dropModules });
  if (isBareText) await writeFiles([[output, printIr(program)]]);
  else await writeProgram(output, program, io, session.operators);
  const weights = dropWeights ? null : weightsBeside(output);
  const facts = { output, weights, dialect: program.dialect, nodes: program.graph.size };
  const text = `${output}: ${countText(facts.nodes, "node")}, dialect ${facts.dialect}; ${dropWeights ? "no weights" : tensorsText(output)}\n`;
  reportWritten(facts, text, options.json, io);
}

/** Weights that lie beside the text would be read with it. */
async function refuseOldWeights(output: string): Promise<void> {
  const path = weightsPath(output);
  const found = await stat(path).catch(() => undefined);
  if (found !== undefined)
    throw usage(
      `${path} would be read with ${output}, which is to have no weights`,
      "remove it, or choose another name",
    );
}
