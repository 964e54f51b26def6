/** @file Attributes the problem of a nest to calls: not to those that only joined the nest. */
import { DEFAULT_LIMITS, type LoopNest, type LoopProgram, lowerToLoops } from "@sconce/codegen";
import type { Graph } from "@sconce/ir";
import type { OperatorTable } from "@sconce/ops";

/** Reasons by the nests that they hold for. */
export type Problems = ReadonlyMap<LoopNest, string>;
/** Reasons by the names of nodes. */
export type Reasons = ReadonlyMap<string, string>;

/** The loops of a graph in which nothing is fused. */
export const unfusedLoops = (graph: Graph, operators: OperatorTable): LoopProgram =>
  lowerToLoops(graph, { operators, limits: { ...DEFAULT_LIMITS, isUnfused: true } });

/**
 * Returns the nodes that cause the problems of fused nests: those whose own unfused nest has a
 * problem too. If a nest has none of these, all of its nodes count.
 *
 * @param alone finds the problems of unfused nests; called only if there is a problem
 */
export function attribute(problems: Problems, alone: () => Problems): Reasons {
  const reasons = new Map<string, string>();
  if (problems.size === 0) return reasons;
  const own = new Map<string, string>();
  for (const [{ nodes }, reason] of alone())
    for (const node of nodes) if (!own.has(node)) own.set(node, reason);
  for (const [{ nodes }, reason] of problems) {
    const causes = nodes.filter((node) => own.has(node));
    for (const node of causes.length > 0 ? causes : nodes)
      if (!reasons.has(node)) reasons.set(node, own.get(node) ?? reason);
  }
  return reasons;
}
