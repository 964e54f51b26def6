/**
 * @file What is derived from one version of a graph: positions by name, operands and users. Built
 * on first use.
 */
import type { Node } from "./node.js";
import { type GraphState, type Page, PLACES } from "./node-store.js";
import {
  comeBefore,
  namedOperands,
  type OperandTable,
  operandTable,
  type UserTable,
  userTable,
} from "./operands.js";

const GONE = -1;
const NO_NAMES: ReadonlyMap<string, number> = new Map();

/**
 * Finds nodes by name. A place is a page key and where in the page the node was when it was
 * entered; pages that changed since are searched nearby. So the index of one version serves the
 * next ones, with an overlay of the names that came, went, or changed page.
 */
class NameIndex {
  constructor(
    private readonly base: ReadonlyMap<string, number>,
    private readonly overlay: ReadonlyMap<string, number> = NO_NAMES,
  ) {}

  static of(state: GraphState): NameIndex {
    const base = new Map<string, number>();
    for (const { key, nodes } of state.pages) {
      for (let i = 0; i < nodes.length; i++) base.set(nodes[i]!.name, key * PLACES + i);
    }
    return new NameIndex(base);
  }

  /**
   * Returns whether names are unique, without looking at each; undefined where that is not known.
   */
  isUnique(count: number): boolean | undefined {
    return this.overlay.size === 0 ? this.base.size === count : undefined;
  }

  get(name: string): number | undefined {
    const place = this.overlay.size > 0 ? this.overlay.get(name) : undefined;
    if (place === GONE) return undefined;
    return place ?? this.base.get(name);
  }

  /** Returns the index of the next version, or undefined when building it anew is cheaper. */
  next(before: GraphState, after: GraphState): NameIndex | undefined {
    const kept = new Set(after.pages);
    const known = new Set(before.pages);
    const gone = before.pages.filter((page) => !kept.has(page));
    const come = after.pages.filter((page) => !known.has(page));
    const touched = this.overlay.size + count(gone) + count(come);
    if (touched * 8 > this.base.size + 4096) return undefined;
    const overlay = new Map(this.overlay);
    const old = new Map<string, number>();
    for (const { key, nodes } of gone) for (const { name } of nodes) old.set(name, key);
    for (const { key, nodes } of come) {
      for (let i = 0; i < nodes.length; i++) {
        const { name } = nodes[i]!;
        if (old.get(name) !== key) overlay.set(name, key * PLACES + i);
        old.delete(name);
      }
    }
    for (const name of old.keys()) overlay.set(name, GONE);
    return new NameIndex(this.base, overlay);
  }
}

const count = (pages: readonly Page[]): number => pages.reduce((sum, page) => sum + page.nodes.length, 0);

/** Derived data of one graph version. */
export class GraphIndex {
  readonly #state: GraphState;
  #names: NameIndex | undefined;
  #pageOfKey: Int32Array | undefined;
  #starts: Int32Array | undefined;
  #flat: readonly Node[] | undefined;
  #operands: OperandTable | undefined;
  #users: UserTable | undefined;
  #isOrdered: boolean | undefined;

  constructor(state: GraphState, flat?: readonly Node[], names?: NameIndex) {
    this.#state = state;
    this.#flat = flat;
    this.#names = names;
  }

  /** Returns the index of a version made from this one; shares what still holds. */
  next(state: GraphState): GraphIndex {
    return new GraphIndex(state, undefined, this.#names?.next(this.#state, state));
  }

  get nodes(): readonly Node[] {
    if (this.#flat === undefined) {
      const { pages } = this.#state;
      this.#flat = Object.freeze(([] as readonly Node[]).concat(...pages.map((page) => page.nodes)));
    }
    return this.#flat;
  }

  /** Position of a node in graph order, -1 when no node has this name. */
  position(name: string): number {
    this.#names ??= NameIndex.of(this.#state);
    const place = this.#names.get(name);
    if (place === undefined) return -1;
    const at = this.#pageAt(Math.floor(place / PLACES));
    if (at < 0) return -1;
    const slot = slotOf(this.#state.pages[at]!.nodes, name, place % PLACES);
    return slot < 0 ? -1 : this.starts[at]! + slot;
  }

  /** Returns whether no two nodes have one name. */
  hasUniqueNames(): boolean {
    this.#names ??= NameIndex.of(this.#state);
    const { nodes } = this;
    return this.#names.isUnique(nodes.length) ?? nodes.every(({ name }, at) => this.position(name) === at);
  }

  /** Returns the node at a position, without laying out the whole version. */
  at(position: number): Node {
    if (this.#flat !== undefined) return this.#flat[position]!;
    const page = this.pageOf(position);
    return this.#state.pages[page]!.nodes[position - this.starts[page]!]!;
  }

  /** Position of the first node of each page. */
  get starts(): Int32Array {
    if (this.#starts === undefined) {
      const { pages } = this.#state;
      const starts = new Int32Array(pages.length + 1);
      for (let i = 0; i < pages.length; i++) starts[i + 1] = starts[i]! + pages[i]!.nodes.length;
      this.#starts = starts;
    }
    return this.#starts;
  }

  /** Returns the page that holds the node at a position. */
  pageOf(position: number): number {
    const { starts } = this;
    let low = 0;
    let high = starts.length - 2;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (starts[middle]! <= position) low = middle;
      else high = middle - 1;
    }
    return low;
  }

  get hasUsers(): boolean {
    return this.#users !== undefined;
  }

  get operands(): OperandTable {
    if (this.#operands === undefined) {
      if (this.#names === undefined) {
        const { table, names } = namedOperands(this.#state, this.nodes);
        this.#operands = table;
        this.#names = names === undefined ? undefined : new NameIndex(names);
      }
      this.#operands ??= operandTable(this.nodes, (name) => this.position(name));
    }
    return this.#operands;
  }

  get users(): UserTable {
    this.#users ??= userTable(this.operands);
    return this.#users;
  }

  /** Whether names are unique, and every operand of a node comes before it. */
  get isOrdered(): boolean {
    this.#isOrdered ??= comeBefore(this.operands) && this.hasUniqueNames();
    return this.#isOrdered;
  }

  #pageAt(key: number): number {
    if (this.#pageOfKey === undefined) {
      const { pages, nextKey } = this.#state;
      const table = new Int32Array(nextKey).fill(-1);
      for (let i = 0; i < pages.length; i++) table[pages[i]!.key] = i;
      this.#pageOfKey = table;
    }
    return this.#pageOfKey[key] ?? -1;
  }
}

/**
 * Where in a page the node is: near the place it had, for changes of a page move its nodes little.
 */
function slotOf(nodes: readonly Node[], name: string, near: number): number {
  if (nodes[near]?.name === name) return near;
  for (let distance = 1; distance < PLACES; distance++) {
    if (nodes[near - distance]?.name === name) return near - distance;
    if (nodes[near + distance]?.name === name) return near + distance;
  }
  return -1;
}
