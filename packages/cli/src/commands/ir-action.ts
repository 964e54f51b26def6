/** @file Writes programs as JSON IR, and their weights as safetensors. */
import { basename } from "node:path";
import { countText } from "@sconce/errors";
import { type FileContent, requireFolder, writeFiles } from "@sconce/formats/files";
import { jsonIRText } from "@sconce/formats/json-ir";
import { extractIR } from "@sconce/session";
import { writeSafetensors } from "@sconce/tensor";
import { usage } from "../errors.js";
import { STANDARD } from "../input-file.js";
import type { SafeIo } from "../io.js";
import { openWithWeights } from "../open.js";
import { runPasses } from "../pass-run.js";
import { reportWritten } from "../program-file.js";
import { openSession } from "../session.js";
import type { PassRunOptions } from "../shared-options.js";
import { requireWeights } from "../sir.js";

export interface IrOptions extends PassRunOptions {
  readonly output: string;
  readonly name?: string;
  readonly weightsOutput?: string;
  readonly lower?: boolean;
  readonly passes?: string;
  readonly weights?: string;
  readonly json?: boolean;
  readonly plugin?: readonly string[];
}

export async function writeIR(file: string, options: IrOptions, io: SafeIo): Promise<void> {
  const { output, weightsOutput } = options;
  if (/\.(pt2|sir|safetensors)$/i.test(output))
    throw usage(`${output} cannot be written: the result is JSON`, "name it OUT.json");
  if (weightsOutput === output || weightsOutput === STANDARD)
    throw usage("--weights-output needs another file", "name it OUT.safetensors");
  for (const path of [output, weightsOutput])
    if (path !== undefined && path !== STANDARD) await requireFolder(path);
  const session = await openSession(io, options.plugin, undefined, [file]);
  const program = runPasses(await openWithWeights(file, session, options.weights), session, options, io);
  const ir = extractIR(program, {
    modelName: options.name ?? nameOf(file),
    session,
    onWarning: (message) => io.warn(message),
  });
  const files: FileContent[] = [];
  if (weightsOutput !== undefined) {
    requireWeights(program);
    files.push([weightsOutput, writeSafetensors(program.stateDict)]);
  }
  if (output === STANDARD) io.exact(jsonIRText(ir));
  else files.push([output, jsonIRText(ir)]);
  await writeFiles(files);
  const facts = {
    output,
    weights: weightsOutput ?? null,
    nodes: ir.nodes.length,
    constants: [...ir.constants.keys()],
  };
  const text = `${output}: ${countText(facts.nodes, "node")}, ${countText(ir.weights.length, "weight")}, ${facts.constants.length} with their values\n`;
  reportWritten(facts, text, options.json, io);
}

/** Returns the name of a file without its end. */
const nameOf = (file: string): string => (file === STANDARD ? "model" : basename(file).replace(/\.\w+$/, ""));
