/**
 * @file Assertions that a change dropped, as a region that has no results but may refuse its
 * inputs.
 */
import type { Graph, Node } from "@sconce/ir";
import type { ChangedRegion, Inside, RegionFinder } from "./changed-regions.js";
import { assertedIn, isImplied, metadataKeys } from "./implied-assertions.js";
import type { GraphPath } from "./nested.js";
import { isAssertion } from "./program-sides.js";

/** An assertion that a pass removed, where no sample shows that it can fail. */
export interface GoneAssertion {
  /** The nested graph of the assertion. */
  readonly path: GraphPath;
  /** The node of the assertion, before the pass. */
  readonly node: Node;
}

/**
 * Assertions before that no call after repeats or implies, except those of operators that the pass
 * removes on purpose.
 */
export function droppedAssertions(finder: RegionFinder, removes: readonly string[]): Node[] {
  const { before, after } = finder;
  const conditions = assertedIn(after);
  const [asserted, kept] = [metadataKeys(before), metadataKeys(after)];
  const isKept = (name: string): boolean => asserted.has(name) && asserted.get(name) === kept.get(name);
  return before
    .nodes()
    .filter(
      (node) =>
        isAssertion(node) &&
        !removes.includes(node.target) &&
        !finder.isInAfter(node.name) &&
        !isKept(node.name) &&
        !isImplied(node, before, conditions),
    );
}

/**
 * Returns the first assertion of an operator that the program after calls less often, for programs
 * whose values are not compared; nested graphs count where they are called.
 */
export function fewerAssertions(
  before: Graph,
  after: Graph,
  removes: readonly string[],
  path: GraphPath = [],
): GoneAssertion | undefined {
  const open = (graph: Graph, other: Graph): Node[] => {
    const conditions = assertedIn(other);
    return graph.nodes().filter((node) => isAssertion(node) && !isImplied(node, graph, conditions));
  };
  const left = new Map<string, number>();
  for (const { target } of open(after, before)) left.set(target, (left.get(target) ?? 0) + 1);
  for (const node of open(before, after)) {
    const count = left.get(node.target) ?? 0;
    left.set(node.target, count - 1);
    if (count <= 0 && !removes.includes(node.target)) return { path, node };
  }
  for (const [target, nested] of before.subgraphs) {
    const other = after.subgraphs.get(target);
    const found = other && fewerAssertions(nested, other, removes, [...path, target]);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Returns whether the change adds an assertion on the values that a dropped one reads. */
export const isReplaced = (finder: RegionFinder, dropped: Node): boolean =>
  assertionRegion(finder, dropped, new Set()).after.nodes.some(
    (node) => isAssertion(node) && finder.isAdded(node.name),
  );

/**
 * Returns what one assertion asks of tensors, with all assertions after that ask something of the
 * same values. Numbers are computed in the region; `inside` are tensors that are computed in it
 * too.
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
