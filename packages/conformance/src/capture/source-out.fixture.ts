/** @file Programs written as TypeScript, run, and exported again, beside what PyTorch recorded. */
import * as capture from "@sconce/capture";
import { type SourceDifference, typescriptModule, typescriptText } from "@sconce/capture/typescript";
import { openPt2File } from "@sconce/formats/node";
import { type ExportedProgram, flattenValue, unflattenTree } from "@sconce/ir";
import { callingConvention } from "@sconce/ops";
import { runDecompositions } from "@sconce/passes";
import * as session from "@sconce/session";
import * as publicNames from "@sconce/session/public";
import { transformSync } from "esbuild";
import { canonicalProgram, canonicalText } from "../conformance/canonical-program.js";
import { corpusPlugin } from "../conformance/corpus-plugin.js";
import { ProgramFolder } from "../conformance/program-case.js";
import { callDifference, checkCalls } from "../conformance/programs.js";
import { PROGRAMS } from "../fixtures.js";
import { comparable, stateAt, withKeywords } from "./harness.fixture.js";

const sconce = session.createSconce({ plugins: [corpusPlugin] });

/** What a written module exports. */
export interface WrittenModule {
  readonly model: capture.nn.Module;
  readonly args: readonly unknown[];
  readonly kwargs?: Readonly<Record<string, unknown>>;
  readonly dynamicShapes?: capture.DynamicShapes;
  readonly load?: (program: ExportedProgram) => capture.nn.Module;
}

/** Runs the text of a module, which imports Sconce and nothing else. */
export function runModule(text: string): WrittenModule {
  const { code } = transformSync(text, { loader: "ts", format: "cjs", target: "es2022" });
  const module = { exports: {} };
  const require = (name: string): unknown => {
    if (name !== "sconce") throw new Error(`a written module imports ${name}`);
    return { ...publicNames, ...capture };
  };
  new Function("require", "module", "exports", code)(require, module, module.exports);
  return module.exports as WrittenModule;
}

/** Exports what a written module says. */
export const exportModule = ({ model, args, kwargs, dynamicShapes }: WrittenModule): ExportedProgram =>
  capture.exportProgram(model, args, { kwargs, dynamicShapes, onWarning: () => undefined });

/** How a program that was written and exported again is beside PyTorch's text. */
export interface RoundTrip {
  readonly text: string;
  readonly differences: readonly SourceDifference[];
  /** Whether the texts are equal, equal but for names of nodes, or not. */
  readonly result: "equal" | "names" | "different";
  readonly got: string;
  readonly wanted: string;
}

/** Opens a program of the corpus, as exported or lowered. */
export const openCorpusProgram = (name: string, file: "program" | "decomposed"): Promise<ExportedProgram> =>
  openPt2File(`${PROGRAMS}${name}/${file}.pt2`);

/** Writes a program as TypeScript, and exports what was written; lowered programs are lowered. */
export async function writtenAgain(name: string, file: "program" | "decomposed"): Promise<RoundTrip> {
  const program = await openCorpusProgram(name, file);
  const { text, differences } = typescriptModule(program);
  const exported = exportModule(runModule(text));
  const again = file === "program" ? exported : runDecompositions(exported);
  const recorded = new ProgramFolder(`${PROGRAMS}${name}`).text(`${file}.txt`);
  const [got, wanted] = [comparable(String(again)), comparable(recorded)];
  // A file lacks the names of nodes that read nested graphs.
  if (got === wanted || got === comparable(String(program)))
    return { text, differences, result: "equal", got, wanted };
  const canonical = [canonicalProgram(again), canonicalProgram(program)] as const;
  const [renamed, other] = [
    asPrinted(canonicalText(canonical[0], canonical[1])),
    asPrinted(canonicalText(canonical[1], canonical[0])),
  ];
  return renamed === other
    ? { text, differences, result: "names", got, wanted }
    : { text, differences, result: "different", got: renamed, wanted: other };
}

/**
 * A file has lists where nested graphs have tuples, and the range of a float looks as that of an
 * integer.
 */
const asPrinted = (text: string): string =>
  comparable(text)
    .replace(/\b(zuf#?\d+: VR)\[-int_oo, int_oo\]/g, "$1[-oo, oo]")
    .split("\n")
    .map((line) =>
      /higher_order\.|^\s*return/.test(line) ? line.replace(/[[(]/g, "(").replace(/,?[\])]/g, ")") : line,
    )
    .join("\n");

/**
 * Returns what differs from the recorded calls in the results of a written program, exported with
 * the state of the file, and in those of the model itself.
 */
export async function writtenCallProblems(name: string): Promise<(string | undefined)[]> {
  const folder = new ProgramFolder(`${PROGRAMS}${name}`);
  const program = await openCorpusProgram(name, "program");
  const module = runModule(typescriptText(program));
  module.load?.(program);
  const checks = await checkCalls(folder, sconce, exportModule(module));
  const call = folder.info.call!;
  const inputs = folder.inputs(call);
  const [args, kwargs] = unflattenTree(inputs, callingConvention(program).inSpec) as [unknown[], object];
  const fresh = runModule(typescriptText(program));
  fresh.load?.(program);
  const { leaves: outputs } = flattenValue(
    (fresh.model as unknown as (...given: unknown[]) => unknown)(...withKeywords(args, kwargs)),
  );
  const eager = callDifference(folder, call, {
    outputs,
    inputs,
    state: (path) => stateAt(fresh.model, path),
  });
  return [...checks.map(({ problem }) => problem), eager].filter((problem) => problem !== undefined);
}
