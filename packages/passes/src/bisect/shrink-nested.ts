/**
 * @file Makes nested graphs of a failing program small: calls are left out where a value of the
 * same type is at hand.
 */

import type { Work } from "@sconce/errors";
import { type ExportedProgram, edit, FakeTensor, type Graph, inputsOf, type Node, ref } from "@sconce/ir";
import { graphAt, nestedGraphs, withNestedGraph } from "../changes/nested.js";
import { type Reproducer, withExamples } from "./subprogram.js";

/**
 * Returns the program with calls of its nested graphs left out as long as it fails; each try counts
 * against `tries`.
 */
export function* shrinkNested(
  whole: Reproducer,
  fails: (candidate: Reproducer) => Work<boolean>,
  tries: number,
): Work<Reproducer> {
  let best = whole;
  let left = tries;
  const attempt = function* (program: ExportedProgram): Work<boolean> {
    if (left-- <= 0) return false;
    const candidate = withExamples({ program, inputs: whole.inputs });
    if (!(yield* fails(candidate))) return false;
    best = candidate;
    return true;
  };
  for (const { path, graph } of nestedGraphs(whole.program.graph)) {
    // From the end on: what a call is computed from may be left out with it.
    for (const { name, op } of graph.nodes().toReversed()) {
      if (op !== "call_function") continue;
      const current = graphAt(best.program.graph, path);
      const node = current.find(name);
      if (node === undefined) continue;
      for (const smaller of without(current, node))
        if (yield* attempt(withNestedGraph(best.program, path, smaller))) break;
    }
  }
  return best;
}

/**
 * Yields the graph without a call: its uses read one of its operands of the same type, if something
 * uses it.
 */
function* without(graph: Graph, node: Node): Generator<Graph> {
  if (graph.users(node.name).length === 0) {
    yield unusedRemoved(edit(graph, (e) => e.remove(node.name)));
    return;
  }
  for (const input of new Set(inputsOf(node))) {
    if (!sameType(graph.node(input), node)) continue;
    yield unusedRemoved(
      edit(graph, (e) => {
        e.replaceAllUses(node.name, ref(input));
        e.remove(node.name);
      }),
    );
  }
}

function unusedRemoved(graph: Graph): Graph {
  const unused = new Set<string>();
  for (const { name, op } of graph.nodes().toReversed())
    if (op === "call_function" && graph.users(name).every((user) => unused.has(user.name))) unused.add(name);
  return edit(graph, (e) => {
    for (const name of unused) e.remove(name);
  });
}

function sameType({ meta: { val: a } }: Node, { meta: { val: b } }: Node): boolean {
  if (!(a instanceof FakeTensor) || !(b instanceof FakeTensor)) return false;
  const sameSize = (size: unknown, d: number): boolean => String(size) === String(b.shape[d]);
  return a.dtype === b.dtype && a.ndim === b.ndim && a.shape.every(sameSize);
}
