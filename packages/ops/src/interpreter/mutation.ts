/** @file Which inputs a graph writes to. */
import { eachInPieces, finish, type Work } from "@sconce/errors";
import { forEachRef, type Graph, isRef, type Node } from "@sconce/ir";
import type { OperatorTable } from "../table/table.js";

/** Operators that write running statistics when training, though their schemas do not say so. */
const WRITES_STATISTICS = new Set(
  ["batch_norm", "instance_norm", "native_batch_norm"].map((name) => `aten.${name}.default`),
);
const STATISTICS = new Set(["running_mean", "running_var"]);

/** Operators that may return an operand or a view of it, though their schemas do not say so. */
const MAY_SHARE_MEMORY =
  /^aten\.(_unsafe_view|alpha_dropout|atleast_[123]d|broadcast_tensors|cartesian_prod|dropout|einsum|feature_alpha_dropout|feature_dropout|meshgrid|type_as|unsafe_chunk|unsafe_split|unsafe_split_with_sizes)\./;

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
  yield* eachInPieces(graph.nodes(), (node) => {
    if (node.op === "placeholder") roots.set(node.name, new Set([node.name]));
    if (node.op !== "call_function") return;
    const inputs = new Set<string>();
    for (const arg of [...node.args, ...Object.values(node.kwargs)]) {
      forEachRef(arg, (name) => {
        for (const root of roots.get(name) ?? []) inputs.add(root);
      });
    }
    const schema = operators.schemaOf(node.target);
    if (schema?.isMutable || WRITES_STATISTICS.has(node.target)) markWritten(node, roots, mutated, operators);
    if (node.target.startsWith("higher_order.wrap") && hasMutation(graph, node, operators)) {
      for (const name of inputs) mutated.add(name);
    }
    const fresh =
      schema !== undefined && !schema.isView && !schema.isMutable && !MAY_SHARE_MEMORY.test(node.target);
    if (!fresh) roots.set(node.name, inputs);
  });
  return mutated;
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
    const value = (parameter.kwargOnly ? undefined : node.args[i]) ?? node.kwargs[parameter.name];
    forEachRef(value ?? null, (name) => {
      for (const root of roots.get(name) ?? []) mutated.add(root);
    });
  });
}

/** Whether a nested graph given to this call has an in-place operator anywhere. */
function hasMutation(graph: Graph, node: Node, operators: OperatorTable): boolean {
  return node.args.some((arg) => {
    if (!isRef(arg)) return false;
    const subgraph = graph.subgraphs.get(graph.node(arg.name).target);
    return subgraph !== undefined && mutates(subgraph, operators);
  });
}

function mutates(graph: Graph, operators: OperatorTable): boolean {
  for (const node of graph.nodes()) if (operators.schemaOf(node.target)?.isMutable) return true;
  return [...graph.subgraphs.values()].some((subgraph) => mutates(subgraph, operators));
}
