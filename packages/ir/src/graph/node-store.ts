/**
 * @file How a graph stores its nodes: frozen records in frozen pages, in graph order, inside an
 * immer state. A change copies the pages it touches and the short list of pages, whatever the size
 * of the graph; a Map or one long array as immer state costs a hundred times as much per edit.
 */
import { applyPatches, enablePatches, type Patch, produceWithPatches } from "immer";
import { historyMismatch } from "./errors.js";
import type { Node } from "./node.js";

enablePatches();

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

/** One change of a graph, replayable in both directions. */
export interface GraphPatches {
  /** Patches from the version before to this one. */
  readonly patches: readonly Patch[];
  /** Patches back to the version before. */
  readonly inverse: readonly Patch[];
}

const NO_PATCHES: GraphPatches = Object.freeze({ patches: Object.freeze([]), inverse: Object.freeze([]) });

/** A state of these nodes, in pages of {@link PAGE_SIZE}. */
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
 * The pages after some got new content. Full pages are split, and a state of many nearly empty
 * pages is packed anew.
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

type MutableState<Nested> = { -readonly [K in keyof GraphState<Nested>]: GraphState<Nested>[K] };

/**
 * A change of more pages than this replaces the list of pages: immer then records one patch instead
 * of one a page.
 */
const FEW_PAGES = 16;

/**
 * The next version, with the patches that lead to it and back. The same state when nothing differs.
 */
export function commit<Nested>(
  state: GraphState<Nested>,
  next: Partial<GraphState<Nested>>,
): { readonly state: GraphState<Nested> } & GraphPatches {
  const [result, patches, inverse] = produceWithPatches(state, (draft) => {
    const { pages, subgraphs, nextKey } = next;
    const target = draft as MutableState<Nested>;
    if (pages !== undefined) setPages(target, state.pages, pages);
    if (nextKey !== undefined && nextKey !== state.nextKey) target.nextKey = nextKey;
    if (subgraphs !== undefined && subgraphs !== state.subgraphs) target.subgraphs = subgraphs;
  });
  return { state: result, patches, inverse };
}

function setPages(draft: MutableState<unknown>, before: readonly Page[], after: readonly Page[]): void {
  const changed = after.flatMap((page, i) => (page === before[i] ? [] : [i]));
  if (after.length !== before.length || changed.length > FEW_PAGES) {
    draft.pages = after;
    return;
  }
  const slots = draft.pages as Page[];
  for (const i of changed) slots[i] = after[i]!;
}

/**
 * Returns the state after recorded patches: forward to redo, inverse to undo. Pages keep their
 * identity. `opposite` are the patches that lead back; where given, what they hold must be what the
 * state holds.
 * @throws SconceError `HISTORY_MISMATCH`
 */
export function applyStatePatches<Nested>(
  state: GraphState<Nested>,
  patches: readonly Patch[],
  opposite: readonly Patch[] = [],
): GraphState<Nested> {
  if (patches.length === 0) return state;
  if (![...patches, ...opposite].every(({ op, path }) => op === "replace" && isPathOf(state, path)))
    throw notAState();
  if (!opposite.every(({ path, value }) => isSame(valueAt(state, path), value))) throw notAState();
  return applyPatches(state, patches);
}

const notAState = (): Error =>
  historyMismatch("the graph is not the one that the recorded patches lead from");

const isPathOf = (state: GraphState, [part, index, ...rest]: Patch["path"]): boolean =>
  rest.length === 0 &&
  Object.hasOwn(state, String(part)) &&
  (index === undefined || (part === "pages" && typeof index === "number" && index in state.pages));

const valueAt = (state: GraphState, [part, index]: Patch["path"]): unknown =>
  index === undefined ? state[part as keyof GraphState] : state.pages[index as number];

/**
 * Whether two values of a state are equal; immer copies the lists of a patch, but not what they
 * hold.
 */
const isSame = (a: unknown, b: unknown): boolean =>
  a === b ||
  (Array.isArray(a) && Array.isArray(b) && a.length === b.length && a.every((item, i) => isSame(item, b[i])));

/** Patches between two versions, however the second was made. */
export function diffStates(before: GraphState, after: GraphState): GraphPatches {
  if (before === after) return NO_PATCHES;
  const { patches, inverse } = commit(before, after);
  return { patches, inverse };
}
