import {
  type Argument,
  forEachInput,
  forEachRef,
  type Graph,
  mapRefs,
  Namespace,
  type Node,
  rebuild,
  type ref,
} from "@sconce/ir";
import { NameSet } from "./name-set.js";

/** Where a node stands: the base node that it stands before (or is), and its place among those inserted there. */
export type Position = readonly [base: number, inserted: number];

/**
 * A graph being rewritten many times. Reads see all changes so far, and each change costs in proportion to what it
 * touches; {@link finish} makes the new version at once.
 */
export class WorkGraph {
  readonly base: Graph;
  /** Nodes that are new, changed, or gone (null). */
  readonly #changed = new Map<string, Node | null>();
  readonly #users = new Map<string, NameSet>();
  /** Names of inserted nodes by the base node that they stand before. */
  readonly #inserted = new Map<string, string[]>();
  readonly #anchors = new Map<string, string>();
  #names: Namespace | undefined;

  constructor(base: Graph) {
    this.base = base;
  }

  /** The node as it is now; undefined when there is none. */
  find(name: string): Node | undefined {
    const changed = this.#changed.get(name);
    return changed === undefined ? this.base.find(name) : (changed ?? undefined);
  }

  users(name: string): Pick<NameSet, "size" | typeof Symbol.iterator> {
    return this.#usersOf(name);
  }

  position(name: string): Position {
    const anchor = this.#anchors.get(name);
    if (anchor === undefined) return [this.base.indexOf(name), Number.POSITIVE_INFINITY];
    return [this.base.indexOf(anchor), this.#inserted.get(anchor)!.indexOf(name)];
  }

  freshName(candidate: string): string {
    if (this.#names === undefined) {
      this.#names = new Namespace();
      for (const node of this.base.nodes()) this.#names.reserve(node.name);
    }
    return this.#names.create(candidate);
  }

  insertBefore(name: string, node: Node): void {
    const anchor = this.#anchors.get(name) ?? name;
    const row = this.#inserted.get(anchor) ?? [];
    this.#inserted.set(anchor, row);
    if (anchor === name) row.push(node.name);
    else row.splice(row.indexOf(name), 0, node.name);
    this.#anchors.set(node.name, anchor);
    this.#changed.set(node.name, Object.freeze(node));
    forEachInput(node, (input) => this.#usersOf(input).add(node.name));
  }

  /** Lets users of a node use a value instead; gives their names. */
  replaceUses(name: string, replacement: Argument): string[] {
    const users = [...this.#usersOf(name)];
    for (const user of users) {
      const node = this.find(user)!;
      const swap = (argument: Argument): Argument =>
        mapRefs(argument, (input) => (input.name === name ? (replacement as ReturnType<typeof ref>) : input));
      const kwargs: Record<string, Argument> = {};
      for (const key in node.kwargs) kwargs[key] = swap(node.kwargs[key]!);
      this.#changed.set(user, Object.freeze({ ...node, args: node.args.map(swap), kwargs }));
      forEachRef(replacement, (input) => this.#usersOf(input).add(user));
    }
    this.#usersOf(name).clear();
    return users;
  }

  /** Drops a node that nothing uses. */
  remove(name: string): void {
    const node = this.find(name)!;
    forEachInput(node, (input) => this.#usersOf(input).delete(name));
    this.#changed.set(name, null);
    const anchor = this.#anchors.get(name);
    if (anchor === undefined) return;
    const row = this.#inserted.get(anchor)!;
    row.splice(row.indexOf(name), 1);
  }

  /** The new version; the base itself when nothing changed. */
  finish(): Graph {
    if (this.#changed.size === 0) return this.base;
    return rebuild(this.base, (node) => {
      const before = this.#inserted.get(node.name);
      const changed = this.#changed.get(node.name);
      const own = changed === undefined ? node : changed;
      if (before === undefined || before.length === 0) return own ?? false;
      const inserted = before.map((name) => this.#changed.get(name)!);
      return own === null ? inserted : [...inserted, own];
    });
  }

  #usersOf(name: string): NameSet {
    let users = this.#users.get(name);
    if (users === undefined) {
      users = new NameSet(this.base.users(name).map((node) => node.name));
      this.#users.set(name, users);
    }
    return users;
  }
}

/** Whether a place comes before another. */
export const isEarlier = (a: Position, b: Position): boolean => a[0] < b[0] || (a[0] === b[0] && a[1] < b[1]);
