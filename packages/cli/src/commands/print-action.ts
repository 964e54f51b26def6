import { printLoweredProgram } from "@sconce/codegen";
import { dotText, jsonText, mermaidText } from "@sconce/formats/views";
import { codeText, type ExportedProgram, graphText, printIr, signatureText } from "@sconce/ir";
import type { Sconce } from "@sconce/session";
import type { SafeIo } from "../io.js";
import { openSession, openWithWeights } from "../open.js";
import { runPasses } from "../pass-run.js";
import type { PassRunOptions, PRINT_FORMATS } from "../shared-options.js";
import { loopsOf } from "./loops.js";

type Print = (program: ExportedProgram, session: Sconce) => string;

const FORMATS: Readonly<Record<(typeof PRINT_FORMATS)[number], Print>> = {
  program: String,
  graph: (program) => graphText(program.graph),
  code: (program) => codeText(program.graph),
  signature: (program) => signatureText(program.graphSignature),
  ir: (program) => printIr(program),
  json: jsonText,
  mermaid: mermaidText,
  dot: dotText,
  loops: loopsText,
};

/** Loop nests of the program, brought into their form first. */
function loopsText(program: ExportedProgram, session: Sconce): string {
  return printLoweredProgram(loopsOf(program, session).lowered);
}

export interface PrintOptions extends PassRunOptions {
  readonly format: (typeof PRINT_FORMATS)[number];
  readonly lower?: boolean;
  readonly passes?: string;
  readonly weights?: string;
  readonly plugin?: readonly string[];
}

export async function print(file: string, options: PrintOptions, io: SafeIo): Promise<void> {
  const session = await openSession(io, options.plugin, undefined, [file]);
  const loaded = await openWithWeights(file, session, options.weights);
  const exported = runPasses(loaded, session, options, io);
  const text = FORMATS[options.format](exported, session);
  // The text to the byte; a line end is added only for the eyes.
  io.exact(io.terminal && !text.endsWith("\n") ? `${text}\n` : text);
}
