/**
 * @file Versions of a graph's state, and the patches between them. In a separate file: a program
 * that only reads and prints graphs does not load immer. It is immer's production build, which
 * needs no `process`: pages have none, and Rollup does not replace it.
 */
import type { Patch } from "immer";
import { applyPatches, enablePatches, produceWithPatches } from "../../vendor/immer.js";
import { historyMismatch } from "./errors.js";
import type { GraphState, Page } from "./node-store.js";

enablePatches();

/** One change of a graph, replayable in both directions. */
export interface GraphPatches {
  /** Patches from the version before to this one. */
  readonly patches: readonly Patch[];
  /** Patches back to the version before. */
  readonly inverse: readonly Patch[];
}

const NO_PATCHES: GraphPatches = Object.freeze({ patches: Object.freeze([]), inverse: Object.freeze([]) });

type MutableState<Nested> = { -readonly [K in keyof GraphState<Nested>]: GraphState<Nested>[K] };

/**
 * A change of more pages than this replaces the list of pages: immer then records one patch instead
 * of one a page.
 */
const FEW_PAGES = 16;

/**
 * Returns the next version, with the patches that lead to it and back. The same state when nothing
 * differs.
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
 * Returns whether two values of a state are equal; immer copies the lists of a patch, but not what
 * they hold.
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
