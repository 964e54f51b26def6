/** @file Models of the corpus, written in TypeScript, beside the programs that PyTorch exported. */
import { type Exportable, type ExportOptions, exportProgram, nn } from "@sconce/capture";
import { openPt2File } from "@sconce/formats/node";
import { type ExportedProgram, flattenValue, moduleCallRepr } from "@sconce/ir";
import { verify } from "@sconce/ir/verify";
import { runDecompositions } from "@sconce/passes";
import { createSconce } from "@sconce/session";
import { Tensor } from "@sconce/tensor";
import { expect } from "vitest";
import { canonicalProgram, canonicalText } from "../conformance/canonical-program.js";
import { corpusPlugin } from "../conformance/corpus-plugin.js";
import { ProgramFolder } from "../conformance/program-case.js";
import { guardsDifference } from "../conformance/program-texts.js";
import { type Check, callDifference, checkCalls } from "../conformance/programs.js";
import { PROGRAMS } from "../fixtures.js";

const sconce = createSconce({ plugins: [corpusPlugin] });

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
  readonly folder: ProgramFolder;
  /** Gives arguments the names that they have in PyTorch. */
  rename(text: string): string;
  readonly program: ExportedProgram;
  readonly text: string;
  readonly wanted: string;
  /** The text of the decomposed program, and PyTorch's; undefined where none is recorded. */
  readonly lowered: readonly [got: string, wanted: string] | undefined;
  readonly problems: readonly unknown[];
}

const inOrder = (inputs: Inputs): unknown[] => [...inputs];
const noOptions = (): ExportOptions => ({});

/** Returns a model of the corpus with PyTorch's weights. */
async function loaded(folder: ProgramFolder, make: () => CorpusModel): Promise<CorpusModel> {
  const made = make();
  if (made.model instanceof nn.Module && folder.has("program.pt2"))
    loadState(made.model, await openPt2File(`${folder.path}/program.pt2`));
  return made;
}

/** A model of the corpus with PyTorch's weights, and the arguments of the recorded call. */
export interface PreparedModel {
  readonly folder: ProgramFolder;
  readonly model: Exportable;
  readonly args: unknown[];
  readonly options: ExportOptions;
  /** Gives arguments the names that they have in PyTorch. */
  rename(text: string): string;
}

/** Makes a model of the corpus for its recorded call. */
export async function prepareFromCorpus(name: string, make: () => CorpusModel): Promise<PreparedModel> {
  const folder = new ProgramFolder(`${PROGRAMS}${name}`);
  const { model, args = inOrder, options = noOptions, renamed } = await loaded(folder, make);
  const inputs = folder.inputs(folder.info.call!) as unknown as Inputs;
  const rename = (text: string): string => (renamed === undefined ? text : text.replaceAll(...renamed));
  return { folder, model, args: args(inputs), options: options(inputs), rename };
}

/** Exports a model of the corpus, with PyTorch's weights. */
export async function exportFromCorpus(name: string, make: () => CorpusModel): Promise<CorpusExport> {
  const { folder, model, args, options, rename } = await prepareFromCorpus(name, make);
  const program = exportProgram(model, args, { onWarning: () => undefined, ...options });
  const lowered = runDecompositions(program);
  return {
    folder,
    program,
    rename,
    text: comparable(rename(String(program))),
    wanted: comparable(folder.text("program.txt")),
    lowered: await lowerings(folder, program, lowered),
    problems: [
      ...verify(program),
      ...guardProblems(folder, program, lowered),
      ...(await callProblems(folder, program, rename)),
    ],
  };
}

/** A strict export of a model of the corpus. */
export interface StrictExport {
  readonly program: ExportedProgram;
  readonly text: string;
  /** PyTorch's text of the non-strict export. */
  readonly plain: string;
  /** The places that the check could not follow. */
  readonly unchecked: readonly unknown[];
}

/** Exports a model of the corpus in the strict mode, with PyTorch's weights. */
export async function exportStrict(name: string, make: () => CorpusModel): Promise<StrictExport> {
  const { folder, model, args, options, rename } = await prepareFromCorpus(name, make);
  const unchecked: unknown[] = [];
  const program = exportProgram(model, args, {
    onWarning: () => undefined,
    ...options,
    strict: true,
    onUnchecked: (finding) => unchecked.push(finding),
  });
  const text = comparable(rename(String(program)));
  return { program, text, plain: comparable(folder.text("program.txt")), unchecked };
}

