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
  const subgraphs = sharedSubgraphs(from, to);
  const pages = from.lineage === to.lineage ? undefined : sharedPages(before, after);
  if (pages === undefined && subgraphs === to.subgraphs) return after;
  const { state } = commit(from, {
    ...(pages ?? { pages: to.pages, nextKey: Math.max(from.nextKey, to.nextKey) }),
    subgraphs,
  });
  return Graph.version(before, state);
}

function sharedSubgraphs(from: GraphState, to: GraphState): GraphState["subgraphs"] {
  if (from.subgraphs === to.subgraphs || to.subgraphs.length === 0)
    return from.subgraphs.length === to.subgraphs.length ? from.subgraphs : to.subgraphs;
  const known = new Map(from.subgraphs);
  let changed = false;
  const shared = to.subgraphs.map((entry) => {
    const old = known.get(entry[0]);
    const graph = old === undefined ? entry[1] : shareVersions(old, entry[1]);
    changed ||= graph !== entry[1];
    return graph === entry[1] ? entry : ([entry[0], graph] as const);
  });
  const same =
    shared.length === from.subgraphs.length &&
    shared.every(([target, graph], i) => {
      const [oldTarget, old] = from.subgraphs[i]!;
      return target === oldTarget && graph === old;
    });
  if (same) return from.subgraphs;
  return changed ? shared : to.subgraphs;
}

/** Pages are shared when at least one in so many can be: fewer save no memory worth the time. */
const WORTH = 16;

/** The pages of `after` on those of `before`; undefined when too few can be shared. */
function sharedPages(before: Graph, after: Graph): Pick<GraphState, "pages" | "nextKey"> | undefined {
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
