/**
 * @file One node for each symbolic number (`insert_deferred_runtime_asserts` in
 * `torch/fx/passes/runtime_assert.py`).
 */
import { FakeTensor, type Graph, isRef, isSymScalar, type Node, rebuild } from "@sconce/ir";
import { SymExpr } from "@sconce/symbolic";
import { refRenamer } from "../node-arguments.js";
import type { RetraceEnv } from "./shape-env.js";

/**
 * The graph with the first node of each symbolic number in place of those that compute the same.
 * PyTorch traces every computation, drops what nothing uses, and shares nodes afterwards: what only
 * the replaced nodes read stays, without users. The nodes of `partial` are made while nodes are
 * shared and stay as they are.
 *
 * @param canonical keys of conditions that are asserted in another form than nodes show
 */
export function shareSizes(
  graph: Graph,
  env: RetraceEnv,
  partial: ReadonlySet<string>,
  canonical: ReadonlyMap<string, string>,
): Graph {
  const first = new Map<string, string>();
  const replaced = new Map<string, string>();
  for (const node of graph.nodes()) {
    const key = canonical.get(node.name) ?? keyOf(node, env);
    if (key === undefined || partial.has(node.name)) continue;
    const known = first.get(key);
    if (known === undefined || !isArithmetic(node)) {
      if (known === undefined) first.set(key, node.name);
    } else replaced.set(node.name, known);
  }
  if (replaced.size === 0) return graph;
  const rename = refRenamer(replaced);
  return rebuild(graph, (node) => (replaced.has(node.name) ? false : rename(node)));
}

/** The number that a node gives, simplified by the facts known at the end of the trace. */
function keyOf({ meta }: Node, env: RetraceEnv): string | undefined {
  const { val } = meta;
  if (val instanceof FakeTensor || !isSymScalar(val) || !(val.expr instanceof SymExpr)) return undefined;
  const simple = val.kind === "SymBool" ? env.replace(val.expr) : env.simplify(val.expr);
  return simple instanceof SymExpr ? simple.key : undefined;
}

/** Computed from numbers alone; `item` makes its own. */
const isArithmetic = ({ op, target, args }: Node): boolean =>
  op === "call_function" &&
  (target === "aten.sym_size.int" || !target.startsWith("aten.")) &&
  args.some(isRef);
