/**
 * @file Assertions that a change dropped, as a region that has no results but may refuse its
 * inputs.
 */
import type { Node } from "@sconce/ir";
import type { ChangedRegion, Inside, RegionFinder } from "./changed-regions.js";
import { isAssertion } from "./program-sides.js";

/**
 * Assertions before that no call after repeats, except those of operators that the pass removes on
 * purpose.
 */
export function droppedAssertions(finder: RegionFinder, removes: readonly string[]): Node[] {
  return finder.before
    .nodes()
    .filter((node) => isAssertion(node) && !removes.includes(node.target) && !finder.isInAfter(node.name));
}

/**
 * What one assertion asks of tensors, with all assertions after that ask something of the same
 * values. Numbers are computed in the region; `inside` are tensors that are computed in it too.
 */
export function assertionRegion(finder: RegionFinder, dropped: Node, inside: Inside): ChangedRegion {
  const alone = finder.conditions([dropped.name], [], inside);
  const values = new Set(alone.inputs.map((input) => input.after));
  const own = finder.after
    .nodes()
    .filter(isAssertion)
    .filter(({ name }) =>
      finder.conditions([], [name], inside).inputs.some((input) => values.has(input.after)),
    );
  return finder.conditions(
    [dropped.name],
    own.map(({ name }) => name),
    inside,
  );
}
