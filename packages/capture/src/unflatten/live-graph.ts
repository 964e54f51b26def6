/** @file Removal of calls that nothing uses, as PyTorch removes them before it unflattens. */
import { forEachInput, type Graph, isOpaque, isRef, type Node, rebuild } from "@sconce/ir";
import type { OperatorTable } from "@sconce/ops";

/** Functions of torch that only prepare, and arithmetic on sizes. */
const WITHOUT_EFFECT = /^torch\.(_?sym_\w+|_functorch\.predispatch\.lazy_load_decompositions)$/;

/** Returns a graph without calls that neither have users nor an effect; nested graphs, too. */
export function liveGraph(graph: Graph, operators: OperatorTable): Graph {
  const bodies = new Map([...graph.subgraphs].map(([name, body]) => [name, liveGraph(body, operators)]));
  const nodes = graph.nodes();
  const used = new Set<string>();
  const live = new Uint8Array(nodes.length);
  for (let i = nodes.length - 1; i >= 0; i--) {
    const node = nodes[i]!;
    if (!used.has(node.name) && !hasEffect(node, graph, operators)) continue;
    live[i] = 1;
    forEachInput(node, (name) => void used.add(name));
  }
  const isSame =
    live.every((flag) => flag === 1) &&
    [...bodies].every(([name, body]) => graph.subgraphs.get(name) === body);
  return isSame
    ? graph
    : rebuild(graph, (_, position) => live[position] === 1, { subgraphs: bodies, checkUses: false });
}

/**
 * Returns whether a node does more than to give a value: writes, draws random numbers, checks.
 * PyTorch also drops branches and regions that write; here they stay.
 */
function hasEffect(node: Node, graph: Graph, operators: OperatorTable): boolean {
  if (node.op === "placeholder" || node.op === "output") return true;
  if (node.op === "get_attr") return false;
  const { target } = node;
  if (target.startsWith("torch.")) return !WITHOUT_EFFECT.test(target);
  if (target.startsWith("higher_order.")) return callsEffect(node, graph, operators);
  // PyTorch drops an assertion on values that has no message.
  if (target === "aten._assert_async.default") return false;
  const row = operators.get(target);
  if (row === undefined) return isOpaque(target, operators);
  return row.schema.isMutable || row.tags.includes("effect") || row.tags.includes("nondeterministic_seeded");
}

function callsEffect(node: Node, graph: Graph, operators: OperatorTable): boolean {
  return node.args.some((arg) => {
    const body = isRef(arg) ? graph.subgraphs.get(graph.find(arg.name)?.target ?? "") : undefined;
    return (
      body?.nodes().some((inner) => inner.op === "call_function" && hasEffect(inner, body, operators)) ===
      true
    );
  });
}
