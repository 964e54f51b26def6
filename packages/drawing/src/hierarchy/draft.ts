import type { Item, ItemKind } from "./item.js";

/** An item whose place in the hierarchy is not known yet. */
export interface Draft {
  readonly key: string;
  readonly kind: ItemKind;
  readonly title: string;
  detail: string;
  readonly node: string | undefined;
  readonly graph: readonly string[];
  /** The path of a module in the model. */
  readonly path: string;
  parent: Draft | undefined;
  children: Draft[];
  /** Position of its first call in the program: groups are ordered by it. */
  first: number;
  id: number;
  calls: number;
}

type DraftInit = Pick<Draft, "key" | "kind" | "title" | "detail" | "graph" | "first"> & {
  readonly node?: string;
  readonly path?: string;
};

/** A draft, put into a group. */
export function addDraft(parent: Draft | undefined, init: DraftInit): Draft {
  const draft: Draft = {
    node: undefined,
    path: "",
    ...init,
    parent,
    children: [],
    id: -1,
    calls: init.kind === "call" ? 1 : 0,
  };
  parent?.children.push(draft);
  return draft;
}

/** Groups with more items than this are divided. */
const MOST_CHILDREN = 1_000;
const MOST_PARTS = 500;
const LEAST_IN_PART = 200;

/** Divides very long groups into parts, so that each can be drawn. */
export function divideLong(drafts: readonly Draft[]): Draft[] {
  const parts: Draft[] = [];
  for (const group of drafts) {
    const { children } = group;
    if (children.length <= MOST_CHILDREN) continue;
    const size = Math.max(LEAST_IN_PART, Math.ceil(children.length / MOST_PARTS));
    group.children = [];
    for (let start = 0; start < children.length; start += size) {
      const items = children.slice(start, start + size);
      const part = addDraft(group, {
        key: `${group.key}#${start / size + 1}`,
        kind: "part",
        title: `${start + 1} to ${start + items.length}`,
        detail: "",
        graph: group.graph,
        first: items[0]!.first,
      });
      part.children = items;
      for (const item of items) item.parent = part;
      parts.push(part);
    }
  }
  return parts;
}

/** Numbers drafts from the root on, groups before what is in them, and counts the calls. */
export function numberDrafts(root: Draft): Draft[] {
  const ordered: Draft[] = [];
  const stack = [root];
  for (let draft = stack.pop(); draft !== undefined; draft = stack.pop()) {
    draft.id = ordered.length;
    ordered.push(draft);
    for (let i = draft.children.length - 1; i >= 0; i--) stack.push(draft.children[i]!);
  }
  for (let id = ordered.length - 1; id > 0; id--) ordered[id]!.parent!.calls += ordered[id]!.calls;
  return ordered;
}

/** The finished item of a numbered draft. */
export const itemOf = ({ parent, children, detail, calls, kind, ...draft }: Draft): Item => ({
  id: draft.id,
  key: draft.key,
  kind,
  title: draft.title,
  detail: isCounted(kind) ? [detail, counted(calls)].filter((text) => text !== "").join(", ") : detail,
  node: draft.node,
  graph: draft.graph,
  parent: parent?.id ?? -1,
  children: children.map(({ id }) => id),
  calls,
});

const isCounted = (kind: ItemKind): boolean => kind === "module" || kind === "graph" || kind === "part";

const counted = (calls: number): string => `${calls} call${calls === 1 ? "" : "s"}`;
