/** @file Which items of a hierarchy are seen when some groups are open. */
import type { Hierarchy, Item } from "../hierarchy/item.js";
import type { SceneOptions } from "./scene.js";

/** What is seen. */
export interface Visible {
  /** Items that are boxes or frames, groups before what is in them; without the program. */
  readonly shown: readonly number[];
  /** By item: 1 for open groups. */
  readonly isOpen: Uint8Array;
  /** By item: itself, or the closed group that hides it; -1 for what is not shown at all. */
  readonly shownAs: Int32Array;
  /** Distinct pairs of shown items that values connect. */
  readonly links: readonly VisibleLink[];
}

/** Values between two shown items. */
export interface VisibleLink {
  readonly from: number;
  readonly to: number;
  readonly value: number;
  count: number;
}

/** Returns what is seen of a hierarchy. */
export function visibleOf(hierarchy: Hierarchy, { open = new Set(), state = false }: SceneOptions): Visible {
  const { items } = hierarchy;
  const isOpen = new Uint8Array(items.length);
  const shownAs = new Int32Array(items.length);
  const shown: number[] = [];
  isOpen[0] = 1;
  for (const item of items.slice(1)) {
    const around = shownAs[item.parent]!;
    const isInOpen = around === item.parent && isOpen[item.parent] === 1;
    if (!isInOpen) shownAs[item.id] = around;
    else if (item.kind === "state" && !state) shownAs[item.id] = -1;
    else {
      shownAs[item.id] = item.id;
      shown.push(item.id);
      if (isGroup(item) && (open === "all" || open.has(item.key))) isOpen[item.id] = 1;
    }
  }
  return { shown, isOpen, shownAs, links: linksOf(hierarchy, shownAs) };
}

/** Returns whether a drawing can open the item. */
export const isGroup = ({ children }: Item): boolean => children.length > 0;

function linksOf({ items, from, to }: Hierarchy, shownAs: Int32Array): VisibleLink[] {
  const links = new Map<number, VisibleLink>();
  for (let i = 0; i < from.length; i++) {
    const start = shownAs[from[i]!]!;
    const end = shownAs[to[i]!]!;
    // State within a closed group is a part of the group.
    if (start < 0 || end < 0 || start === end || isWithin(items, start, end)) continue;
    const key = start * items.length + end;
    const known = links.get(key);
    if (known === undefined) links.set(key, { from: start, to: end, value: from[i]!, count: 1 });
    else known.count++;
  }
  return [...links.values()];
}

/**
 * Returns whether one of the items is around the other: a call with open graphs reads no item in
 * them.
 */
function isWithin(items: readonly Item[], a: number, b: number): boolean {
  let inner = Math.max(a, b);
  const outer = Math.min(a, b);
  while (inner > outer) inner = items[inner]!.parent;
  return inner === outer;
}
