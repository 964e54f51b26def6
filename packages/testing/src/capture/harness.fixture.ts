/** @file Models of the corpus, written in TypeScript, beside the programs that PyTorch exported. */
import { fileURLToPath } from "node:url";
import { cpuBackend } from "@sconce/backend-cpu";
import { type Exportable, type ExportOptions, exportProgram, nn } from "@sconce/capture";
import { openPt2File } from "@sconce/formats/node";
import { type ExportedProgram, flattenValue, type Value } from "@sconce/ir";
import { verify } from "@sconce/ir/verify";
import { runDecompositions } from "@sconce/passes";
import { Tensor, tensorDifference } from "@sconce/tensor";
import { canonicalProgram, canonicalText } from "../conformance/canonical-program.js";
import { ProgramFolder } from "../conformance/program-case.js";

const FOLDER = fileURLToPath(new URL("../../fixtures/programs/", import.meta.url));

/** The flattened inputs of a recorded call, which need not all be tensors. */
type Inputs = readonly [Tensor, Tensor, Tensor, Tensor, Tensor, Tensor, Tensor, Tensor, ...Tensor[]];

/** A model of the corpus: how it is made, and how the recorded inputs are its arguments. */
export interface CorpusModel {
  readonly model: Exportable;
  /** The positional arguments, from the flattened inputs. @defaultValue all inputs in order */
  readonly args?: (inputs: Inputs) => unknown[];
  readonly options?: (inputs: Inputs) => ExportOptions;
  /** Names of arguments that are words of JavaScript, as they are here and there. */
  readonly renamed?: readonly [here: string, there: string];
}

/** Models by the names of their programs. */
export type CorpusModels = Readonly<Record<string, () => CorpusModel>>;

/** What an export gave, in comparable form. */
export interface CorpusExport {
  readonly program: ExportedProgram;
  readonly text: string;
  readonly wanted: string;
  /** The text of the decomposed program, and PyTorch's; undefined where it is the same program. */
  readonly lowered: readonly [got: string, wanted: string] | undefined;
  readonly problems: readonly unknown[];
}

/** Exports a model of the corpus, with PyTorch's weights. */
export async function exportFromCorpus(name: string, make: () => CorpusModel): Promise<CorpusExport> {
  const folder = new ProgramFolder(`${FOLDER}${name}`);
  const { model, args = (inputs) => [...inputs], options = () => ({}), renamed } = make();
  const recorded = await openPt2File(`${FOLDER}${name}/program.pt2`).catch(() => undefined);
  if (model instanceof nn.Module && recorded !== undefined) loadState(model, recorded);
  const inputs = folder.inputs(folder.info.call!) as unknown as Inputs;
  const rename = (text: string): string =>
    comparable(renamed === undefined ? text : text.replaceAll(...renamed));
  const program = exportProgram(model, args(inputs), { onWarning: () => undefined, ...options(inputs) });
  return {
    program,
    text: rename(String(program)),
    wanted: comparable(folder.text("program.txt")),
    lowered: await lowerings(name, folder, program),
    problems: verify(program),
  };
}

/**
 * Both decomposed programs, up to names of nodes: PyTorch's depend on what the process did before.
 */
async function lowerings(
  name: string,
  folder: ProgramFolder,
  program: ExportedProgram,
): Promise<readonly [string, string] | undefined> {
  if (!folder.has("decomposed.pt2")) return undefined;
  const wanted = canonicalProgram(await openPt2File(`${FOLDER}${name}/decomposed.pt2`));
  const got = canonicalProgram(runDecompositions(program));
  return [comparable(canonicalText(got, wanted)), floatRanges(comparable(canonicalText(wanted, got)))];
}

/** In a file the range of a float looks as that of an integer. */
const floatRanges = (text: string): string =>
  text.replace(/\b(zuf#?\d+: VR)\[-int_oo, int_oo\]/g, "$1[-oo, oo]");

function loadState(model: nn.Module, { stateDict, constants }: ExportedProgram): void {
  model.loadStateDict(stateDict);
  for (const [name, value] of constants) setByPath(model, name, value);
}

/** Constants are plain attributes; non-persistent buffers too are not in the state dict. */
function setByPath(model: nn.Module, name: string, value: Tensor): void {
  const parts = name.split(".");
  const last = parts.pop()!;
  type Owner = Record<string, unknown> | undefined;
  let owner = model as unknown as Owner;
  for (const part of parts) owner = owner?.[part] as Owner;
  if (owner?.[last] instanceof Tensor) owner[last] = value;
}

/** Text without source comments, symbols numbered in order of appearance. */
function comparable(text: string): string {
  const symbols = new Map<string, string>();
  return text
    .split("\n")
    .filter((line) => !/^\s*#\s?(File:|No stacktrace|Annotation:)/.test(line) && line.trim() !== "")
    .join("\n")
    .replace(/\bs\d+\b/g, (symbol) => {
      if (!symbols.has(symbol)) symbols.set(symbol, `s<${symbols.size}>`);
      return symbols.get(symbol)!;
    });
}

/** The greatest difference of a program's results, and of the model's own, from PyTorch's. */
export async function runFromCorpus(
  name: string,
  make: () => CorpusModel,
): Promise<{ readonly program: string[]; readonly eager: string[] }> {
  const folder = new ProgramFolder(`${FOLDER}${name}`);
  const { tolerance } = folder.info;
  const { program } = await exportFromCorpus(name, make);
  const call = folder.info.call!;
  const { values } = folder.outputs(call);
  const executable = await cpuBackend().compile(program);
  const outputs = await executable.run(folder.inputs(call));
  executable.dispose();
  const { model, args = (inputs) => [...inputs], options = (): ExportOptions => ({}) } = make();
  const recorded = await openPt2File(`${FOLDER}${name}/program.pt2`).catch(() => undefined);
  if (model instanceof nn.Module && recorded !== undefined) loadState(model, recorded);
  const inputs = folder.inputs(call) as unknown as Inputs;
  const { kwargs }: ExportOptions = options(inputs);
  const all = kwargs === undefined ? args(inputs) : [...args(inputs), kwargs];
  const eager = flattenValue((model as (...given: unknown[]) => unknown)(...all)).leaves;
  const differences = (got: readonly unknown[]): string[] =>
    values.flatMap((want, i) => difference(got[i], want, tolerance, i));
  return { program: differences(outputs), eager: differences(eager) };
}

function difference(
  got: unknown,
  want: Value,
  tolerance: { readonly rtol: number; readonly atol: number },
  at: number,
): string[] {
  if (!(want instanceof Tensor)) return [];
  if (!(got instanceof Tensor)) return [`output ${at} is ${String(got)}`];
  const problem = tensorDifference(got, want, tolerance);
  return problem === undefined ? [] : [`output ${at}: ${problem}`];
}
