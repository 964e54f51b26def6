/** @file Calls that run one graph as it is. */
import type { DType } from "@sconce/tensor";
import { type GraphRunner, type HigherOrder, orNone, type Values } from "./higher-order-call.js";
import type { NestedGraph, NodeArgument } from "./values.js";

/** Calls the graph at an argument with the arguments from `from` on. */
export const region =
  (at: number, from = at + 1): HigherOrder =>
  <T>(runner: GraphRunner<T>, args: readonly NodeArgument<T>[]) =>
    runner.runGraph(args[at] as NestedGraph, args.slice(from) as Values<T>);

/** Calls a graph with one list of operands. */
export const listed: HigherOrder = (runner, [body, operands]) =>
  runner.runGraph(body as NestedGraph, orNone(operands));

/** Calls a graph with autocast on or off. */
export const wrapWithAutocast: HigherOrder = <T>(
  runner: GraphRunner<T>,
  [, dtype, enabled, , body, ...operands]: readonly NodeArgument<T>[],
) => {
  const name = (dtype as { dtype?: DType } | null)?.dtype ?? "bfloat16";
  const steps = runner.runGraph(body as NestedGraph, operands as Values<T>);
  return runner.withAutocast(enabled === true ? name : null, steps);
};
