/**
 * @file What differs between two versions of a graph, node by node: fits any graph with the same
 * nodes.
 */

import { rebuild } from "../graph/edit.js";
import { historyMismatch } from "../graph/errors.js";
import type { Graph } from "../graph/graph.js";
import type { Node } from "../graph/node.js";
import { nodeLine } from "../ir-text/print-graph.js";
import { align, hunksOf } from "../support/align.js";

/** A run of nodes in the place of another. Positions count in the graph before. */
export interface NodeSplice {
  /** Position of the first node, in the graph before. */
  readonly at: number;
  /** The nodes that go. */
  readonly removed: readonly Node[];
  /** The nodes in their place. */
  readonly added: readonly Node[];
}

/** The change of a graph, and of the graphs nested in it. */
export interface GraphSplices {
  /** Changed runs of nodes, in graph order. */
  readonly splices: readonly NodeSplice[];
  /** Nested graphs before and after, those that both have as their changes. */
  readonly nested: readonly NestedChange[];
  /**
   * Targets of the nested graphs before and after, in order; empty when no nested graph changes.
   */
  readonly targets: readonly [before: readonly string[], after: readonly string[]];
}

const NO_TARGETS: GraphSplices["targets"] = [[], []];

/** A change of one nested graph: either it changed, or it came or went. */
export interface NestedChange {
  /** The target that `get_attr` reads the graph by. */
  readonly target: string;
  /** What changed within it. */
  readonly change?: GraphSplices;
  /** The graph that went. */
  readonly removed?: Graph;
  /** The graph that came. */
  readonly added?: Graph;
}

/** Returns what leads from one version to the next. */
export function splicesOf(before: Graph, after: Graph): GraphSplices {
  if (before === after) return { splices: [], nested: [], targets: NO_TARGETS };
  const [old, now] = [before.nodes(), after.nodes()];
  const splices = hunksOf(align(old, now), now.length).map(({ startA, endA, startB, endB }) => ({
    at: startA,
    removed: old.slice(startA, endA),
    added: now.slice(startB, endB),
  }));
  const nested: NestedChange[] = [];
  for (const target of new Set([...before.subgraphs.keys(), ...after.subgraphs.keys()])) {
    const [removed, added] = [before.subgraphs.get(target), after.subgraphs.get(target)];
    if (removed === added) continue;
    if (removed !== undefined && added !== undefined)
      nested.push({ target, change: splicesOf(removed, added) });
    else nested.push({ target, ...(removed === undefined ? { added: added! } : { removed }) });
  }
  const targets: GraphSplices["targets"] =
    nested.length === 0 ? NO_TARGETS : [[...before.subgraphs.keys()], [...after.subgraphs.keys()]];
  return { splices, nested, targets };
}

/** Returns the change that leads back. */
export function reversed({ splices, nested, targets }: GraphSplices): GraphSplices {
  let shift = 0;
  return {
    splices: splices.map(({ at, removed, added }) => {
      const start = at + shift;
      shift += added.length - removed.length;
      return { at: start, removed: added, added: removed };
    }),
    nested: nested.map(({ target, change, removed, added }) => ({
      target,
      ...(change === undefined ? {} : { change: reversed(change) }),
      ...(added === undefined ? {} : { removed: added }),
      ...(removed === undefined ? {} : { added: removed }),
    })),
    targets: [targets[1], targets[0]],
  };
}

/**
 * Returns the graph after a change. The nodes that go must be there, equal up to metadata; all
 * others are left alone.
 * @throws SconceError `HISTORY_MISMATCH`
 */
export function applySplices(graph: Graph, change: GraphSplices): Graph {
  const options = change.nested.length === 0 ? {} : { subgraphs: splicedSubgraphs(graph, change) };
  return rebuild(graph, splicer(graph, change.splices), { ...options, inherit: false, checkUses: false });
}

function splicedSubgraphs(graph: Graph, { nested, targets }: GraphSplices): Map<string, Graph> {
  const subgraphs = new Map(graph.subgraphs);
  for (const { target, change, added } of nested) {
    const old = subgraphs.get(target);
    const isNew = change === undefined && added !== undefined;
    if (isNew !== (old === undefined))
      throw historyMismatch(`the nested graph "${target}" is ${isNew ? "already" : "not"} there`, target);
    if (change !== undefined) subgraphs.set(target, applySplices(old!, change));
    else if (added !== undefined) subgraphs.set(target, added);
    else subgraphs.delete(target);
  }
  const order = targets[1];
  if (order.length !== subgraphs.size || !order.every((target) => subgraphs.has(target)))
    throw historyMismatch(`the nested graphs are not ${order.join(", ")}`);
  return new Map(order.map((target) => [target, subgraphs.get(target)!]));
}

/**
 * Returns what becomes of each node: those that are added come before the node at their position,
 * or after the last one.
 */
function splicer(
  graph: Graph,
  splices: readonly NodeSplice[],
): (node: Node, position: number) => boolean | readonly Node[] {
  const last = graph.size - 1;
  let [next, removedUntil] = [0, 0];
  for (const [i, { at }] of splices.entries()) {
    const least = i === 0 ? 0 : splices[i - 1]!.at + splices[i - 1]!.removed.length;
    if (at < least || at > last + 1 || last < 0) throw historyMismatch(`the graph has no position ${at}`);
  }
  return (node, position) => {
    const before: Node[] = [];
    const after: Node[] = [];
    while (next < splices.length) {
      const { at, removed, added } = splices[next]!;
      if (at > position && !(at > last && position === last)) break;
      (at > position ? after : before).push(...added);
      for (const [i, wanted] of removed.entries()) refuseOther(graph.nodes()[at + i], wanted);
      removedUntil = Math.max(removedUntil, at + removed.length);
      next++;
    }
    const isKept = position >= removedUntil;
    if (before.length + after.length === 0) return isKept;
    return [...before, ...(isKept ? [node] : []), ...after];
  };
}

function refuseOther(node: Node | undefined, wanted: Node): void {
  if (node === wanted) return;
  const [has, wants] = [node === undefined ? "nothing" : nodeLine(node), nodeLine(wanted)];
  if (has !== wants)
    throw historyMismatch(`the graph has ${has} where the history has ${wants}`, wanted.name);
}
