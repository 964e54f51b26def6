import { printLoweredProgram } from "@sconce/codegen";
import { dotText, jsonText, mermaidText } from "@sconce/formats/views";
import { codeText, type ExportedProgram, graphText, printIr, signatureText } from "@sconce/ir";
import type { Sconce } from "@sconce/session";
import type { Command } from "commander";
import { usage } from "../errors.js";
import type { Outcome, SafeIo } from "../io.js";
import { openSession, openWithWeights, repeatable, WEIGHTS_OPTION } from "../open.js";
import { loopsOf } from "./loops.js";

type Print = (program: ExportedProgram, session: Sconce) => string;

const FORMATS: ReadonlyMap<string, Print> = new Map<string, Print>([
  ["program", String],
  ["graph", (program) => graphText(program.graph)],
  ["code", (program) => codeText(program.graph)],
  ["signature", (program) => signatureText(program.graphSignature)],
  ["ir", (program) => printIr(program)],
  ["json", jsonText],
  ["mermaid", mermaidText],
  ["dot", dotText],
  ["loops", loopsText],
]);

/** Loop nests of the program, brought into their form first. */
function loopsText(program: ExportedProgram, session: Sconce): string {
  return printLoweredProgram(loopsOf(program, session).lowered);
}
const NAMES = [...FORMATS.keys()].join(", ");

interface PrintOptions {
  readonly format: string;
  readonly lower?: boolean;
  readonly passes?: string;
  readonly weights?: string;
  readonly plugin?: readonly string[];
}

export function printCommand(program: Command, io: SafeIo, _outcome: Outcome): void {
  program
    .command("print")
    .description("Print a program as PyTorch prints it, as IR text, as JSON, as a diagram or as loop nests.")
    .argument("<file>", "A .pt2 or .sir file")
    .option("--format <name>", `Select the format: ${NAMES}`, "program")
    .option("--lower", "Lower the program with run_decompositions() first")
    .option("--passes <pipeline>", 'Run these passes first, for example "decompose,fold-constants,cse,dce"')
    .option(...WEIGHTS_OPTION)
    .option("--plugin <module>", "Load a plugin module with operators and passes (repeatable)", repeatable)
    .action(async (file: string, options: PrintOptions) => {
      const print = FORMATS.get(options.format);
      if (print === undefined) throw usage(`unknown format "${options.format}"`, `the formats are: ${NAMES}`);
      const session = await openSession(io, options.plugin, undefined, [file]);
      let exported = await openWithWeights(file, session, options.weights);
      if (options.lower) exported = session.runDecompositions(exported);
      if (options.passes !== undefined) exported = session.transform(exported, options.passes);
      const text = print(exported, session);
      // The text to the byte; a line end is added only for the eyes.
      io.exact(io.terminal && !text.endsWith("\n") ? `${text}\n` : text);
    });
}
