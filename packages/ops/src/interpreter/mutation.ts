/** @file Which inputs a graph writes to. */
import { eachInPieces, finish, type Work } from "@sconce/errors";
import {
  type Argument,
  FakeTensor,
  forEachRef,
  type Graph,
  isRef,
  type Node,
  type OpSchema,
} from "@sconce/ir";
import { argumentAt } from "../table/bind.js";
import type { OperatorTable } from "../table/table.js";

/** Operators that write running statistics when training, though their schemas do not say so. */
const WRITES_STATISTICS = new Set(
  ["batch_norm", "instance_norm", "native_batch_norm"].map((name) => `aten.${name}.default`),
);
const STATISTICS = new Set(["running_mean", "running_var"]);

/** Operators that may return an operand or a view of it, though their schemas do not say so. */
const MAY_SHARE_MEMORY =
  /^aten\.(_unsafe_view|alpha_dropout|atleast_[123]d|broadcast_tensors|cartesian_prod|dropout|einsum|feature_alpha_dropout|feature_dropout|meshgrid|type_as|unsafe_chunk|unsafe_split|unsafe_split_with_sizes)\./;

/** Loops that give an operand, not what they compute, when they have fewer rows. */
export const FEWEST_ROWS: Readonly<Record<string, number>> = {
  "higher_order.scan": 1,
  "higher_order.associative_scan": 2,
};

/**
 * Names of the placeholders that in-place operators of a graph may write to, through views too.
 * What cannot be followed (an operator without a schema) counts as a view of all its inputs.
 */
export const mutatedPlaceholders = (graph: Graph, operators: OperatorTable): ReadonlySet<string> =>
  finish(mutationSteps(graph, operators));

/** As {@link mutatedPlaceholders}, in pieces. */
export function* mutationSteps(graph: Graph, operators: OperatorTable): Work<ReadonlySet<string>> {
  const mutated = new Set<string>();
  const roots = new Map<string, ReadonlySet<string>>();
  const known = new Map<Graph, boolean>();
  yield* eachInPieces(graph.nodes(), (node) => {
    if (node.op === "placeholder") roots.set(node.name, new Set([node.name]));
    if (node.op !== "call_function") return;
    const schema = operators.schemaOf(node.target);
    if (schema?.isMutable || WRITES_STATISTICS.has(node.target)) markWritten(node, roots, mutated, operators);
    if (node.target.startsWith("higher_order.") && hasMutation(graph, node, operators, known)) {
      for (const name of rootsOf(operandsOf(node), roots)) mutated.add(name);
    }
    if (!isFresh(node, schema)) roots.set(node.name, rootsOf(sharedOperands(node, schema), roots));
  });
  return mutated;
}

/** Returns whether the results of a call share memory with no operand. */
const isFresh = ({ target }: Node, schema: OpSchema | undefined): boolean =>
  schema !== undefined && !schema.isView && !schema.isMutable && !MAY_SHARE_MEMORY.test(target);

/** Returns whether a conversion gives another dtype than its operand has, and so a copy. */
function isCast({ target, args: [self], meta: { val } }: Node, graph: Graph): boolean {
  if (!/^aten\.(to|type_as)\./.test(target) || !isRef(self)) return false;
  const from = graph.find(self.name)?.meta.val;
  return from instanceof FakeTensor && val instanceof FakeTensor && from.dtype !== val.dtype;
}

/**
 * Returns the placeholders and calls whose memory each value of a graph may be a view of, by name.
 */
export function memoryRoots(
  graph: Graph,
  operators: OperatorTable,
): ReadonlyMap<string, ReadonlySet<string>> {
  const roots = new Map<string, ReadonlySet<string>>();
  for (const node of graph.nodes()) {
    const schema = node.op === "call_function" ? operators.schemaOf(node.target) : undefined;
    const isOwn = node.op !== "call_function" || isFresh(node, schema) || isCast(node, graph);
    const shared = isOwn ? new Set<string>() : rootsOf(sharedOperands(node, schema), roots);
    roots.set(node.name, shared.size === 0 ? new Set([node.name]) : shared);
  }
  return roots;
}

/** Returns the placeholders that values may share memory with. */
function rootsOf(values: Iterable<Argument>, roots: ReadonlyMap<string, ReadonlySet<string>>): Set<string> {
  const found = new Set<string>();
  for (const value of values) {
    forEachRef(value, (name) => {
      for (const root of roots.get(name) ?? []) found.add(root);
    });
  }
  return found;
}

function markWritten(
  node: Node,
  roots: ReadonlyMap<string, ReadonlySet<string>>,
  mutated: Set<string>,
  operators: OperatorTable,
): void {
  const schema = operators.schemaOf(node.target);
  schema?.args.forEach((parameter, i) => {
    const statistic = !schema.isMutable && STATISTICS.has(parameter.name);
    if (parameter.alias?.write !== true && !statistic) return;
    for (const root of rootsOf([argumentAt(node, schema, i)], roots)) mutated.add(root);
  });
}

/**
 * Returns what the results of a call may be views of: the operands that its schema marks, or all
 * where it marks none. `x.add_(y)` gives `x`, and reads `y` only.
 */
function sharedOperands(node: Node, schema: OpSchema | undefined): readonly Argument[] {
  const marked = schema?.args.some(({ alias }) => alias !== undefined) === true;
  if (!marked) return operandsOf(node);
  return schema.args.flatMap((parameter, i) =>
    parameter.alias === undefined ? [] : [argumentAt(node, schema, i)],
  );
}
const operandsOf = ({ args, kwargs }: Node): readonly Argument[] => [...args, ...Object.values(kwargs)];

/** Returns whether a nested graph given to this call has an in-place operator anywhere. */
function hasMutation(
  graph: Graph,
  node: Node,
  operators: OperatorTable,
  known: Map<Graph, boolean>,
): boolean {
  if (graph.subgraphs.size === 0) return false;
  let found = false;
  for (const operand of operandsOf(node))
    forEachRef(operand, (name) => {
      const { op, target } = graph.node(name);
      const subgraph = op === "get_attr" ? graph.subgraphs.get(target) : undefined;
      found ||= subgraph !== undefined && mutates(subgraph, operators, known);
    });
  return found;
}

/**
 * Returns whether a graph has an in-place operator. `known` keeps the answers for graphs that
 * several calls run.
 */
function mutates(graph: Graph, operators: OperatorTable, known: Map<Graph, boolean>): boolean {
  let found = known.get(graph);
  if (found === undefined) {
    found =
      graph.nodes().some(({ target }) => operators.schemaOf(target)?.isMutable === true) ||
      [...graph.subgraphs.values()].some((subgraph) => mutates(subgraph, operators, known));
    known.set(graph, found);
  }
  return found;
}
