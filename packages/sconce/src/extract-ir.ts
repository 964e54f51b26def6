import { type Exportable, type ExportOptions, exportProgram } from "@sconce/capture";
import {
  ExportedProgram,
  type ExtractIROptions,
  extractIR as extractProgramIR,
  type JsonIR,
} from "@sconce/session";

/** How a model is exported, and becomes JSON IR; the name is that of its class. */
export interface ExtractModelOptions
  extends ExtractIROptions,
    Pick<ExportOptions, "kwargs" | "strict" | "checkSource"> {}

/**
 * Describes a program as JSON IR: a graph, the names of its weights, and the values of its
 * constants. The values of the weights stay outside: `executeIR` takes them.
 * @throws SconceError `JSON_IR_UNSUPPORTED` for what JSON IR does not have: objects, lists among
 * results, gradients as outputs
 */
export function extractIR(program: ExportedProgram, options?: ExtractIROptions): JsonIR;
/**
 * Exports a model with example inputs, and describes the program as JSON IR.
 * @throws SconceError as `exportProgram`; `JSON_IR_UNSUPPORTED`
 */
export function extractIR(
  model: Exportable,
  inputs: readonly unknown[],
  options?: ExtractModelOptions,
): JsonIR;
export function extractIR(
  source: ExportedProgram | Exportable,
  inputs?: readonly unknown[] | ExtractIROptions,
  options: ExtractModelOptions = {},
): JsonIR {
  if (source instanceof ExportedProgram) return extractProgramIR(source, inputs as ExtractIROptions);
  const { modelName = nameOf(source), session, ...capture } = options;
  const program = exportProgram(source, inputs as readonly unknown[], capture);
  return extractProgramIR(program, { modelName, session, onWarning: capture.onWarning });
}

/** Returns the class of a module, or the name of a function. */
function nameOf(model: Exportable): string | undefined {
  const prototype = Object.getPrototypeOf(model) as { readonly constructor: { readonly name: string } };
  const name = prototype === Function.prototype ? model.name : prototype.constructor.name;
  return name === "" ? undefined : name;
}
