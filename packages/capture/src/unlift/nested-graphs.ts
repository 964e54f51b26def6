/**
 * @file Control flow of a graph that is exported again: its nested graphs are traced with the
 * operands that they had.
 */

import { FakeTensor, isSymScalar, itemsOf, type MetaValue, type Node, pythonTuple, symInt } from "@sconce/ir";
import type { NestedGraph } from "@sconce/ops";
import type { SymExpr } from "@sconce/symbolic";
import { Tensor } from "@sconce/tensor";
import {
  BodyTracer,
  bodyOf,
  childName,
  cloneOf,
  firstItem,
  type GraphCall,
  isSym,
  knownOf,
  type MergePlace,
  mergeOutputs,
  OperandNames,
  runOnFakes,
  type Sym,
  sameFacts,
  stackedItems,
  type TraceArgument,
  type TraceBody,
  type TracedFunction,
  TracedTensor,
  type Tracer,
  tensorNode,
  traceFunction,
} from "@sconce/torch";
import { notRetraceable } from "./errors.js";

type Values = readonly unknown[];

/** Runs a nested graph with the values of its inputs. */
type RunGraph = (graph: NestedGraph, inputs: Values) => Values;

/** A call of nested graphs that is traced again. */
export interface NestedCall {
  readonly parent: Tracer;
  readonly node: Node;
  readonly args: Values;
  readonly run: RunGraph;
}

/** Traces a call of nested graphs, and returns its results; undefined for other calls. */
export function retraceGraphs(call: NestedCall): Values | undefined {
  const make = CALLS[call.node.target];
  return make === undefined ? undefined : call.parent.callGraphs(make(new Retrace(call), call.args as never));
}

/** What calls of nested graphs share. */
class Retrace {
  readonly parent: Tracer;
  readonly #node: Node;
  readonly #run: RunGraph;

  constructor({ parent, node, run }: NestedCall) {
    this.parent = parent;
    this.#node = node;
    this.#run = run;
  }

