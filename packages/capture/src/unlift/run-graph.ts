/** @file Runs a graph by calls of operators: at once, or into a trace. */

import {
  type Argument,
  type DictLiteral,
  type DTypeLiteral,
  flattenTree,
  type Graph,
  isRef,
  itemsOf,
  type Node,
  type TreeSpec,
  unflattenTree,
} from "@sconce/ir";
import {
  type GraphRunner,
  HIGHER_ORDER,
  HOST_TENSORS,
  isLaneCall,
  isScalarFunction,
  itemOf,
  lanesEnd,
  type NestedGraph,
  opensLanes,
  type RuntimeValue,
  type Steps,
} from "@sconce/ops";
import type { Tensor } from "@sconce/tensor";
import {
  applyPythonOperator,
  autocast,
  callOperator,
  currentTrace,
  enableGrad,
  noGrad,
  numelOf,
  type OperatorArgument,
  requireCondition,
  SET_GRAD,
  SymBool,
  sizeOf,
  storageOffsetOf,
  stridesOf,
  Tracer,
} from "@sconce/torch";
import { notRetraceable, notRunnable } from "./errors.js";
import { itemCall, runLanes } from "./lanes.js";
import { retraceGraphs } from "./nested-graphs.js";
import { GETITEM, TREE_FLATTEN_SPEC, TREE_UNFLATTEN } from "./tree-calls.js";

/** What a graph needs of the module that it belongs to. */
export interface GraphOwner {
  /** The operators that control flow calls are looked up in. */
  readonly operators: GraphRunner<Tensor>["operators"];
  /** Returns the tensor of a `get_attr`. */
  attribute(node: Node): unknown;
  /** Calls the module that a `call_module` names. */
  callModule?(node: Node, args: readonly unknown[], kwargs: Readonly<Record<string, unknown>>): unknown;
  /** Runs a node; a trace gives its metadata to the nodes that it records. */
  step<T>(node: Node, run: () => T): T;
}

/** Returns the values of the graph's result, for the values of its placeholders. */
export function runGraph(graph: Graph, inputs: readonly unknown[], owner: GraphOwner): readonly unknown[] {
  const result = graphResult(graph, inputs, owner);
  return Array.isArray(result) ? (result as readonly unknown[]) : [result];
}

/**
 * Returns the graph's result, for the values of its placeholders: a bare value where it returns
 * one.
 */
export function graphResult(graph: Graph, inputs: readonly unknown[], owner: GraphOwner): unknown {
  const nodes = [...graph.nodes()];
  const values = new Map<string, unknown>();
  const placeholders = nodes.filter(({ op }) => op === "placeholder");
  for (const [i, { name }] of placeholders.entries()) values.set(name, inputs[i]);
  runNodes({ graph, owner, values }, nodes);
  const output = nodes.find(({ op }) => op === "output");
  return output === undefined ? [] : argumentValue(output.args[0] ?? null, values);
}

/** A graph with the values of the nodes that ran. */
interface Run {
  readonly graph: Graph;
  readonly owner: GraphOwner;
  readonly values: Map<string, unknown>;
}

function runNodes(run: Run, nodes: readonly Node[]): void {
  const { graph, owner, values } = run;
  for (let i = 0; i < nodes.length; i++) {
    const node = nodes[i]!;
    if (node.op === "placeholder" || node.op === "output") continue;
    if (node.op === "get_attr") values.set(node.name, attributeOf(graph, node, owner));
    else if (opensLanes(node.target) && currentTrace() === undefined) i = runRegion(run, nodes, i);
    else
      values.set(
        node.name,
        owner.step(node, () => runCall(node, values, owner)),
      );
  }
}

/** Runs a region of `vmap`; returns the index of the call that closes it. */
function runRegion(run: Run, nodes: readonly Node[], start: number): number {
  const { values } = run;
  const begin = nodes[start]!;
  const end = lanesEnd(nodes.length, start, (at) => nodes[at]!.target);
  if (end < 0) throw notRunnable(`${begin.target}, whose region is not closed,`, begin.name);
  const region = nodes.slice(start + 1, end);
  const count = Number(argumentValue(begin.args[0] ?? 0, values));
  const leaving = runLanes(region, count, () => {
    runNodes(run, region);
    return values;
  });
  for (const [name, value] of leaving) values.set(name, value);
  return end;
}

function attributeOf(graph: Graph, node: Node, owner: GraphOwner): unknown {
  const nested = graph.subgraphs.get(node.target);
  return nested === undefined ? owner.attribute(node) : { name: node.target, graph: nested };
}

/** Returns an argument with the values of the nodes that it names. */
function argumentValue(argument: Argument, values: ReadonlyMap<string, unknown>): unknown {
  if (typeof argument !== "object" || argument === null) return argument;
  if (isRef(argument)) return values.get(argument.name);
  return itemsOf(argument)?.map((item) => argumentValue(item, values)) ?? argument;
}

/** As {@link argumentValue}, with objects for dicts. */
function treeValue(argument: Argument, values: ReadonlyMap<string, unknown>): unknown {
  if (isDict(argument))
    return Object.fromEntries(argument.entries.map(([key, item]) => [key, treeValue(item, values)]));
  return itemsOf(argument)?.map((item) => treeValue(item, values)) ?? argumentValue(argument, values);
}

const isDict = (value: Argument): value is DictLiteral =>
  typeof value === "object" && value !== null && "kind" in value && value.kind === "dict";

