/**
 * @file Programs of the corpus as modules again, beside what PyTorch's `unflatten` gives
 * (`oracle/unflattened_programs.py`).
 */
import { createHash } from "node:crypto";
import {
  exportProgram,
  InterpreterModule,
  InterpreterModuleDispatcher,
  type nn,
  UnflattenedModule,
  unflatten,
} from "@sconce/capture";
import { openPt2File } from "@sconce/formats/node";
import {
  type ExportedProgram,
  flattenValue,
  type Graph,
  graphText,
  unflattenTree,
  type Value,
} from "@sconce/ir";
import { callingConvention } from "@sconce/ops";
import { Tensor } from "@sconce/tensor";
import { ProgramFolder } from "../conformance/program-case.js";
import { callDifference } from "../conformance/programs.js";
import { fixtureJson, PROGRAMS } from "../fixtures.js";
import { type CorpusModel, prepareFromCorpus, stateAt, withKeywords } from "./harness.fixture.js";
import { automatic, comparable } from "./retraced.fixture.js";

/**
 * PyTorch's results by `name/program` and `name/decomposed`: fingerprints of names, graphs,
 * readable code and the program that is exported again; `fails` for the last, `refused` for all.
 */
export const UNFLATTENED = fixtureJson("capture/unflattened.json") as Readonly<Record<string, string>>;

/** Reads a program of the corpus: `net_gpt/program`. */
export const readProgram = (key: string): Promise<ExportedProgram> => openPt2File(`${PROGRAMS}${key}.pt2`);

/** Returns what {@link UNFLATTENED} has before the export: `names graphs readable`. */
export const fingerprintsOf = (module: UnflattenedModule): string =>
  [namesText(module), graphsText(module), readableLines(module)].map(fingerprint).join(" ");

const fingerprint = (text: string): string => createHash("sha1").update(text).digest("hex").slice(0, 7);

/** Modules with their classes, parameters, buffers and the state dict, a line each. */
export function namesText(module: UnflattenedModule): string {
  const modules = module
    .namedModules({ removeDuplicate: false })
    .map(([path, child]) => `${path}: ${classOf(child)}`);
  const tensors = Object.entries({
    parameter: module.namedParameters(),
    buffer: module.namedBuffers(),
    state: [...module.stateDict()],
  }).flatMap(([kind, named]) => named.map(([name]) => `${kind} ${name}`));
  return [...modules, ...tensors].join("\n");
}

function classOf(module: nn.Module): string {
  if (module instanceof UnflattenedModule) return `UnflattenedModule ${module.typeName() ?? "None"}`;
  if (module instanceof InterpreterModule) return `InterpreterModule ${module.typeName() ?? "None"}`;
  if (module instanceof InterpreterModuleDispatcher)
    return `InterpreterModuleDispatcher ${module.typeName()}`;
  return "Module None";
}

/** Returns the graphs of all modules. */
export function graphsText(module: UnflattenedModule): string {
  const bodies = new Map<string, Graph>();
  const parts: string[] = [];
  for (const [path, child] of module.namedModules({ removeDuplicate: false }))
    for (const graph of graphsOf(child) ?? [bodies.get(path)]) {
      if (graph === undefined) continue;
      for (const [name, body] of graph.subgraphs) bodies.set(path === "" ? name : `${path}.${name}`, body);
      parts.push(`${path}:\n${graphText(graph)}`);
    }
  return parts.join("\n\n");
}

function graphsOf(module: nn.Module): Graph[] | undefined {
  if (module instanceof InterpreterModuleDispatcher) return module.callModules().map(({ graph }) => graph);
  return module instanceof UnflattenedModule || module instanceof InterpreterModule
    ? [module.graph]
    : undefined;
}

const readableLines = (module: UnflattenedModule): string =>
  module
    .printReadable()
    .split("\n")
    .map((line) => line.trimEnd())
    .filter((line) => line !== "")
    .join("\n");

/** Returns the fingerprint of the program that is exported of an unflattened one. */
export const fingerprintAgain = (program: ExportedProgram): string =>
  fingerprint(comparable(String(exportAgain(program))));

