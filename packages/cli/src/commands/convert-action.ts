/** @file Writes a program in another format; nothing of it changes. */
import { countText } from "@sconce/errors";
import type { SafeIo } from "../io.js";
import { openWithWeights } from "../open.js";
import { reportWritten, requireOutput, tensorsText, weightsBeside, writeProgram } from "../program-file.js";
import { openSession } from "../session.js";

export interface ConvertOptions {
  readonly weights?: string;
  readonly json?: boolean;
  readonly plugin?: readonly string[];
}

export async function convert(
  file: string,
  output: string,
  options: ConvertOptions,
  io: SafeIo,
): Promise<void> {
  await requireOutput(output);
  const session = await openSession(io, options.plugin, undefined, [file]);
  const program = await openWithWeights(file, session, options.weights);
  await writeProgram(output, program, io, session.operators);
  const facts = {
    output,
    weights: weightsBeside(output),
    dialect: program.dialect,
    nodes: program.graph.size,
  };
  const text = `${output}: ${countText(facts.nodes, "node")}, dialect ${facts.dialect}; ${tensorsText(output)}\n`;
  reportWritten(facts, text, options.json, io);
}