/** Returns what differs in the calling conventions of modules. */
async function callProblems(
  folder: ProgramFolder,
  program: ExportedProgram,
  rename: (text: string) => string,
): Promise<string[]> {
  if (!folder.has("program.pt2")) return [];
  const wanted = (await openPt2File(`${folder.path}/program.pt2`)).moduleCallGraph.map(moduleCallRepr);
  const got = program.moduleCallGraph.map((entry) => rename(moduleCallRepr(entry)));
  return got.join("\n") === wanted.join("\n")
    ? []
    : [`module calls: ${got.join("\n")}\n- ${wanted.join("\n- ")}`];
}

function guardProblems(
  { info }: ProgramFolder,
  program: ExportedProgram,
  lowered: ExportedProgram,
): string[] {
  const pairs = [
    [program.guardsCode, info.program.guards_code],
    [lowered.guardsCode, info.decomposed?.guards_code],
  ] as const;
  return pairs.flatMap(([got, wanted]) => {
    if (wanted === undefined) return [];
    const problem = guardsDifference(got, wanted);
    return problem === undefined ? [] : [`guards: ${problem}`];
  });
}

/**
 * Both decomposed programs, up to names of nodes: PyTorch's depend on what the process did before.
 */
async function lowerings(
  folder: ProgramFolder,
  program: ExportedProgram,
  decomposed: ExportedProgram,
): Promise<readonly [string, string] | undefined> {
  const same = folder.info.decomposed?.same_as_program === true;
  if (!same && !folder.has("decomposed.pt2")) return undefined;
  const wanted = canonicalProgram(same ? program : await openPt2File(`${folder.path}/decomposed.pt2`));
  const got = canonicalProgram(decomposed);
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
  const [owner, last] = ownerOf(model, name);
  if (owner?.[last] instanceof Tensor) owner[last] = value;
}

type Owner = Record<string, unknown> | undefined;

function ownerOf(model: unknown, path: string): [owner: Owner, name: string] {
  const parts = path.split(".");
  const last = parts.pop()!;
  let owner = model as Owner;
  for (const part of parts) owner = owner?.[part] as Owner;
  return [owner, last];
}

/** Returns the property of a model at a path, `layer.weight`. */
export function stateAt(model: unknown, path: string): unknown {
  const [owner, last] = ownerOf(model, path);
  return owner?.[last];
}

/**
 * Returns the arguments of a call, with keyword arguments in an object behind the positional ones.
 */
export const withKeywords = (args: readonly unknown[], kwargs: object = {}): readonly unknown[] =>
  Object.keys(kwargs).length > 0 ? [...args, kwargs] : args;

/** Text without comments about sources and annotations, and without empty lines. */
export const comparable = (text: string): string =>
  text
    .split("\n")
    .filter((line) => !/^\s*#\s?(File:|No stacktrace|Annotation:)/.test(line) && line.trim() !== "")
    .join("\n");

/**
 * Returns what differs from the recorded calls: results of the program, state after its calls and
 * what it refuses; and results of the model itself, and its state. `exported` is what
 * {@link exportFromCorpus} gave, where it was called before.
 */
export async function runFromCorpus(
  name: string,
  make: () => CorpusModel,
  exported?: CorpusExport,
): Promise<{ readonly program: readonly Check[]; readonly eager: string | undefined }> {
  const { program, folder, rename } = exported ?? (await exportFromCorpus(name, make));
  const checks = await checkCalls(folder, sconce, program, rename);
  const { more = [], rejected = [] } = folder.info;
  expect(checks).toHaveLength(1 + more.length + rejected.length);
  return {
    program: checks.filter(({ problem }) => problem !== undefined),
    eager: eagerProblem(folder, await loaded(folder, make)),
  };
}

/** Only the first call: further ones are recorded of the program, which has its constants. */
function eagerProblem(
  folder: ProgramFolder,
  { model, args = inOrder, options = noOptions }: CorpusModel,
): string | undefined {
  const call = folder.info.call!;
  const inputs = folder.inputs(call);
  const { kwargs } = options(inputs as unknown as Inputs);
  const given = args(inputs as unknown as Inputs);
  const all = kwargs === undefined ? given : [...given, kwargs];
  const outputs = flattenValue((model as (...given: unknown[]) => unknown)(...all)).leaves;
  return callDifference(folder, call, { outputs, inputs, state: (path) => stateAt(model, path) });
}