  /** Traces a graph; `facts` of the inputs that are not as the operands are come first. */
  graph(graph: NestedGraph, operands: Values, facts: readonly MetaValue[] = []): TracedFunction {
    const { parent } = this;
    const operator = this.#node.target.replace(/^higher_order\./, "");
    const tracer = new BodyTracer({ parent, operator, names: new OperandNames(parent), path: "" });
    const inputs = operands.map((operand, i) => {
      const known = facts[i];
      if (known !== undefined && isSymScalar(known)) return tracer.intInput(known.expr as SymExpr);
      if (operand instanceof Tensor)
        return tracer.tensorInput((known as FakeTensor) ?? new FakeTensor(knownOf(operand)), childName(i));
      return isSym(operand) ? tracer.scalarInput(operand) : tracer.constantInput(operand);
    });
    const traced = traceFunction(
      tracer,
      () => pythonTuple(...this.#run(graph, inputs)),
      () => undefined,
    );
    if (tracer.lifted.length > 0) throw notRetraceable(this.#node);
    return traced;
  }

  /** Returns the graph again, which returns the container that it returned. */
  body(traced: TracedFunction, { graph }: NestedGraph, operands?: readonly TraceArgument[]): TraceBody {
    const result = [...graph.nodes()].at(-1)?.args[0] ?? null;
    const returns = Array.isArray(result) ? "list" : itemsOf(result) === undefined ? "value" : "tuple";
    return bodyOf(traced, returns, traced.tracer.ownInputs, operands);
  }

  arguments(values: Values): TraceArgument[] {
    return values.map((value) => {
      if (value instanceof Tensor) return tensorNode(this.parent, value);
      return isSym(value) ? this.parent.scalarArgument(value as Sym) : (value as TraceArgument);
    });
  }
}

const tuple = (items: readonly TraceArgument[]): TraceArgument => ({ kind: "tuple", items });

const leafValue = (leaf: unknown): MetaValue =>
  leaf instanceof TracedTensor ? leaf.fake : { kind: "constant", value: leaf as number };

const stackedOf = (leaf: unknown, count: Parameters<typeof stackedItems>[1]): MetaValue =>
  leaf instanceof TracedTensor ? stackedItems(leaf.fake, count) : null;

const lengthOf = (items: readonly Tensor[]): Parameters<typeof stackedItems>[1] =>
  knownOf(items[0]!).shape[0]!;

/** Where results are merged: TorchDynamo makes nodes for symbols, whose names count. */
const mergePlace = ({ env, names }: Tracer, operator: MergePlace["operator"]): MergePlace => ({
  operator,
  env,
  made(_, nodes) {
    for (const name of nodes) names.create(name);
  },
});

/** The calls by their targets. */
const CALLS: Readonly<Record<string, (trace: Retrace, args: never) => GraphCall>> = {
  "higher_order.cond": (
    trace,
    [pred, yes, no, operands]: readonly [unknown, NestedGraph, NestedGraph, Values],
  ) => {
    const [first, second] = [yes, no].map((graph) => trace.graph(graph, operands)) as [
      TracedFunction,
      TracedFunction,
    ];
    const given = trace.arguments(operands);
    const [predicate] = trace.arguments([pred]);
    runOnFakes(trace.parent, [first, second]);
    return {
      name: "cond",
      kind: "CondOp",
      bodies: [
        ["true_graph_", trace.body(first, yes, given)],
        ["false_graph_", trace.body(second, no, given)],
      ],
      argumentsOf: (graphs) => [predicate!, ...graphs, tuple(given)],
      results: first.leaves.map((leaf, i) =>
        mergeOutputs(mergePlace(trace.parent, "cond"), [leafValue(leaf), leafValue(second.leaves[i])]),
      ),
    };
  },
  "higher_order.switch": (
    trace,
    [index, graphs, operands]: readonly [unknown, readonly NestedGraph[], Values],
  ) => {
    const traced = graphs.map((graph) => trace.graph(graph, operands));
    const given = trace.arguments(operands);
    const [at] = trace.arguments([index]);
    runOnFakes(trace.parent, traced);
    return {
      name: "switch",
      kind: "SwitchOp",
      bodies: traced.map((branch, i) => [`branch${i}_graph_`, trace.body(branch, graphs[i]!)] as const),
      argumentsOf: (nodes) => [at!, nodes, tuple(given)],
      results: traced[0]!.leaves.map((_, i) =>
        mergeOutputs(
          mergePlace(trace.parent, "switch"),
          traced.map(({ leaves }) => leafValue(leaves[i])),
        ),
      ),
    };
  },
  "higher_order.map_impl": (trace, [graph, xs, args]: readonly [NestedGraph, readonly Tensor[], Values]) => {
    const traced = trace.graph(
      graph,
      [...xs, ...args],
      xs.map((item) => firstItem(item, false)),
    );
    const [items, given] = [trace.arguments(xs), trace.arguments(args)];
    runOnFakes(trace.parent, [traced]);
    return {
      name: "map_impl",
      kind: "MapImpl",
      bodies: [["body_graph_", trace.body(traced, graph, [...items, ...given])]],
      argumentsOf: (graphs) => [...graphs, items, given],
      results: traced.leaves.map((leaf) => stackedOf(leaf, lengthOf(xs))),
    };
  },
  "higher_order.while_loop": (
    trace,
    [condition, step, carried, further]: readonly [NestedGraph, NestedGraph, Values, Values],
  ) => {
    const { env } = trace.parent;
    const facts = carried.map(
      (leaf): MetaValue => (leaf instanceof Tensor ? knownOf(leaf) : symInt(env.freshUnbackedInt())),
    );
    const own = (): MetaValue[] => facts.map(sameFacts);
    const operands = [...carried, ...further];
    const [first, second] = [trace.graph(condition, operands, own()), trace.graph(step, operands, own())];
    const [state, given] = [trace.arguments(carried), trace.arguments(further)];
    runOnFakes(trace.parent, [second]);
    return {
      name: "while_loop",
      kind: "WhileLoopOp",
      bodies: [
        ["while_loop_cond_graph_", trace.body(first, condition)],
        ["while_loop_body_graph_", trace.body(second, step)],
      ],
      argumentsOf: (graphs) => [...graphs, tuple(state), tuple(given)],
      results: facts.map((val) =>
        val instanceof FakeTensor ? sameFacts(val) : symInt(env.freshUnbackedInt()),
      ),
    };
  },
  "higher_order.scan": (
    trace,
    [graph, init, xs, further]: readonly [NestedGraph, readonly Tensor[], readonly Tensor[], Values],
  ) => {
    const facts = [
      ...init.map((leaf) => new FakeTensor(knownOf(leaf))),
      ...xs.map((item) => firstItem(item, true)),
    ];
    const traced = trace.graph(graph, [...init, ...xs, ...further], facts);
    const [first, items, given] = [trace.arguments(init), trace.arguments(xs), trace.arguments(further)];
    return {
      name: "scan",
      kind: "ScanOp",
      bodies: [["scan_combine_graph_", trace.body(traced, graph)]],
      argumentsOf: (graphs) => [...graphs, first, items, tuple(given)],
      results: traced.leaves.map((leaf, i) =>
        i < init.length ? sameFacts(leafValue(leaf)) : stackedOf(leaf, lengthOf(xs)),
      ),
    };
  },
  "higher_order.associative_scan": (
    trace,
    [graph, xs, further]: readonly [NestedGraph, readonly Tensor[], Values],
  ) => {
    const facts = [...xs, ...xs].map((item) => firstItem(item, true));
    const traced = trace.graph(graph, [...xs, ...xs, ...further], facts);
    const [items, given] = [trace.arguments(xs), trace.arguments(further)];
    return {
      name: "associative_scan",
      kind: "AssociativeScanOp",
      bodies: [["associative_scan_combine_graph_", trace.body(traced, graph)]],
      argumentsOf: (graphs) => [...graphs, items, tuple(given)],
      results: xs.map((item) => cloneOf(trace.parent, knownOf(item))),
    };
  },
};
