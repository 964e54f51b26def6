/** @file Why a changed region is not run by itself. */
import type { Node } from "@sconce/ir";
import type { OperatorTable } from "@sconce/ops";
import type { ChangedRegion } from "../changes/changed-regions.js";
import { isRandom, isWrite } from "../changes/program-sides.js";
import { changesLaterCalls } from "../graphs/dead-nodes.js";
import type { GraphWalk } from "./graph-walk.js";

/** Returns why a region cannot be run by itself. */
export function whyNotRun(
  { sides }: GraphWalk,
  operators: OperatorTable,
  { before, after }: ChangedRegion,
): string | undefined {
  const both = [...before.nodes, ...after.nodes];
  if (both.some((node) => isWrite(node, operators))) return "it writes in place";
  if (both.some(({ target }) => changesLaterCalls(target))) return "it opens or closes a region of calls";
  const epochs = (nodes: readonly Node[], writes: ReadonlyMap<string, number>): Set<number> =>
    new Set(nodes.map(({ name }) => writes.get(name) ?? 0));
  const [x, y] = [epochs(before.nodes, sides.writes.before), epochs(after.nodes, sides.writes.after)];
  const isStill = sides.sameWrites ? x.size <= 1 && y.size <= 1 : [...x].every((count) => count === 0);
  if (!isStill) return "it reads values that are written in place";
  const draws = (nodes: readonly Node[]): string =>
    nodes
      .filter((node) => isRandom(node, operators))
      .map(({ target }) => target)
      .join();
  return draws(before.nodes) === draws(after.nodes) ? undefined : "it draws random numbers";
}