/** Exports an unflattened program again; its arguments are `...args`. */
function exportAgain(program: ExportedProgram, module = unflatten(program)): ExportedProgram {
  const { inSpec } = callingConvention(program);
  const [args, kwargs] = unflattenTree(program.exampleInputs!.leaves, inSpec) as [unknown[], object];
  const specs = program.graphSignature.inputSpecs.filter(({ kind }) => kind === "USER_INPUT");
  const hints = specs.map(({ arg }) => automatic(program.graph.node(arg.name).meta.val));
  const [positional, named] = unflattenTree(hints, inSpec) as [unknown[], object];
  const shapes = { ...(positional.length > 0 ? { args: positional } : {}), ...named };
  return exportProgram(module, args, {
    kwargs: kwargs as Record<string, unknown>,
    dynamicShapes: hints.every((hint) => hint === null) ? null : (shapes as never),
    onWarning: () => undefined,
  });
}

/** Returns what differs between a call of the unflattened program and the recorded call. */
export function unflattenedDifference(key: string, program: ExportedProgram): string | undefined {
  const folder = new ProgramFolder(`${PROGRAMS}${key.split("/")[0]}`);
  const call = folder.info.call!;
  const inputs = folder.inputs(call);
  const [args, kwargs] = unflattenTree(inputs, callingConvention(program).inSpec) as [unknown[], object];
  return differenceOf(folder, unflatten(program), withKeywords(args, kwargs), inputs);
}

function differenceOf(
  folder: ProgramFolder,
  module: UnflattenedModule,
  args: readonly unknown[],
  inputs: readonly Value[],
): string | undefined {
  const { leaves: outputs } = flattenValue(module(...args));
  return callDifference(folder, folder.info.call!, {
    outputs,
    inputs,
    state: (path) => stateAt(module, path),
  });
}

/**
 * Swaps each module up to a depth below a network by one that was exported alone, with the
 * arguments of its call in the network, and compares the results with the recorded ones. Returns
 * the swapped modules, and what differs.
 */
export async function swapEach(
  name: string,
  make: () => CorpusModel,
  depth = 1,
): Promise<{ readonly swapped: readonly string[]; readonly problems: readonly string[] }> {
  const calls = await callsOfModules(name, make, depth);
  const swapped: string[] = [];
  const problems: string[] = [];
  for (const [path, args] of calls) {
    const { folder, model, args: inputs, options } = await prepareFromCorpus(name, make);
    const quiet = { ...options, onWarning: () => undefined };
    const alone = exportProgram((model as nn.Module).getSubmodule(path), args, {
      onWarning: () => undefined,
    });
    const module = unflatten(exportProgram(model, inputs, { ...quiet, preserveModuleCallSignature: [path] }));
    module.setSubmodule(path, swapped.length % 2 === 0 ? unflatten(alone) : alone.module());
    const given = withKeywords(inputs, options.kwargs);
    const problem = differenceOf(folder, module, given, flattenValue(given).leaves as Value[]);
    if (problem !== undefined) problems.push(`${path}: ${problem}`);
    swapped.push(path);
  }
  return { swapped, problems };
}

/** Returns the arguments of the first call of each module, up to a depth below a network. */
async function callsOfModules(
  name: string,
  make: () => CorpusModel,
  depth: number,
): Promise<Map<string, unknown[]>> {
  const { model, args, options } = await prepareFromCorpus(name, make);
  const calls = new Map<string, unknown[]>();
  for (const [path, child] of (model as nn.Module).namedModules()) {
    if (path === "" || path.split(".").length > depth) continue;
    const forward = child.forward.bind(child) as (...all: readonly unknown[]) => unknown;
    Object.defineProperty(child, "forward", {
      value: (...given: readonly unknown[]): unknown => {
        // The module may write to its arguments.
        if (!calls.has(path)) calls.set(path, given.map(copied));
        return forward(...given);
      },
    });
  }
  (model as (...all: readonly unknown[]) => unknown)(...withKeywords(args, options.kwargs));
  return calls;
}

const copied = (value: unknown): unknown => (value instanceof Tensor ? value.clone() : value);
