/** @file The program of a finished trace: its graph, its signature and its state. */

import {
  type Argument,
  type ArgumentSpec,
  ExportedProgram,
  FakeTensor,
  type Graph,
  type GraphSignature,
  type InputSpec,
  isRef,
  isSymScalar,
  type ModuleCallEntry,
  Namespace,
  type OutputSpec,
  type TreeSpec,
} from "@sconce/ir";
import type { Tensor } from "@sconce/tensor";
import {
  type TraceArgument,
  type TraceNode,
  withMetadataAsserts,
  withOperandAsserts,
  withRegions,
  withRuntimeAsserts,
} from "@sconce/torch";
import {
  exactRange,
  finalArgument,
  visitOperands,
  withoutCommonItems,
  withoutDeadSizes,
} from "@sconce/trace";
import type { SolvedConstraints } from "../dynamic/index.js";
import type { InputLeaves } from "../pytree/input-leaves.js";
import { placeholderNames } from "../pytree/placeholder-names.js";
import type { ExportTracer } from "./export-tracer.js";
import { finishGraph } from "./finish-graph.js";
import { liftedNames, unusedConstants } from "./lifted-constants.js";
import type { PreservedCalls } from "./module-calls.js";
import type { ModuleState, StateEntry } from "./module-state.js";
import { allState, type StateInput, usedState } from "./strict-state.js";

/** The parts of a program. */
export interface TraceResult {
  readonly tracer: ExportTracer;
  readonly state: ModuleState;
  /** Calls whose conventions are preserved. */
  readonly preserved: PreservedCalls | undefined;
  readonly stateNodes: ReadonlyMap<StateEntry, TraceNode>;
  /** Parameters and buffers in the order in which the model read them first. */
  readonly read: readonly StateEntry[];
  readonly inputs: InputLeaves;
  /** Dims of the inputs that `Dim.DYNAMIC` marks, by the places of the leaves. */
  readonly markedDims: ReadonlyMap<number, readonly number[]>;
  readonly userNodes: readonly TraceNode[];
  readonly results: readonly TraceArgument[];
  readonly outputs: { readonly leaves: readonly unknown[]; readonly spec: TreeSpec };
  /** What the program declares of its sizes. */
  readonly solved: SolvedConstraints;
  readonly argumentNames: readonly string[];
  /** Operators whose results were taken from their kernels, in a draft. */
  readonly inferred?: ReadonlySet<string> | undefined;
}

/** Makes the program. */
export function finishProgram(trace: TraceResult): ExportedProgram {
  const { tracer, state, inputs, solved } = trace;
  const { nodes, constants } = withoutUnused(trace);
  const { graph, inputs: stateInputs } = graphOf(trace, nodes, constants);
  const { entries } = state;
  return new ExportedProgram({
    graph,
    graphSignature: signatureOf(trace, stateInputs, constants, graph),
    stateDict: new Map(entries.filter(isState).map(({ fqn, value }) => [fqn, value])),
    parameterNames: new Set(entries.filter(({ kind }) => kind === "PARAMETER").map(({ fqn }) => fqn)),
    constants: new Map([
      ...constants.flatMap(({ fqns, value }) => fqns.map((fqn) => [fqn, value] as const)),
      ...entries.filter((entry) => !isState(entry)).map(({ fqn, value }) => [fqn, value] as const),
    ]),
    rangeConstraints: new Map([...solved.rangeConstraints].map(([name, range]) => [name, exactRange(range)])),
    guardsCode: solved.guardsCode,
    symbolHints: tracer.env.hints,
    moduleCallGraph: [rootCall(trace), ...moduleCalls(trace)],
    exampleInputs: {
      leaves: inputs.leaves.map(({ value }) => value as Tensor | Argument),
      ...(trace.markedDims.size === 0 ? {} : { markedDims: trace.markedDims }),
    },
    dialect: "TRAINING",
  });
}

/** Returns the graph, under the names that PyTorch gives, and the state that it takes. */
function graphOf(
  trace: TraceResult,
  nodes: readonly TraceNode[],
  constants: readonly Constant[],
): { readonly graph: Graph; readonly inputs: readonly StateInput[] } {
  const { tracer, stateNodes, inputs, userNodes, results, read } = trace;
  const { env } = tracer;
  const live = withoutDeadSizes(nodes, results);
  const traced = tracer.isStrict ? namedAgain(tracer, live) : tracer.names;
  const asserted = withRuntimeAsserts({ nodes: live, results, names: traced, env, isNested: false });
  const converted = withMetadataAsserts(asserted, traced);
  const checked = withoutCommonItems(withOperandAsserts(converted, traced, trace.inferred));
  const calls = checked.filter(({ op }) => op !== "placeholder");
  for (const { node, fqns } of constants) node.name = fqns[0]!.replaceAll(".", "_");
  const placeholders = live.filter(({ op }) => op === "placeholder");
  const taken = [...placeholders, ...constants.map(({ node }) => node)];
  const { nodes: body, regions } = withRegions({ inputs: taken, nodes: calls, results });
  const state = tracer.isStrict ? usedState(stateNodes, calls, results, read) : allState(stateNodes);
  const names = placeholderNames(inputs.names, [
    ...state.map(({ entry: { kind }, path }) => ({ kind, target: path })),
    ...constants.map(({ fqns }) => ({ kind: "CONSTANT_TENSOR" as const, target: fqns[0]! })),
  ]);
  const lifted = [...state.map(({ node }) => node), ...constants.map(({ node }) => node)];
  lifted.forEach((node, i) => {
    node.name = names.lifted[i]!;
  });
  userNodes.forEach((node, i) => {
    node.name = names.user[i]!;
  });
  const graph = finishGraph({
    inputs: [...lifted, ...userNodes],
    names: names.others,
    body,
    outputs: results,
    env,
    regions,
  });
  return { graph, inputs: state };
}

