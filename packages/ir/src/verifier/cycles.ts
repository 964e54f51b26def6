/**
 * @file Separates nodes that only stand in the wrong order from those that no order can satisfy.
 */
import { cyclesOf } from "../graph/cycles.js";
import type { Graph } from "../graph/graph.js";
import type { Problem } from "../graph/problem.js";

/** A cycle of more nodes than this is shown by its first ones. */
const SHOWN = 6;

/**
 * Returns the problems with another fix where a node is used before its definition because the two
 * depend on each other: moving one of them would not help. Nested graphs are found by the paths of
 * the problems.
 */
export function withCycles(problems: readonly Problem[], root: Graph): Problem[] {
  const groups = new Map<string, readonly string[][]>();
  return problems.map((problem) => {
    if (problem.code !== "USED_BEFORE_DEFINITION" || problem.node === undefined) return problem;
    const path = problem.graph ?? "";
    const graph = nestedGraph(root, path);
    if (graph === undefined) return problem;
    if (!groups.has(path)) groups.set(path, namedCycles(graph));
    const cycle = groups.get(path)!.find((group) => group.includes(problem.node!));
    if (cycle === undefined) return problem;
    const shown = cycle.slice(0, SHOWN).map((name) => `%${name}`);
    const rest = cycle.length > SHOWN ? ` and ${cycle.length - SHOWN} more` : "";
    return {
      ...problem,
      fix: `remove a use among ${shown.join(", ")}${rest}: they depend on each other`,
    };
  });
}

const namedCycles = (graph: Graph): string[][] =>
  cyclesOf(graph).map((group) => group.sort((a, b) => a - b).map((at) => graph.nodeAt(at).name));

/** Returns the nested graph at a path of targets; targets may hold dots themselves. */
function nestedGraph(graph: Graph, path: string): Graph | undefined {
  if (path === "") return graph;
  for (const [target, nested] of graph.subgraphs) {
    if (path === target) return nested;
    const found = path.startsWith(`${target}.`)
      ? nestedGraph(nested, path.slice(target.length + 1))
      : undefined;
    if (found !== undefined) return found;
  }
  return undefined;
}
