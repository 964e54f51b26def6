import { printLoweredProgram } from "@sconce/codegen";
import { jsonIRText } from "@sconce/formats/json-ir";
import { type DiagramOptions, dotText, jsonText, mermaidText } from "@sconce/formats/views";
import { codeText, type ExportedProgram, graphText, signatureText } from "@sconce/ir";
import { printIr } from "@sconce/ir/text";
import { extractIR, type Sconce } from "@sconce/session";
import { usage } from "../errors.js";
import type { SafeIo } from "../io.js";
import { type OpenOptions, openSession, openWithWeights } from "../open.js";
import { runPasses } from "../pass-run.js";
import type { PassRunOptions, PRINT_FORMATS } from "../shared-options.js";
import { loopsOf } from "./loops.js";

type Print = (
  program: ExportedProgram,
  session: Sconce,
  io: SafeIo,
  diagram: DiagramOptions,
) => string | Promise<string>;

const FORMATS: Readonly<Record<(typeof PRINT_FORMATS)[number], Print>> = {
  program: String,
  graph: (program) => graphText(program.graph),
  code: (program) => codeText(program.graph),
  signature: (program) => signatureText(program.graphSignature),
  ir: (program) => printIr(program),
  json: jsonText,
  "json-ir": (program, session, io) =>
    jsonIRText(extractIR(program, { session, onWarning: (message) => io.warn(message) })),
  mermaid: (program, _session, _io, diagram) => mermaidText(program, diagram),
  dot: (program, _session, _io, diagram) => dotText(program, diagram),
  svg: drawing,
  loops: loopsText,
  ts: sourceText,
};

/** Formats that hold values of constants, or are made by passes that read them. */
const READS_VALUES: ReadonlySet<string> = new Set(["json-ir", "loops", "ts"]);

/** The drawing with frames for modules, up to the folded depth. */
async function drawing(
  program: ExportedProgram,
  _session: Sconce,
  _io: SafeIo,
  { fold, modules }: DiagramOptions,
): Promise<string> {
  const { svgText } = await import("@sconce/drawing");
  const isFramed = modules === true || fold !== undefined;
  return svgText(program, { modules: isFramed, ...(fold !== undefined && { depth: fold - 1 }) });
}

/** A module in TypeScript that gives the program when it is exported. */
async function sourceText(program: ExportedProgram, { operators }: Sconce): Promise<string> {
  const { typescriptText } = await import("@sconce/capture/typescript");
  return typescriptText(program, { operators });
}

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
  readonly fold?: string;
  readonly modules?: boolean;
}

const DIAGRAMS: ReadonlySet<string> = new Set(["mermaid", "dot", "svg"]);

/** Which part of the program a diagram shows. @throws SconceError `USAGE` */
function diagramOptions({ format, fold, modules }: PrintOptions): DiagramOptions {
  if (!DIAGRAMS.has(format) && (fold !== undefined || modules === true))
    throw usage(
      "--fold and --modules are for diagrams",
      "add --format svg, --format mermaid or --format dot",
    );
  if (fold !== undefined && !/^[1-9]\d{0,3}$/.test(fold))
    throw usage(`--fold: ${JSON.stringify(fold)} is not a depth`, "give 1 for the children of the model");
  return { ...(fold !== undefined && { fold: Number(fold) }), modules: modules === true };
}

export async function print(file: string, options: PrintOptions, io: SafeIo): Promise<void> {
  const diagram = diagramOptions(options);
  const session = await openSession(io, options.plugin, undefined, [file]);
  const needsValues = options.passes !== undefined || READS_VALUES.has(options.format);
  const opening: OpenOptions = needsValues ? {} : { weights: "lazy" };
  const loaded = await openWithWeights(file, session, options.weights, opening);
  const exported = runPasses(loaded, session, options, io);
  const text = await FORMATS[options.format](exported, session, io, diagram);
  // The text to the byte; a line end is added only for the eyes.
  io.exact(io.terminal && !text.endsWith("\n") ? `${text}\n` : text);
}
