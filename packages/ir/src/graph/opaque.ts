/**
 * @file Opaque operators: custom operators that a program calls and nothing in the session defines.
 */
import { kindOf } from "../values/argument.js";
import type { Graph } from "./graph.js";
import type { Node } from "./node.js";
import type { OperatorLookup } from "./operator.js";

/**
 * PyTorch defines all operators of these namespaces: a name that is not among them is wrong, not
 * opaque.
 */
const COMPLETE: ReadonlySet<string> = new Set([
  "aten",
  "prim",
  "prims",
  "higher_order",
  "torch",
  "operator",
  "math",
  "builtins",
]);

/**
 * True for the overload of a custom operator (`mylib.foo.default`) that has no schema in the table.
 * A program that calls it is valid: the results of the call are those that the program records. It
 * cannot run.
 */
export function isOpaque(target: string, operators: Pick<OperatorLookup, "schemaOf">): boolean {
  if (target.startsWith("aten.")) return false;
  const first = target.indexOf(".");
  const last = target.lastIndexOf(".");
  if (first <= 0 || first === last || target.indexOf(".", first + 1) !== last) return false;
  return !COMPLETE.has(target.slice(0, first)) && operators.schemaOf(target) === undefined;
}

/** A call of an opaque operator. */
export interface OpaqueCall {
  /** The call. */
  readonly node: Node;
  /** The graph that holds the node. */
  readonly graph: Graph;
  /** The operator; for `auto_functionalized` the one that it wraps. */
  readonly target: string;
  /** Targets of the nested graphs that lead to the node; empty for the graph itself. */
  readonly path: readonly string[];
}

/**
 * Calls of opaque operators in a graph and the graphs nested in it, those inside of
 * `auto_functionalized` included.
 */
export function opaqueCalls(graph: Graph, operators: Pick<OperatorLookup, "schemaOf">): OpaqueCall[] {
  const calls: OpaqueCall[] = [];
  const visit = (current: Graph, path: readonly string[]): void => {
    for (const node of current.nodes()) {
      if (node.op !== "call_function") continue;
      const target = calledOperator(node);
      if (isOpaque(target, operators)) calls.push({ node, graph: current, target, path });
    }
    for (const [name, nested] of current.subgraphs) visit(nested, [...path, name]);
  };
  visit(graph, []);
  return calls;
}

/**
 * Returns the operator that a call runs: for wrappers such as `auto_functionalized_v2` their
 * operator argument.
 */
function calledOperator({ target, args }: Node): string {
  if (!target.startsWith("higher_order.")) return target;
  const wrapped = args.slice(0, 2).find((argument) => kindOf(argument) === "operator");
  return wrapped === undefined ? target : (wrapped as { readonly target: string }).target;
}