/** Returns the names of the second trace of a strict export: it names what TorchDynamo keeps. */
function namedAgain({ nodes, decisions, discards }: ExportTracer, live: readonly TraceNode[]): Namespace {
  const names = new Namespace();
  const kept = new Set(live);
  const readers = new Map<TraceNode, TraceNode[]>();
  for (const node of nodes)
    visitOperands(node, (operand) => {
      readers.set(operand, [...(readers.get(operand) ?? []), node]);
    });
  const dropped = new Set<TraceNode>();
  for (const node of [...nodes].reverse()) {
    const own = readers.get(node) ?? [];
    const isUnused = own.length === 0 ? decisions.has(node) : own.every((reader) => dropped.has(reader));
    if (!kept.has(node) && isUnused) dropped.add(node);
  }
  let next = 0;
  const take = (before: number): void => {
    for (; (discards[next]?.before ?? Number.POSITIVE_INFINITY) <= before; next++)
      for (const name of discards[next]!.functions) names.create(name);
  };
  for (const [i, node] of nodes.entries()) {
    take(i);
    if (dropped.has(node)) continue;
    const isCall = node.op === "call_function";
    node.name = names.create(isCall ? node.name.replace(/_\d+$/, "") : node.name);
  }
  take(nodes.length);
  return names;
}

function signatureOf(
  { userNodes, results }: TraceResult,
  stateInputs: readonly StateInput[],
  constants: readonly Constant[],
  graph: Graph,
): GraphSignature {
  const liftedConstants = constants.map(({ node: { name }, fqns }): InputSpec => {
    return { kind: "CONSTANT_TENSOR", arg: { kind: "tensor", name }, target: fqns[0]!, persistent: null };
  });
  const user = userNodes.map((node): InputSpec => {
    return { kind: "USER_INPUT", arg: inputArgument(node), target: null, persistent: null };
  });
  const outputSpecs = results.map((result): OutputSpec => {
    return { kind: "USER_OUTPUT", arg: outputArgument(finalArgument(result), graph), target: null };
  });
  const state = stateInputs.map(stateSpec);
  return { inputSpecs: [...state, ...liftedConstants, ...user], outputSpecs };
}

/** Parameters and persistent buffers are the state dict; other buffers are constants. */
const isState = ({ kind, persistent }: StateEntry): boolean => kind === "PARAMETER" || persistent === true;

const stateSpec = ({ entry: { kind, fqn, persistent }, node }: StateInput): InputSpec => ({
  kind,
  arg: { kind: "tensor", name: node.name },
  target: fqn,
  persistent,
});

function rootCall({ inputs, outputs, argumentNames }: TraceResult): ModuleCallEntry {
  const { spec: inSpec } = inputs;
  const { spec: outSpec } = outputs;
  return {
    fqn: "",
    signature: { inputs: [], outputs: [], inSpec, outSpec, forwardArgNames: argumentNames },
  };
}

function moduleCalls({ state, preserved }: TraceResult): ModuleCallEntry[] {
  const paths = state.modules.slice(1).map(([path]) => path);
  return preserved?.entries(paths) ?? paths.map((fqn) => ({ fqn, signature: null }));
}

/** A constant of the program with its names. */
interface Constant {
  readonly node: TraceNode;
  readonly value: Tensor;
  readonly fqns: readonly string[];
}

/**
 * Returns what the program keeps of the trace: unused copies of constants go, with their constants.
 */
function withoutUnused(trace: TraceResult): {
  readonly nodes: readonly TraceNode[];
  readonly constants: readonly Constant[];
} {
  const { tracer, results, preserved } = trace;
  const { nodes, constants } = tracer;
  // The calling convention of a module may name what nothing else uses.
  if (constants.size === 0 || preserved !== undefined)
    return { nodes, constants: constantsOf(trace, constants) };
  const unused = unusedConstants(nodes, results, constants.values());
  return {
    nodes: nodes.filter((node) => !unused.has(node)),
    constants: constantsOf(
      trace,
      [...constants].filter(([, node]) => !unused.has(node)),
    ),
  };
}

/** Constants in order of use; those that no module has are numbered. */
function constantsOf(
  { state: { entries, constantNames } }: TraceResult,
  used: Iterable<readonly [Tensor, TraceNode]>,
): Constant[] {
  const nameOf = liftedNames(
    new Set([...entries.map(({ fqn }) => fqn), ...[...constantNames.values()].flat()]),
  );
  return [...used].map(([value, node]) => ({
    node,
    value,
    fqns: constantNames.get(value) ?? [nameOf(node)],
  }));
}

const KINDS = { SymInt: "symint", SymFloat: "symfloat", SymBool: "symbool" } as const;

function inputArgument({ name, val }: TraceNode): ArgumentSpec {
  if (isSymScalar(val)) return { kind: KINDS[val.kind], name };
  if (val instanceof FakeTensor) return { kind: "tensor", name };
  return { kind: "constant", name, value: (val as { readonly value: Argument }).value };
}

function outputArgument(argument: Argument, graph: Graph): ArgumentSpec {
  if (!isRef(argument)) return { kind: "constant", name: "", value: argument };
  const { name } = argument;
  const { val } = graph.node(name).meta;
  return { kind: isSymScalar(val) ? KINDS[val.kind] : "tensor", name };
}
