/** @file Versions that share: a graph made anew, put on the pages of the graph that it was made of. */
import { align } from "../align.js";
import { Graph } from "../graph.js";
import type { Node } from "../node.js";
import { changePages, commit, type GraphState, type Page } from "../node-store.js";

/**
 * The graph `after` as a version of `before`: equal pages and equal nested graphs are those of `before`. Passes that
 * make a graph of a list of nodes lose the pages of the one they started from; without this their history would hold
 * every page twice. What `edit` and `rebuild` made shares already and is not looked at. `after` itself when there is
 * nothing to gain.
 */
export function shareVersions(before: Graph, after: Graph): Graph {
  if (before === after) return after;
  const [from, to] = [Graph.stateOf(before), Graph.stateOf(after)];
  const subgraphs = sharedSubgraphs(from.subgraphs, to.subgraphs);
  const pages = from.lineage === to.lineage ? undefined : sharedPages(before, after);
  const gained = to.subgraphs.some(([, graph], i) => graph !== subgraphs[i]![1]);
  if (pages === undefined && !gained) return after;
  const { state } = commit(from, { ...(pages ?? { pages: to.pages, nextKey: to.nextKey }), subgraphs });
  return Graph.version(before, state);
}

type Subgraphs = GraphState["subgraphs"];

/** The nested graphs of `to`, each shared with the one of its name; the list `from` itself when they are the same. */
function sharedSubgraphs(from: Subgraphs, to: Subgraphs): Subgraphs {
  const known = new Map(from);
  const shared = to.map(([target, graph]) => {
    const old = known.get(target);
    return [target, old === undefined ? graph : shareVersions(old, graph)] as const;
  });
  const same = ([target, graph]: Subgraphs[number], i: number): boolean =>
    target === from[i]![0] && graph === from[i]![1];
  return shared.length === from.length && shared.every(same) ? from : shared;
}

/** Pages are shared when at least one in so many can be: fewer save no memory worth the time. */
const WORTH = 16;
/** When this part of all nodes came or went, keeping the pages of both versions is in proportion to the change. */
const LARGE_CHANGE = 1 / 8;

/** The pages of `after` on those of `before`; undefined when too few can be shared. */
function sharedPages(before: Graph, after: Graph): Pick<GraphState, "pages" | "nextKey"> | undefined {
  if (Math.abs(after.size - before.size) > before.size * LARGE_CHANGE) return undefined;
  const from = Graph.stateOf(before);
  const nodes = after.nodes();
  const cuts = cutsOf(from.pages, align(before.nodes(), nodes), nodes.length);
  const shared = cuts.reduce((count, { same }) => count + (same ? 1 : 0), 0);
  if (shared * WORTH < from.pages.length) return undefined;
  const changes = new Map<number, readonly Node[]>();
  cuts.forEach(({ start, end, same }, page) => {
    if (!same) changes.set(page, nodes.slice(start, end));
  });
  return changePages(from, changes);
}

/** What becomes of a page: the nodes from one position to another. */
interface Cut {
  readonly start: number;
  readonly end: number;
  /** The same nodes as before. */
  readonly same: boolean;
}

/** What becomes of each page: nodes that are new go to the page of the node behind them. */
function cutsOf(pages: readonly Page[], match: Int32Array, total: number): Cut[] {
  let start = 0;
  let position = 0;
  return pages.map(({ nodes }, page) => {
    let end = start;
    let same = true;
    for (let slot = 0; slot < nodes.length; slot++, position++) {
      const place = match[position]!;
      if (place !== start + slot) same = false;
      if (place >= 0) end = place + 1;
    }
    if (page === pages.length - 1 && end !== total) [same, end] = [false, total];
    const cut = { start, end, same };
    start = end;
    return cut;
  });
}
