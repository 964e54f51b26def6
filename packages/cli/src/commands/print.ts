import { SconceError } from "@sconce/errors";
import { codeText, type ExportedProgram, graphText, printIr, signatureText } from "@sconce/ir";
import type { Command } from "commander";
import { type Io, type Outcome } from "../io.js";
import { openProgram, openSession, repeatable } from "../open.js";

const FORMATS: Readonly<Record<string, (program: ExportedProgram) => string>> = {
  program: (program) => String(program),
  graph: (program) => `${graphText(program.graph)}\n`,
  code: (program) => `${codeText(program.graph)}\n`,
  signature: (program) => `${signatureText(program.graphSignature)}\n`,
  ir: (program) => printIr(program),
};

interface PrintOptions {
  readonly format: string;
  readonly lower?: boolean;
  readonly passes?: string;
  readonly plugin: readonly string[];
}

export function printCommand(program: Command, io: Io, _outcome: Outcome): void {
  program
    .command("print")
    .description("The program as text, as PyTorch prints it or as Sconce IR; nothing else goes to standard output.")
    .argument("<file>", "a .pt2 file")
    .option("--format <name>", `one of ${Object.keys(FORMATS).join(", ")}`, "program")
    .option("--lower", "after run_decompositions()")
    .option("--passes <pipeline>", 'after these passes, for example "decompose,fold-constants,cse,dce"')
    .option("--plugin <module>", "a module with further operators and passes (repeatable)", repeatable, [])
    .action(async (file: string, options: PrintOptions) => {
      const print = Object.hasOwn(FORMATS, options.format) ? FORMATS[options.format] : undefined;
      if (print === undefined) {
        throw new SconceError({
          code: "USAGE", message: `there is no format "${options.format}"`, fix: `the formats are: ${Object.keys(FORMATS).join(", ")}`,
        });
      }
      const session = await openSession(options.plugin);
      const viewing = options.lower !== true && options.passes === undefined;
      let exported = await openProgram(file, session, viewing);
      if (options.lower) exported = session.runDecompositions(exported);
      if (options.passes !== undefined) exported = session.transform(exported, options.passes);
      io.out(print(exported));
    });
}
