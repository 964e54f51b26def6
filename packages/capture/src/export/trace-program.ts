/** @file Runs a model on traced tensors and makes a program of what it did. */
import { type Argument, type ExportedProgram, flattenValue, keyPathText, unflattenTree } from "@sconce/ir";
import { ShapeEnv } from "@sconce/symbolic";
import { Tensor } from "@sconce/tensor";
import { checkSource } from "../check/check-source.js";
import { sourceProblems } from "../check/errors.js";
import type { Module } from "../nn/module.js";
import { flattenInputs, type InputLeaves } from "../pytree/input-leaves.js";
import { requireInputLeaf, requireOutputLeaf } from "../pytree/leaf-kinds.js";
import { type FunctionParameter, functionParameters } from "../source/function-parameters.js";
import type { AnyFunction } from "../source/parse-function.js";
import { withTrace } from "../trace/dispatch.js";
import { fakeOf } from "../trace/real-tensor.js";
import { isSym } from "../trace/sym-int.js";
import type { TraceArgument, TraceNode } from "../trace/trace-node.js";
import { TracedTensor } from "../trace/traced-tensor.js";
import { ExportTracer } from "./export-tracer.js";
import { finishProgram } from "./finish-program.js";
import { type ModuleState, type StateEntry, stateOf, withTracedState } from "./module-state.js";

/** A model with the arguments that it is traced with. */
export interface TraceRequest {
  readonly call: AnyFunction;
  /** The module that is called; undefined for a function. */
  readonly module: Module | undefined;
  readonly args: readonly unknown[];
  readonly kwargs: Readonly<Record<string, unknown>>;
  readonly warn: (message: string) => void;
  /** Whether the source is checked before it runs. */
  readonly checksSource: boolean;
}

const NO_STATE: ModuleState = { entries: [], constantNames: new Map(), modules: [] };

/** Traces a model. */
export function traceProgram(request: TraceRequest): ExportedProgram {
  const { call, module, args, kwargs, warn } = request;
  const source = module === undefined ? call : (module.forward as AnyFunction);
  const parameters = functionParameters(source);
  const inputs = flattenInputs(parameters, args, kwargs);
  const state = module === undefined ? NO_STATE : stateOf(module);
  const env = new ShapeEnv();
  const tracer = new ExportTracer({ env, modules: state.modules });
  const { traced, nodes: stateNodes } = traceState(tracer, state);
  const { values, nodes: userNodes } = traceInputs(tracer, inputs);
  const given = callArguments(inputs, values);
  if (request.checksSource) {
    const { errors } = checkSource(source, { thisValue: module, args: given });
    if (errors.length > 0) throw sourceProblems(errors);
  }
  const { result, changes } = withTracedState(state, traced, () =>
    withTrace(tracer, () => (call as (...all: unknown[]) => unknown)(...given)),
  );
  const outputs = flattenValue(result);
  outputs.leaves.forEach(requireOutputLeaf);
  const results = outputs.leaves.map((leaf) => outputArgument(tracer, leaf));
  for (const [entry, value] of changes.assigned)
    if (value instanceof Tensor) tracer.copyTo(stateNodes.get(entry)!, value);
  if (changes.attributes.length > 0) warn(assignedAttributes(changes.attributes));
  return finishProgram({
    tracer,
    state,
    stateNodes,
    inputs,
    userNodes,
    results,
    outputs,
    argumentNames: argumentNames(parameters, args.length, kwargs),
  });
}

/** Placeholders for parameters and buffers, one for each name. */
function traceState(
  tracer: ExportTracer,
  state: ModuleState,
): { readonly traced: Map<StateEntry, TracedTensor>; readonly nodes: Map<StateEntry, TraceNode> } {
  const traced = new Map<StateEntry, TracedTensor>();
  const nodes = new Map<StateEntry, TraceNode>();
  const shared = new Map<Tensor, TracedTensor>();
  for (const entry of state.entries) {
    const tensor = shared.get(entry.value) ?? new TracedTensor(fakeOf(entry.value));
    shared.set(entry.value, tensor);
    nodes.set(entry, tracer.placeholder(tensor.fake));
    traced.set(entry, tensor);
  }
  return { traced, nodes };
}

/** Placeholders for the user's inputs; a tensor that is given twice is known by the last. */
function traceInputs(
  tracer: ExportTracer,
  { leaves }: InputLeaves,
): { readonly values: unknown[]; readonly nodes: TraceNode[] } {
  const nodes: TraceNode[] = [];
  const shared = new Map<Tensor, TracedTensor>();
  const values = leaves.map(({ value, path }) => {
    const leaf = requireInputLeaf(value, keyPathText(path));
    if (!(leaf instanceof Tensor)) {
      nodes.push(tracer.placeholder({ kind: "constant", value: leaf as Argument }));
      return leaf;
    }
    const tensor = shared.get(leaf) ?? new TracedTensor(fakeOf(leaf));
    shared.set(leaf, tensor);
    nodes.push(tracer.placeholder(tensor.fake));
    return tensor;
  });
  return { values, nodes };
}

/** Keyword arguments are an object behind the positional ones. */
function callArguments({ spec }: InputLeaves, values: readonly unknown[]): unknown[] {
  const [args, kwargs] = unflattenTree(values, spec) as [unknown[], Record<string, unknown>];
  return Object.keys(kwargs).length === 0 ? args : [...args, kwargs];
}

function outputArgument(tracer: ExportTracer, leaf: unknown): TraceArgument {
  if (leaf instanceof TracedTensor) return tracer.nodeOf(leaf);
  if (leaf instanceof Tensor) return tracer.constantNode(leaf);
  return isSym(leaf) ? tracer.scalarArgument(leaf) : (leaf as Argument);
}

/** Names of the arguments (`_get_forward_arg_names`): positional ones, then keywords. */
function argumentNames(
  parameters: readonly FunctionParameter[] | undefined,
  count: number,
  kwargs: Readonly<Record<string, unknown>>,
): string[] {
  const rest = parameters?.findIndex(({ isRest }) => isRest) ?? -1;
  const positional = Array.from({ length: count }, (_, i) =>
    rest >= 0 && i >= rest
      ? `${parameters![rest]!.name ?? "args"}_${i - rest}`
      : (parameters?.[i]?.name ?? `args_${i}`),
  );
  return [...positional, ...Object.keys(kwargs)];
}

/** The warning of PyTorch. */
function assignedAttributes(paths: readonly string[]): string {
  const [noun, verb] = paths.length === 1 ? ["attribute", "was"] : ["attributes", "were"];
  return `The tensor ${noun} ${paths.join(", ")} ${verb} assigned during export. Such attributes must be registered as buffers using the \`registerBuffer\` API.`;
}
