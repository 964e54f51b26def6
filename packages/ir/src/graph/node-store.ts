/**
 * @file How a graph stores its nodes: frozen records in frozen pages, in graph order, inside an
 * immer state. A change copies the pages it touches and the short list of pages, whatever the size
 * of the graph; a Map or one long array as immer state costs a hundred times as much per edit.
 */
import type { Node } from "./node.js";

/** Nodes of a new page. A page may grow to twice this before it is split. */
const PAGE_SIZE = 256;
const PAGE_LIMIT = 2 * PAGE_SIZE;
/** A page holds fewer nodes than this, so that page key and slot fit into one small integer. */
export const PLACES = 4 * PAGE_SIZE;

/**
 * A run of nodes. A class, so that immer takes the page as one leaf: it neither drafts nor copies
 * its nodes. The key stays with the page while its nodes change; name indexes refer to it.
 */
export class Page {
  readonly key: number;
  readonly nodes: readonly Node[];

  constructor(key: number, nodes: readonly Node[]) {
    this.key = key;
    this.nodes = Object.freeze(nodes);
    Object.freeze(this);
  }
}

/** Everything that one version of a graph consists of; `Nested` is the type of graphs within it. */
export interface GraphState<Nested = unknown> {
  readonly pages: readonly Page[];
  readonly nextKey: number;
  readonly subgraphs: readonly (readonly [target: string, graph: Nested])[];
}

/** Returns a state of these nodes, in pages of {@link PAGE_SIZE}. */
export function makeState<Nested>(
  nodes: readonly Node[],
  subgraphs: GraphState<Nested>["subgraphs"],
): GraphState<Nested> {
  const pages: Page[] = [];
  for (const node of nodes) Object.freeze(node);
  for (let i = 0; i < nodes.length; i += PAGE_SIZE)
    pages.push(new Page(pages.length, nodes.slice(i, i + PAGE_SIZE)));
  return Object.freeze({
    pages: Object.freeze(pages),
    nextKey: pages.length,
    subgraphs: Object.freeze(subgraphs),
  });
}

/** New content of some pages, by position; empty content drops the page. */
export type PageChanges = ReadonlyMap<number, readonly Node[]>;

/**
 * Returns the pages after some got new content. Full pages are split, and a state of many nearly
 * empty pages is packed anew.
 */
export function changePages(state: GraphState, changes: PageChanges): Pick<GraphState, "pages" | "nextKey"> {
  const pages: Page[] = [];
  let nextKey = state.nextKey;
  let size = 0;
  for (let i = 0; i < state.pages.length; i++) {
    const page = state.pages[i]!;
    const nodes = changes.get(i) ?? page.nodes;
    size += nodes.length;
    if (nodes === page.nodes) pages.push(page);
    else if (nodes.length > PAGE_LIMIT) {
      for (let j = 0; j < nodes.length; j += PAGE_SIZE) {
        pages.push(new Page(j === 0 ? page.key : nextKey++, nodes.slice(j, j + PAGE_SIZE)));
      }
    } else if (nodes.length > 0) pages.push(new Page(page.key, nodes));
  }
  const sparse = pages.length > 2 * Math.ceil(size / PAGE_SIZE) + 8;
  if (!sparse) return { pages, nextKey };
  const packed = makeState(
    pages.flatMap((page) => page.nodes),
    [],
  );
  return { pages: packed.pages, nextKey: packed.nextKey };
}
