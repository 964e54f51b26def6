/** @file What calls of nested graphs in JSON IR must keep to. */
import { forEachRef, type Graph } from "@sconce/ir";
import { verifyGraph } from "@sconce/ir/verify";
import type { OperatorTable } from "@sconce/ops";
import { otherCall, tooManyRepeats } from "./errors.js";

/** Calls that a program may make by the graphs that its calls take. */
const MOST_CALLS = 2 ** 17;

/**
 * Refuses programs whose few calls of nested graphs make very many: a graph that calls another one
 * twice doubles what lies below, and shape rules may go through all of it.
 * @throws SconceError `JSON_IR_GRAPH`
 */
export function checkRepeats(graph: Graph): void {
  const known = new Map<Graph, number>();
  const callsOf = (one: Graph): number => {
    const before = known.get(one);
    if (before !== undefined) return before;
    let calls = one.size;
    for (const { args } of one.nodes())
      for (const argument of args)
        forEachRef(argument, (name) => {
          const source = one.find(name);
          const nested = source?.op === "get_attr" ? one.subgraphs.get(source.target) : undefined;
          if (nested !== undefined) calls += callsOf(nested);
        });
    known.set(one, calls);
    if (calls > MOST_CALLS + one.size) throw tooManyRepeats(MOST_CALLS);
    return calls;
  };
  callsOf(graph);
}

const CALLS: readonly string[] = ["HIGHER_ORDER_ARGUMENTS", "HIGHER_ORDER_SIGNATURE", "HIGHER_ORDER_RESULT"];

/**
 * Refuses calls whose operands and results do not fit their nested graphs: no operator computes
 * their types.
 * @throws SconceError `JSON_IR_GRAPH`
 */
export function checkNestedCalls(graph: Graph, operators: OperatorTable): void {
  const problem = verifyGraph(graph, undefined, { operators }).find(({ code }) => CALLS.includes(code));
  if (problem !== undefined) throw otherCall(problem);
}
