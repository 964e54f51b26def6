/**
 * @file How a graph stores its nodes: frozen records in frozen pages, in graph order, inside an immer state. A change
 * copies the pages it touches and the short list of pages, whatever the size of the graph; a Map or one long array as
 * immer state costs a hundred times as much per edit.
 */
import { enablePatches, type Patch, produceWithPatches } from "immer";
import { historyMismatch } from "./errors.js";
import type { Graph } from "./graph.js";
import type { Node } from "./node.js";

enablePatches();

/** Nodes of a new page. A page may grow to twice this before it is split. */
export const PAGE_SIZE = 256;
const PAGE_LIMIT = 2 * PAGE_SIZE;

/** A run of nodes. The key stays with the page while its nodes change; name indexes refer to it. */
export interface Page {
  readonly key: number;
  readonly nodes: readonly Node[];
}

/** Everything that one version of a graph consists of. */
export interface GraphState {
  readonly pages: readonly Page[];
  readonly nextKey: number;
  readonly subgraphs: readonly (readonly [target: string, graph: Graph])[];
  /** The same object in all versions that edits made of one graph. */
  readonly lineage: object;
}

/** One change of a graph, replayable in both directions. */
export interface GraphPatches {
  readonly patches: readonly Patch[];
  readonly inverse: readonly Patch[];
}

const NO_PATCHES: GraphPatches = Object.freeze({ patches: Object.freeze([]), inverse: Object.freeze([]) });

export const makePage = (key: number, nodes: readonly Node[]): Page =>
  Object.freeze({ key, nodes: Object.freeze(nodes) });

/** A state of these nodes, in pages of {@link PAGE_SIZE}. */
export function makeState(nodes: readonly Node[], subgraphs: GraphState["subgraphs"]): GraphState {
  const pages: Page[] = [];
  for (const node of nodes) Object.freeze(node);
  for (let i = 0; i < nodes.length; i += PAGE_SIZE)
    pages.push(makePage(pages.length, nodes.slice(i, i + PAGE_SIZE)));
  return Object.freeze({
    pages: Object.freeze(pages),
    nextKey: pages.length,
    subgraphs: Object.freeze(subgraphs),
    lineage: Object.freeze({}),
  });
}

/** New content of some pages, by position; empty content drops the page. */
export type PageChanges = ReadonlyMap<number, readonly Node[]>;

/** The pages after some got new content. Full pages are split, and a state of many nearly empty pages is packed anew. */
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
        pages.push(makePage(j === 0 ? page.key : nextKey++, nodes.slice(j, j + PAGE_SIZE)));
      }
    } else if (nodes.length > 0) pages.push(makePage(page.key, nodes));
  }
  const sparse = pages.length > 2 * Math.ceil(size / PAGE_SIZE) + 8;
  if (!sparse) return { pages, nextKey };
  const packed = makeState(
    pages.flatMap((page) => page.nodes),
    [],
  );
  return { pages: packed.pages, nextKey: packed.nextKey };
}

type MutableState = { -readonly [K in keyof GraphState]: GraphState[K] };

/** The next version, with the patches that lead to it and back. The same state when nothing differs. */
export function commit(
  state: GraphState,
  next: Partial<GraphState>,
): { readonly state: GraphState } & GraphPatches {
  const [result, patches, inverse] = produceWithPatches(state, (draft) => {
    const { pages, subgraphs, nextKey } = next;
    const target = draft as unknown as MutableState;
    if (pages !== undefined && pages.length !== state.pages.length) target.pages = pages;
    else if (pages !== undefined) {
      const slots = target.pages as Page[];
      for (let i = 0; i < pages.length; i++) if (pages[i] !== state.pages[i]) slots[i] = pages[i]!;
    }
    if (nextKey !== undefined && nextKey !== state.nextKey) target.nextKey = nextKey;
    if (subgraphs !== undefined && subgraphs !== state.subgraphs) target.subgraphs = subgraphs;
  });
  return { state: result, patches, inverse };
}

/**
 * The state after recorded patches: forward to redo, inverse to undo. Pages are put back as they are, never copied
 * (immer's own `applyPatches` clones what patches hold). `opposite` are the patches that lead back: where given, what
 * is replaced must be what they hold.
 * @throws SconceError `HISTORY_MISMATCH`
 */
export function replay(
  state: GraphState,
  patches: readonly Patch[],
  opposite: readonly Patch[] = [],
): GraphState {
  if (patches.length === 0) return state;
  for (const patch of opposite) if (valueAt(state, patch.path) !== patch.value) throw notAState();
  const next: MutableState = { ...state };
  let slots: Page[] | undefined;
  for (const { op, path, value } of patches) {
    const [part, index] = path;
    if (op !== "replace" || path.length > 2 || !Object.hasOwn(state, String(part))) throw notAState();
    if (path.length === 1) next[part as "pages"] = value as readonly Page[];
    else {
      if (part !== "pages" || typeof index !== "number" || state.pages[index] === undefined)
        throw notAState();
      slots ??= state.pages.slice();
      slots[index] = value as Page;
    }
  }
  if (slots !== undefined) next.pages = Object.freeze(slots);
  return Object.freeze(next);
}

const notAState = (): Error =>
  historyMismatch("the graph is not the one that the recorded patches lead from");

const valueAt = (state: GraphState, [part, index]: readonly (string | number)[]): unknown =>
  index === undefined ? state[part as keyof GraphState] : state.pages[index as number];

/** Patches between two versions, however the second was made. */
export function diffStates(before: GraphState, after: GraphState): GraphPatches {
  if (before === after) return NO_PATCHES;
  const { patches, inverse } = commit(before, after);
  return { patches, inverse };
}
