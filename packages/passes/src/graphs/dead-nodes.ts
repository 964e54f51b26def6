import type { Work } from "@sconce/errors";
import { forEachInput, type Graph, isOpaque, isRef, type Node, rebuild } from "@sconce/ir";
import type { OperatorTable } from "@sconce/ops";

/** Higher-order operators with effects. They have no rows, which could have the tag `effect`. */
const EFFECTS: ReadonlySet<string> = new Set([
  "higher_order.with_effects",
  "higher_order.print",
  "higher_order.call_torchbind",
]);

/**
 * Returns whether a target is a function of torch that opens or closes a region, or sets a mode,
 * for the calls after it (`torch.vmap`, gradients).
 */
export const changesLaterCalls = (target: string): boolean =>
  target.startsWith("torch.") && !/^torch\._?sym_\w+$/.test(target);

/** True when a node may not be dropped although nothing uses it. */
export function hasEffect(node: Pick<Node, "op" | "target">, operators: OperatorTable): boolean {
  if (node.op === "placeholder" || node.op === "output" || node.op === "call_module") return true;
  if (node.op === "get_attr") return false;
  // PyTorch drops an assertion on values that has no message.
  if (node.target === "aten._assert_async.default") return false;
  if (EFFECTS.has(node.target) || changesLaterCalls(node.target)) return true;
  const row = operators.get(node.target);
  if (row === undefined) return isOpaque(node.target, operators);
  return row.schema.isMutable || row.tags.includes("effect");
}

/** True for the call of an outlined region in which something has an effect. */
function callsEffect(node: Node, graph: Graph, operators: OperatorTable): boolean {
  const body = node.target === "higher_order.invoke_subgraph" ? node.args[0] : undefined;
  const nested = isRef(body) ? graph.subgraphs.get(graph.node(body.name).target) : undefined;
  if (nested === undefined) return false;
  return nested
    .nodes()
    .some(
      (inner) =>
        inner.op === "call_function" &&
        (hasEffect(inner, operators) || callsEffect(inner, nested, operators)),
    );
}

/**
 * Drops what reaches neither the output nor an effect, subgraphs that nothing reads included.
 *
 * @param kept nodes that stay although nothing reads them
 */
export function* withoutDeadNodes(
  graph: Graph,
  operators: OperatorTable,
  kept: Iterable<string> = [],
): Work<Graph> {
  const used = new Set(kept);
  const note = (name: string): void => void used.add(name);
  const live = new Uint8Array(graph.size);
  const nodes = graph.nodes();
  const targets = new Set<string>();
  let dead = 0;
  for (let i = nodes.length - 1; i >= 0; i--) {
    if (i % NODES_A_PIECE === 0) yield;
    const node = nodes[i]!;
    if (!used.has(node.name) && !hasEffect(node, operators) && !callsEffect(node, graph, operators)) {
      dead++;
      continue;
    }
    live[i] = 1;
    if (node.op === "get_attr") targets.add(node.target);
    forEachInput(node, note);
  }
  if (dead === 0) return graph;
  const subgraphs = new Map([...graph.subgraphs].filter(([target]) => targets.has(target)));
  return rebuild(graph, (_, position) => live[position] === 1, { subgraphs, checkUses: false });
}

/** Nodes between two pauses. */
const NODES_A_PIECE = 256;
