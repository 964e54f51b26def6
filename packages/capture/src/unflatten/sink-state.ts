/** @file Reads state where it is used, in place of inputs (`_sink_params`). */
import { isRef } from "@sconce/ir";
import type { DraftGraph, DraftNode } from "./draft-graph.js";
import { type DraftModule, pathOf, withoutCall } from "./draft-module.js";

/**
 * Replaces inputs of graphs that are state by `get_attr`, in the module that has the state.
 *
 * @param stateOf the paths of the state that an input may represent
 */
export function sinkState(root: DraftModule, stateOf: ReadonlyMap<string, readonly string[]>): void {
  const removed = new Map<DraftModule, ReadonlySet<string>>();
  const visit = (module: DraftModule, scope: readonly string[]): void => {
    if (removed.has(module)) return;
    for (const [name, child] of module.modules) visit(child, [...scope, name]);
    if (module.graph === undefined || module.graph.isEmpty) return;
    dropArguments(module, module.graph, removed);
    removed.set(module, readState(module.graph, scope, stateOf));
  };
  visit(root, []);
}

/** Calls no longer give what the called graphs read themselves. */
function dropArguments(
  module: DraftModule,
  graph: DraftGraph,
  removed: ReadonlyMap<DraftModule, ReadonlySet<string>>,
): void {
  for (const node of graph.nodes()) {
    if (node.op !== "call_module") continue;
    const called = module.find(pathOf(node.target));
    const names = called === undefined ? undefined : removed.get(called);
    if (names !== undefined) node.args = node.args.filter((arg) => !isRef(arg) || !names.has(arg.name));
  }
}

function readState(
  graph: DraftGraph,
  scope: readonly string[],
  stateOf: ReadonlyMap<string, readonly string[]>,
): ReadonlySet<string> {
  const inputs = graph.nodes().filter(({ op }) => op === "placeholder");
  const users = graph.users();
  const last = inputs.at(-1)!;
  const removed = new Set<string>();
  const reads = new Map<string, DraftNode>();
  for (const input of inputs) {
    const path = stateOf
      .get(input.name)
      ?.map(pathOf)
      .find((own) => scope.every((name, i) => own[i] === withoutCall(name)));
    if (path === undefined) continue;
    if (users.has(input.name)) {
      const target = path.slice(scope.length).join(".");
      reads.set(
        input.name,
        graph.at({ after: last }, () => graph.add({ op: "get_attr", target, meta: input.meta })),
      );
    }
    graph.erase(input);
    removed.add(input.name);
  }
  graph.replaceUses(reads);
  return removed;
}
