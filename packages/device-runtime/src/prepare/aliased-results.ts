/**
 * @file Calls of higher-order operators that may give an operand, or a view of one: lowering makes
 * a value of its own of each result.
 */
import { FakeTensor, type Graph, isRef, itemsOf, type Node } from "@sconce/ir";
import { FEWEST_ROWS, memoryRoots, type OperatorTable } from "@sconce/ops";
import { type Bindings, evaluate, type IntLike, SymExpr } from "@sconce/symbolic";
import { areKnown } from "../memory/sizes.js";
import { bodiesOf } from "./bodies.js";

/** Calls that give what their graph gives. Lowering refuses views that others give, as PyTorch. */
const GIVES_BODY =
  /^higher_order\.(strict_mode|invoke_subgraph|foreach_map|invoke_quant|invoke_quant_packed|run_const_graph)$/;

/** Where loops that may give an operand have their rows. */
const ROWS: Readonly<Record<string, number>> = {
  "higher_order.scan": 2,
  "higher_order.associative_scan": 1,
};

/** A size that is not below a number. Conditions do not say it: they take symbols for positive. */
export interface LeastSize {
  readonly size: SymExpr;
  readonly least: number;
}

/** Whether results of a call share memory with operands or each other: by some sizes, or always. */
export type Aliasing = boolean | LeastSize;

/**
 * Returns whether sizes are as large as they have to be; those that are not known yet count as
 * such.
 */
export const areAtLeast = (all: readonly LeastSize[], sizes: Bindings): boolean =>
  all.every(({ size, least }) => !areKnown(size, sizes) || Number(evaluate(size, sizes)) >= least);

/**
 * Looks at one call of a graph. A size is what keeps it from sharing memory.
 *
 * @param known answers about bodies, which several calls may run
 */
export function aliasingOf(
  node: Node,
  graph: Graph,
  operators: OperatorTable,
  known: Map<Graph, boolean>,
): Aliasing {
  const least = FEWEST_ROWS[node.target];
  if (least !== undefined) return fewRows(node, graph, least);
  return (
    GIVES_BODY.test(node.target) &&
    bodiesOf(node, graph).some((body) => {
      const shares = known.get(body) ?? sharesMemory(body, operators);
      known.set(body, shares);
      return shares;
    })
  );
}

/** Returns whether a call may share memory that the sizes of the program do not rule out. */
export const mayAlias = (node: Node): boolean =>
  GIVES_BODY.test(node.target) || FEWEST_ROWS[node.target] !== undefined;

function fewRows(node: Node, graph: Graph, least: number): Aliasing {
  const [rows] = itemsOf(node.args[ROWS[node.target]!] ?? null) ?? [];
  const val = isRef(rows) ? graph.find(rows.name)?.meta.val : undefined;
  const size: IntLike | undefined = val instanceof FakeTensor ? val.shape[0] : undefined;
  if (size === undefined) return true;
  return size instanceof SymExpr ? { size, least } : size < least;
}

/**
 * Returns whether a result of a graph may be an input, a view of one, or share memory with another.
 */
function sharesMemory(body: Graph, operators: OperatorTable): boolean {
  const roots = memoryRoots(body, operators);
  const seen = new Set<string>();
  const isShared = (name: string): boolean =>
    [...(roots.get(name) ?? [name])].some((root) => {
      if (body.find(root)?.op === "placeholder" || seen.has(root)) return true;
      seen.add(root);
      return false;
    });
  const given = body.outputArgument();
  return (itemsOf(given) ?? [given]).some((item) => isRef(item) && isShared(item.name));
}
