/**
 * @file Programs whose modules are exported again, beside what PyTorch makes of them
 * (`oracle/retraced_programs.py`).
 */
import { createHash } from "node:crypto";
import { Dim, exportProgram } from "@sconce/capture";
import { openPt2File } from "@sconce/formats/node";
import {
  type ExportedProgram,
  FakeTensor,
  flattenValue,
  isSymScalar,
  type MetaValue,
  unflattenTree,
} from "@sconce/ir";
import { callingConvention } from "@sconce/ops";
import { ProgramFolder } from "../conformance/program-case.js";
import { callDifference } from "../conformance/programs.js";
import { fixtureJson, PROGRAMS } from "../fixtures.js";
import { stateAt, withKeywords } from "./harness.fixture.js";

/** What PyTorch makes of a program: fingerprints, or the class of its exception. */
export interface Retraced {
  /** That of the program without comments. */
  readonly program?: string;
  /** That of the modules that the nodes name. */
  readonly modules?: string;
  readonly error?: string;
}

/** PyTorch's results by the names of the programs. */
export const RETRACED = fixtureJson("capture/retraced.json") as Readonly<Record<string, Retraced>>;

/** Exports the module of a program of the corpus again. */
export async function exportAgain(name: string): Promise<Retraced> {
  const again = exportedAgain(await openPt2File(`${PROGRAMS}${name}/program.pt2`));
  return { program: fingerprint(comparable(String(again))), modules: fingerprint(modulesText(again)) };
}

function exportedAgain(program: ExportedProgram): ExportedProgram {
  const { inSpec, forwardArgNames } = callingConvention(program);
  const [args, kwargs] = unflattenTree(program.exampleInputs!.leaves, inSpec) as [unknown[], object];
  const specs = program.graphSignature.inputSpecs.filter(({ kind }) => kind === "USER_INPUT");
  const hints = specs.map(({ arg }) => automatic(program.graph.node(arg.name).meta.val));
  const [positional, named] = unflattenTree(hints, inSpec) as [never[], Record<string, never>];
  const shapes = [...positional, ...Object.values(named)].map(
    (shape, i) => [forwardArgNames![i]!, shape] as const,
  );
  return exportProgram(program.module(), args, {
    kwargs: kwargs as Record<string, unknown>,
    dynamicShapes: specs.length > 0 ? Object.fromEntries(shapes) : null,
    onWarning: () => undefined,
  });
}

/** `Dim.AUTO` for what is symbolic. */
export function automatic(val: MetaValue | undefined): unknown {
  if (isSymScalar(val)) return Dim.AUTO;
  if (!(val instanceof FakeTensor)) return null;
  const dims = val.shape.flatMap((size, i) => (typeof size === "number" ? [] : [[i, Dim.AUTO] as const]));
  return dims.length === 0 ? null : Object.fromEntries(dims);
}

/** Returns the text of a program without comments. */
export const comparable = (text: string): string =>
  text
    .split("\n")
    // Operands of `cond` and loops are tuples, and lists in PyTorch, which read them from a file.
    .map((line) => {
      const isCall = /higher_order\.(?:cond|while_loop)\(/.test(line);
      return isCall ? line.trimEnd().replace(/, \(([^()]*?),?\)(?=[,)])/g, ", [$1]") : line.trimEnd();
    })
    .filter((line) => line !== "" && !/^\s*#\s?(File:|No stacktrace|Annotation:)/.test(line))
    .join("\n");

function modulesText({ graph, moduleCallGraph }: ExportedProgram): string {
  const lines = [...graph.nodes()].flatMap(({ op, name, meta: { nnModuleStack } }) =>
    op !== "call_function" || nnModuleStack === undefined
      ? []
      : [`${name} ${nnModuleStack.map(([key]) => key).join(" ")}`],
  );
  return [moduleCallGraph.map(({ fqn }) => fqn).join(" "), ...lines].join("\n");
}

const fingerprint = (text: string): string => createHash("sha1").update(text).digest("hex").slice(0, 10);

/** Returns what differs between a call of a program's module and the recorded call. */
export async function calledDifference(name: string): Promise<string | undefined> {
  const folder = new ProgramFolder(`${PROGRAMS}${name}`);
  const program = await openPt2File(`${folder.path}/program.pt2`);
  const call = folder.info.call!;
  const inputs = folder.inputs(call);
  const [args, kwargs] = unflattenTree(inputs, callingConvention(program).inSpec) as [unknown[], object];
  const module = program.module();
  const result = module(...withKeywords(args, kwargs));
  const { leaves: outputs } = flattenValue(result);
  return callDifference(folder, call, { outputs, inputs, state: (path) => stateAt(module, path) });
}
