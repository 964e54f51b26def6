/** @file Which calls are to blame for a nest that the device cannot compute: those of others that joined it are not. */
import { DEFAULT_LIMITS, type LoopNest, type LoopProgram, lowerToLoops } from "@sconce/codegen";
import type { Graph } from "@sconce/ir";
import type { OperatorTable } from "@sconce/ops";

/** Reasons by the nests that they hold for. */
export type Problems = ReadonlyMap<LoopNest, string>;
/** Reasons by the names of nodes. */
export type Reasons = ReadonlyMap<string, string>;

/** The loops of a graph in which nothing is fused. */
export const apart = (graph: Graph, operators: OperatorTable): LoopProgram =>
  lowerToLoops(graph, { operators, limits: { ...DEFAULT_LIMITS, isApart: true } });

/**
 * The nodes whose own nests have a problem, among those of the nests that were found to have one; all of a nest where none
 * has one on its own.
 *
 * @param alone what is wrong with nests of nodes on their own; asked only where there is a problem
 */
export function blame(problems: Problems, alone: () => Problems): Reasons {
  const reasons = new Map<string, string>();
  if (problems.size === 0) return reasons;
  const own = new Map<string, string>();
  for (const [{ nodes }, reason] of alone())
    for (const node of nodes) if (!own.has(node)) own.set(node, reason);
  for (const [{ nodes }, reason] of problems) {
    const guilty = nodes.filter((node) => own.has(node));
    for (const node of guilty.length > 0 ? guilty : nodes)
      if (!reasons.has(node)) reasons.set(node, own.get(node) ?? reason);
  }
  return reasons;
}
