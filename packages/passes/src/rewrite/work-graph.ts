import {
  type Argument,
  forEachInput,
  type Graph,
  Namespace,
  type Node,
  type NodeRef,
  rebuild,
} from "@sconce/ir";
import { mapInputs } from "@sconce/trace";
import { SmallSet } from "./small-set.js";

/**
 * A place for one node while its graph is rewritten. Slots are compared and walked by identity:
 * names, which cost a search, are only looked up where the arguments of a node are read.
 */
export interface Slot {
  /** The node as it is now; null once it is gone. */
  node: Node | null;
  /** The base node's slot that an inserted one stands before; undefined in base slots. */
  readonly anchor: Slot | undefined;
  /** Position in the base graph; -1 for inserted nodes. */
  readonly at: number;
  /** What reads it; filled on demand. */
  users: SmallSet<Slot> | undefined;
  /** What was inserted before it, in order. */
  inserted: Slot[] | undefined;
  /** Whether it waits for a visit: the worklist's own. */
  queued: boolean;
}

/**
 * Where a node stands: the base node that it stands before (or is), and its place among those
 * inserted there.
 */
export type Position = readonly [base: number, inserted: number];

/**
 * A graph being rewritten many times. Reads see all changes so far, and each change costs in
 * proportion to what it touches; {@link finish} makes the new version at once.
 */
export class WorkGraph {
  readonly base: Graph;
  /** Slots of base nodes by position, made when first needed. */
  readonly #slots: (Slot | undefined)[];
  readonly #added = new Map<string, Slot>();
  readonly #names: Namespace;
  #isChanged = false;

  constructor(base: Graph) {
    this.base = base;
    this.#slots = new Array<Slot | undefined>(base.size).fill(undefined);
    this.#names = new Namespace((name) => base.has(name));
  }

  /** Returns the node as it is now; undefined when there is none. */
  find(name: string): Node | undefined {
    return this.slot(name)?.node ?? undefined;
  }

  /** Returns the slot of a name that is in the graph, or was; undefined when there is none. */
  slot(name: string): Slot | undefined {
    const position = this.base.positionOf(name);
    return position < 0 ? this.#added.get(name) : this.slotAt(position);
  }

  /** Returns the slot of the base node at a position. */
  slotAt(at: number): Slot {
    const known = this.#slots[at];
    if (known !== undefined) return known;
    const node = this.base.nodeAt(at);
    const slot: Slot = { node, anchor: undefined, at, users: undefined, inserted: undefined, queued: false };
    this.#slots[at] = slot;
    return slot;
  }

  users(slot: Slot): SmallSet<Slot> {
    if (slot.users !== undefined) return slot.users;
    slot.users = new SmallSet(slot.at < 0 ? [] : this.#baseUsers(slot.at));
    return slot.users;
  }

  #baseUsers(at: number): Slot[] {
    const users = new Array<Slot>(this.base.userCount(at));
    let count = 0;
    this.base.forEachUser(at, (user) => {
      users[count++] = this.slotAt(user);
    });
    return users;
  }

  position(name: string): Position {
    const slot = this.slot(name)!;
    if (slot.anchor === undefined) return [slot.at, Number.POSITIVE_INFINITY];
    return [slot.anchor.at, slot.anchor.inserted!.indexOf(slot)];
  }

  freshName(candidate: string): string {
    return this.#names.create(candidate);
  }

  insertBefore(place: Slot, node: Node): Slot {
    const anchor = place.anchor ?? place;
    const slot: Slot = {
      node: Object.freeze(node),
      anchor,
      at: -1,
      users: undefined,
      inserted: undefined,
      queued: false,
    };
    if (anchor.inserted === undefined) anchor.inserted = [slot];
    else if (anchor === place) anchor.inserted.push(slot);
    else anchor.inserted.splice(anchor.inserted.indexOf(place), 0, slot);
    this.#added.set(node.name, slot);
    this.#isChanged = true;
    forEachInput(node, (input) => this.#usersOf(input).add(slot));
    return slot;
  }

  /** Lets users of a node use another instead; gives their slots. */
  replaceUses(slot: Slot, replacement: NodeRef): readonly Slot[] {
    const { name } = slot.node!;
    const users = this.users(slot).toArray();
    const replace = (input: NodeRef): Argument => (input.name === name ? replacement : input);
    const next = this.#usersOf(replacement.name);
    for (const user of users) {
      user.node = Object.freeze(mapInputs(user.node!, replace));
      next.add(user);
    }
    this.users(slot).clear();
    this.#isChanged = true;
    return users;
  }

  /** Drops a node that nothing uses. */
  remove(slot: Slot): void {
    forEachInput(slot.node!, (input) => this.#usersOf(input).delete(slot));
    slot.node = null;
    this.#isChanged = true;
    const row = slot.anchor?.inserted;
    if (row !== undefined) row.splice(row.indexOf(slot), 1);
  }

  /** Returns the new version; the base itself when nothing changed. */
  finish(): Graph {
    if (!this.#isChanged) return this.base;
    return rebuild(this.base, (_, position) => {
      const slot = this.#slots[position];
      if (slot === undefined) return true;
      const { inserted, node } = slot;
      if (inserted === undefined || inserted.length === 0) return node ?? false;
      const nodes = inserted.map((before) => before.node!);
      if (node !== null) nodes.push(node);
      return nodes;
    });
  }

  #usersOf(name: string): SmallSet<Slot> {
    return this.users(this.slot(name)!);
  }
}

/** Returns whether a place comes before another. */
export const isEarlier = (a: Position, b: Position): boolean => a[0] < b[0] || (a[0] === b[0] && a[1] < b[1]);
