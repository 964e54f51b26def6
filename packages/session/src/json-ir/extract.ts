import { checkOptions, type OptionNames } from "@sconce/errors";
import { extractProgram, type JsonIR } from "@sconce/formats/json-ir";
import { type ExportedProgram, requireProgram } from "@sconce/ir";
import { defaultOperators } from "@sconce/ops";
import type { Sconce } from "../create-sconce.js";

/** How a program becomes JSON IR. */
export interface ExtractIROptions {
  /** The name of the model. @defaultValue `model` */
  readonly modelName?: string | undefined;
  /** The session whose operators are known. @defaultValue all operators of PyTorch */
  readonly session?: Pick<Sconce, "operators"> | undefined;
  /** Receives warnings. @defaultValue `console.warn` */
  readonly onWarning?: ((message: string) => void) | undefined;
}

const OPTIONS: OptionNames<ExtractIROptions> = { modelName: true, session: true, onWarning: true };

/**
 * Describes a program as JSON IR: a graph, the names of its weights, and the values of its
 * constants. The values of the weights stay outside: `executeIR` takes them.
 * @throws SconceError `JSON_IR_UNSUPPORTED` for what JSON IR does not have: objects, lists among
 * results, gradients as outputs
 */
export function extractIR(program: ExportedProgram, options: ExtractIROptions = {}): JsonIR {
  checkOptions("extractIR", options, OPTIONS);
  requireProgram(program, "extractIR");
  const { session, ...rest } = options;
  return extractProgram(program, { ...rest, operators: session?.operators ?? defaultOperators() });
}
