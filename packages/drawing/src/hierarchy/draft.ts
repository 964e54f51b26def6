import { annotation, type MetaValue } from "@sconce/ir";
import type { Item, ItemKind } from "./item.js";

/** What a draft starts with. */
export interface DraftInit {
  readonly key: string;
  readonly kind: ItemKind;
  readonly title: string;
  /** The class of a module, or what an output holds. */
  readonly detail?: string;
  /** The value of a node; its type is its detail. */
  readonly val?: MetaValue | undefined;
  readonly node?: string;
  readonly graph: readonly string[];
  /** The path of a module in the model. */
  readonly path?: string;
  readonly first: number;
}

/** An item whose place in the hierarchy is not known yet. */
export class Draft {
  readonly init: DraftInit;
  parent: Draft | undefined;
  children: Draft[] = [];
  id = -1;
  calls: number;

  constructor(parent: Draft | undefined, init: DraftInit) {
    this.init = init;
    this.parent = parent;
    this.calls = init.kind === "call" ? 1 : 0;
    parent?.children.push(this);
  }

  get key(): string {
    return this.init.key;
  }

  get path(): string {
    return this.init.path ?? "";
  }

  /** Position of its first call in the program: groups are ordered by it. */
  get first(): number {
    return this.init.first;
  }
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
      const part = new Draft(group, {
        key: `${group.key}#${start / size + 1}`,
        kind: "part",
        title: `boxes ${start + 1} to ${start + items.length} of ${children.length}`,
        graph: group.init.graph,
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

/** Returns the finished item of a numbered draft. */
export const itemOf = (draft: Draft): Item => new DraftItem(draft);

/** An item whose texts are made when they are asked for: most items of large programs are not. */
class DraftItem implements Item {
  readonly id: number;
  readonly key: string;
  readonly kind: ItemKind;
  readonly title: string;
  readonly node: string | undefined;
  readonly graph: readonly string[];
  readonly parent: number;
  readonly children: readonly number[];
  readonly calls: number;
  readonly #detail: string | undefined;
  readonly #val: MetaValue | undefined;

  constructor({ init, id, parent, children, calls }: Draft) {
    this.id = id;
    this.key = init.key;
    this.kind = init.kind;
    this.title = init.title;
    this.node = init.node;
    this.graph = init.graph;
    this.parent = parent?.id ?? -1;
    this.children = children.length === 0 ? NO_CHILDREN : children.map((child) => child.id);
    this.calls = calls;
    this.#detail = init.detail;
    this.#val = init.val;
  }

  get detail(): string {
    const own = this.#detail ?? annotation(this.#val) ?? "";
    if (!COUNTED.has(this.kind)) return own;
    const calls = `${this.calls} call${this.calls === 1 ? "" : "s"}${this.kind === "part" ? " in all" : ""}`;
    return own === "" ? calls : `${own}, ${calls}`;
  }
}

const NO_CHILDREN: readonly number[] = [];
const COUNTED: ReadonlySet<ItemKind> = new Set(["module", "graph", "part"]);
