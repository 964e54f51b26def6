import {
  type Argument,
  type ArgumentSpec,
  dictSpec,
  ExportedProgram,
  edit,
  FakeTensor,
  type Graph,
  type InputSpec,
  isRef,
  itemsOf,
  LEAF,
  type MetaValue,
  type ModuleCallEntry,
  type Node,
  tuple,
  tupleSpec,
} from "@sconce/ir";
import type { Region } from "./outline.js";

/**
 * Returns a region as a separate program: parameters, buffers and constants stay what they are in
 * the program that it was taken from, other values that it reads are user inputs, all results user
 * outputs.
 */
export function regionProgram(program: ExportedProgram, { graph, outputs }: Region): ExportedProgram {
  const lifted = new Map(
    program.graphSignature.inputSpecs
      .filter(({ kind }) => kind !== "USER_INPUT" && kind !== "TOKEN")
      .map((spec) => [spec.arg.name, spec]),
  );
  return programOf(
    program,
    graph,
    lifted,
    outputs.map((name) => specOf(graph.node(name))),
  );
}

/**
 * Returns a graph as a program. Placeholders named in `lifted` are parameters, buffers and
 * constants of `program`, the others user inputs; results are user outputs.
 */
export function programOfGraph(
  program: ExportedProgram,
  graph: Graph,
  lifted: ReadonlyMap<string, InputSpec> = new Map(),
): ExportedProgram {
  const result = graph.outputArgument();
  const results = (itemsOf(result) ?? [result]).map(
    (value): ArgumentSpec =>
      isRef(value) ? specOf(graph.node(value.name)) : { kind: "constant", name: "", value },
  );
  const own = itemsOf(result) === undefined ? withResults(graph, result) : graph;
  return programOf(program, own, lifted, results);
}

function programOf(
  program: ExportedProgram,
  graph: Graph,
  lifted: ReadonlyMap<string, InputSpec>,
  results: readonly ArgumentSpec[],
): ExportedProgram {
  const inputSpecs = graph
    .placeholders()
    .map(
      (node): InputSpec =>
        lifted.get(node.name) ?? { kind: "USER_INPUT", arg: specOf(node), target: null, persistent: null },
    );
  const targets = new Set(inputSpecs.map(({ target }) => target));
  const held = <T>(all: ReadonlyMap<string, T>): Map<string, T> =>
    new Map([...all].filter(([target]) => targets.has(target)));
  const user = inputSpecs.filter(({ kind }) => kind === "USER_INPUT").map(({ arg }) => arg);
  return new ExportedProgram({
    ...program,
    graph,
    graphSignature: {
      inputSpecs,
      outputSpecs: results.map((arg) => ({ kind: "USER_OUTPUT", arg, target: null })),
    },
    stateDict: held(program.stateDict),
    parameterNames: new Set([...program.parameterNames].filter((target) => targets.has(target))),
    constants: held(program.constants),
    moduleCallGraph: [rootCall(user, results)],
    guardsCode: [],
    exampleInputs: null,
    history: [],
  });
}

/** A program returns a tuple, a nested graph may return one bare value. */
const withResults = (graph: Graph, result: Argument): Graph =>
  edit(graph, (e) => e.setOutput(tuple([result])));

/** Takes flat positional arguments and gives a tuple. */
const rootCall = (inputs: readonly ArgumentSpec[], outputs: readonly ArgumentSpec[]): ModuleCallEntry => ({
  fqn: "",
  signature: {
    inputs,
    outputs,
    inSpec: tupleSpec([tupleSpec(inputs.map(() => LEAF)), dictSpec([])]),
    outSpec: tupleSpec(outputs.map(() => LEAF)),
    forwardArgNames: inputs.map(({ name }) => name),
  },
});

const KINDS = { SymInt: "symint", SymFloat: "symfloat", SymBool: "symbool" } as const;

function specOf({ name, meta }: Node): ArgumentSpec {
  const val = meta.val as Exclude<MetaValue, readonly MetaValue[]> | undefined;
  if (val === null || val === undefined || val instanceof FakeTensor) return { kind: "tensor", name };
  return { kind: val.kind in KINDS ? KINDS[val.kind as keyof typeof KINDS] : "tensor", name };
}
