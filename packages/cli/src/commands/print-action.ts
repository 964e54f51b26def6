import { jsonIRText } from "@sconce/formats/json-ir";
import { type DiagramOptions, dotText, jsonText, mermaidText } from "@sconce/formats/views";
import { codeText, type ExportedProgram, graphText, signatureText } from "@sconce/ir";
import { printIr } from "@sconce/ir/text";
import type { Sconce } from "@sconce/session";
import { usage } from "../errors.js";
import type { SafeIo } from "../io.js";
import { type OpenOptions, openReader, openWithWeights, type Reader } from "../open.js";
import type { PassRunOptions, PRINT_FORMATS } from "../shared-options.js";

/** What a format is made with. */
interface Printing {
  readonly reader: Reader;
  readonly io: SafeIo;
  readonly diagram: DiagramOptions;
  /** Returns the session; one is opened where the program was read without. */
  session(): Promise<Sconce>;
}
type Print = (program: ExportedProgram, printing: Printing) => string | Promise<string>;

const FORMATS: Readonly<Record<(typeof PRINT_FORMATS)[number], Print>> = {
  program: String,
  graph: (program) => graphText(program.graph),
  code: (program) => codeText(program.graph),
  signature: (program) => signatureText(program.graphSignature),
  ir: (program) => printIr(program),
  json: jsonText,
  "json-ir": jsonIR,
  mermaid: (program, { diagram }) => mermaidText(program, diagram),
  dot: (program, { diagram }) => dotText(program, diagram),
  svg: drawing,
  loops: loopsText,
  ts: sourceText,
};

/** Formats that hold values of constants, or are made by passes that read them. */
const READS_VALUES: ReadonlySet<string> = new Set(["json-ir", "loops", "ts"]);

/** Returns the drawing with frames for modules, up to the folded depth. */
async function drawing(program: ExportedProgram, { diagram: { fold, modules } }: Printing): Promise<string> {
  const { svgText } = await import("@sconce/drawing");
  const isFramed = modules === true || fold !== undefined;
  return svgText(program, { modules: isFramed, ...(fold !== undefined && { depth: fold - 1 }) });
}

/** Returns a module in TypeScript that gives the program when it is exported. */
async function sourceText(program: ExportedProgram, { reader }: Printing): Promise<string> {
  const { typescriptText } = await import("@sconce/capture/typescript");
  return typescriptText(program, { operators: reader.operators });
}

/** Returns the program as a static graph of tensors. */
async function jsonIR(program: ExportedProgram, { session, io }: Printing): Promise<string> {
  const { extractIR } = await import("@sconce/session");
  const onWarning = (message: string): void => io.warn(message);
  return jsonIRText(extractIR(program, { session: await session(), onWarning }));
}

/** Loop nests of the program, brought into their form first. */
async function loopsText(program: ExportedProgram, { session }: Printing): Promise<string> {
  const [{ printLoweredProgram }, { loopsOf }] = await Promise.all([
    import("@sconce/codegen"),
    import("./loops.js"),
  ]);
  return printLoweredProgram(loopsOf(program, await session()).lowered);
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

/** Returns which part of the program a diagram shows. @throws SconceError `USAGE` */
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
  const runsPasses = options.lower === true || options.passes !== undefined;
  const withSession = async (): Promise<Sconce> =>
    (await import("../session.js")).openSession(io, options.plugin, undefined, [file]);
  const session = runsPasses ? await withSession() : undefined;
  const reader = session ?? (await openReader(io, options.plugin, [file]));
  const needsValues = options.passes !== undefined || READS_VALUES.has(options.format);
  const opening: OpenOptions = needsValues ? {} : { weights: "lazy" };
  const loaded = await openWithWeights(file, reader, options.weights, opening);
  const exported =
    session === undefined ? loaded : (await import("../pass-run.js")).runPasses(loaded, session, options, io);
  const printing = { reader, io, diagram, session: async () => session ?? withSession() };
  const text = await FORMATS[options.format](exported, printing);
  // The text to the byte; a line end is added only for the eyes.
  io.exact(io.terminal && !text.endsWith("\n") ? `${text}\n` : text);
}