/** Trees of preserved calls: flattened, built, and their items. */
const TREES: Readonly<Record<string, (value: unknown, other: unknown) => unknown>> = {
  [TREE_FLATTEN_SPEC]: (value, spec) => flattenTree(value, spec as TreeSpec),
  [TREE_UNFLATTEN]: (leaves, spec) => unflattenTree(leaves as readonly unknown[], spec as TreeSpec),
  [GETITEM]: (value, key) => (typeof key === "string" ? keyedItem(value, key) : itemOf(value, key)),
};

const keyedItem = (value: unknown, key: string): unknown =>
  value instanceof Map ? value.get(key) : (value as Readonly<Record<string, unknown>>)[key];

type Values = readonly OperatorArgument[];

const SIZES: Readonly<Record<string, (tensor: Tensor, dim: number) => unknown>> = {
  "aten.sym_size.int": sizeOf,
  "aten.sym_stride.int": (tensor, dim) => stridesOf(tensor)[dim],
  "aten.sym_numel.default": numelOf,
  "aten.sym_storage_offset.default": storageOffsetOf,
};

function runCall(node: Node, values: ReadonlyMap<string, unknown>, owner: GraphOwner): unknown {
  const { target } = node;
  const tree = TREES[target];
  if (tree !== undefined && node.op === "call_function")
    return tree(treeValue(node.args[0]!, values), argumentValue(node.args[1]!, values));
  const args = node.args.map((arg) => argumentValue(arg, values)) as Values;
  const kwargs = Object.fromEntries(
    Object.entries(node.kwargs).map(([key, arg]) => [key, argumentValue(arg, values) as OperatorArgument]),
  );
  if (node.op === "call_module") return owner.callModule!(node, args, kwargs);
  if (target === SET_GRAD) return currentTrace()?.setGradEnabled?.(args[0] as boolean) ?? null;
  if (isScalarFunction(target)) return applyPythonOperator(target, args as never);
  const size = SIZES[target];
  if (size !== undefined) return size(args[0] as Tensor, args[1] as number);
  if (HIGHER_ORDER.has(target)) return runHigherOrder(node, args, kwargs, owner);
  if (isLaneCall(target)) {
    if (currentTrace() !== undefined) throw notRetraceable(node);
    return itemCall(target, args);
  }
  const parts = target.split(".");
  if (parts.length !== 3) throw notRunnable(target, node.name);
  const call = (): unknown => callOperator(target, args, kwargs);
  const trace = currentTrace();
  // What a graph asserts is known to the trace.
  if (target === ASSERTION && args[0] instanceof SymBool && trace !== undefined)
    requireCondition(trace.env, args[0].expr);
  return trace === undefined ? call() : trace.inFunction(parts.slice(1).join("."), "OpOverload", call);
}

const ASSERTION = "aten._assert_scalar.default";

type AutocastCall = readonly [
  device: "cpu" | "cuda",
  dtype: DTypeLiteral | null,
  enabled: boolean,
  cacheEnabled: boolean | null,
  body: NestedGraph,
  ...operands: unknown[],
];

const WITH_AUTOCAST = "higher_order.wrap_with_autocast";
const WITH_GRAD = "higher_order.wrap_with_set_grad_enabled";

function runHigherOrder(
  node: Node,
  args: Values,
  kwargs: Readonly<Record<string, OperatorArgument>>,
  owner: GraphOwner,
): unknown {
  const trace = currentTrace();
  const runBody = ({ graph }: NestedGraph, inputs: readonly unknown[]): unknown =>
    runGraph(graph, inputs, owner);
  if (trace !== undefined) {
    if (trace instanceof Tracer) {
      const run = (graph: NestedGraph, inputs: readonly unknown[]): readonly unknown[] =>
        runBody(graph, inputs) as readonly unknown[];
      const results = retraceGraphs({ parent: trace, node, args, run });
      if (results !== undefined) return results;
    }
    if (node.target === WITH_AUTOCAST) {
      const [device, dtype, isEnabled, cacheEnabled, inner, ...values] = args as AutocastCall;
      const options = { dtype: dtype?.dtype, enabled: isEnabled, cacheEnabled };
      return autocast(device, options, () => runBody(inner, values));
    }
    if (node.target !== WITH_GRAD) throw notRetraceable(node);
    const [enabled, body, ...operands] = args as readonly [boolean, NestedGraph, ...unknown[]];
    return (enabled ? enableGrad : noGrad)(() => runBody(body, operands));
  }
  const runner: GraphRunner<Tensor> = {
    tensors: HOST_TENSORS,
    operators: owner.operators,
    // biome-ignore lint/correctness/useYield: bodies run at once
    *runGraph(body, inputs) {
      return runBody(body, inputs) as RuntimeValue;
    },
    *withAutocast(dtype, body) {
      const options = dtype === null ? { enabled: false } : { dtype };
      return autocast("cpu", options, () => finish(body));
    },
    countIteration: () => undefined,
    print: (text) => console.log(text),
    callOperator: (target, given, named) => callOperator(target, given as never, named as never) as never,
  };
  return finish(HIGHER_ORDER.get(node.target)!(runner, args, kwargs, node));
}

/** Runs steps that wait for nothing. */
function finish<V>(steps: Steps<V>): V {
  for (;;) {
    const { done, value } = steps.next();
    if (done === true) return value;
  }
}
