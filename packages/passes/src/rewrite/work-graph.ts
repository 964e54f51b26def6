import {
  type Argument,
  forEachInput,
  type Graph,
  Namespace,
  type Node,
  type NodeRef,
  rebuild,
} from "@sconce/ir";
import { mapInputs } from "../analysis/node-arguments.js";
import { SmallSet } from "./small-set.js";

/**
 * A place for one node while its graph is rewritten. Cells are compared and walked by identity: names, which cost a
 * search, are only looked up where the arguments of a node are read.
 */
export interface Cell {
  /** The node as it is now; null once it is gone. */
  node: Node | null;
  /** The base node's cell that an inserted one stands before; undefined in base cells. */
  readonly anchor: Cell | undefined;
  /** Position in the base graph; -1 for inserted nodes. */
  readonly at: number;
  /** Who reads it; filled when somebody asks. */
  users: SmallSet<Cell> | undefined;
  /** What was inserted before it, in order. */
  inserted: Cell[] | undefined;
  /** Whether it waits for a visit: the worklist's own. */
  queued: boolean;
}

/** Where a node stands: the base node that it stands before (or is), and its place among those inserted there. */
export type Position = readonly [base: number, inserted: number];

/**
 * A graph being rewritten many times. Reads see all changes so far, and each change costs in proportion to what it
 * touches; {@link finish} makes the new version at once.
 */
export class WorkGraph {
  readonly base: Graph;
  /** Cells of base nodes by position, made when first needed. */
  readonly #cells: (Cell | undefined)[];
  readonly #added = new Map<string, Cell>();
  readonly #names: Namespace;
  #isChanged = false;

  constructor(base: Graph) {
    this.base = base;
    this.#cells = new Array<Cell | undefined>(base.size).fill(undefined);
    this.#names = new Namespace((name) => base.has(name));
  }

  /** The node as it is now; undefined when there is none. */
  find(name: string): Node | undefined {
    return this.cell(name)?.node ?? undefined;
  }

  /** The cell of a name that is in the graph, or was; undefined when there is none. */
  cell(name: string): Cell | undefined {
    const position = this.base.positionOf(name);
    return position < 0 ? this.#added.get(name) : this.cellAt(position);
  }

  /** The cell of the base node at a position. */
  cellAt(at: number): Cell {
    const known = this.#cells[at];
    if (known !== undefined) return known;
    const node = this.base.nodeAt(at);
    const cell: Cell = { node, anchor: undefined, at, users: undefined, inserted: undefined, queued: false };
    this.#cells[at] = cell;
    return cell;
  }

  users(cell: Cell): SmallSet<Cell> {
    if (cell.users !== undefined) return cell.users;
    cell.users = new SmallSet(cell.at < 0 ? [] : this.#baseUsers(cell.at));
    return cell.users;
  }

  #baseUsers(at: number): Cell[] {
    const users = new Array<Cell>(this.base.userCount(at));
    let count = 0;
    this.base.forEachUser(at, (user) => {
      users[count++] = this.cellAt(user);
    });
    return users;
  }

  position(name: string): Position {
    const cell = this.cell(name)!;
    if (cell.anchor === undefined) return [cell.at, Number.POSITIVE_INFINITY];
    return [cell.anchor.at, cell.anchor.inserted!.indexOf(cell)];
  }

  freshName(candidate: string): string {
    return this.#names.create(candidate);
  }

  insertBefore(place: Cell, node: Node): Cell {
    const anchor = place.anchor ?? place;
    const cell: Cell = {
      node: Object.freeze(node),
      anchor,
      at: -1,
      users: undefined,
      inserted: undefined,
      queued: false,
    };
    if (anchor.inserted === undefined) anchor.inserted = [cell];
    else if (anchor === place) anchor.inserted.push(cell);
    else anchor.inserted.splice(anchor.inserted.indexOf(place), 0, cell);
    this.#added.set(node.name, cell);
    this.#isChanged = true;
    forEachInput(node, (input) => this.#usersOf(input).add(cell));
    return cell;
  }

  /** Lets users of a node use another instead; gives their cells. */
  replaceUses(cell: Cell, replacement: NodeRef): readonly Cell[] {
    const { name } = cell.node!;
    const users = this.users(cell).toArray();
    const replace = (input: NodeRef): Argument => (input.name === name ? replacement : input);
    const next = this.#usersOf(replacement.name);
    for (const user of users) {
      user.node = Object.freeze(mapInputs(user.node!, replace));
      next.add(user);
    }
    this.users(cell).clear();
    this.#isChanged = true;
    return users;
  }

  /** Drops a node that nothing uses. */
  remove(cell: Cell): void {
    forEachInput(cell.node!, (input) => this.#usersOf(input).delete(cell));
    cell.node = null;
    this.#isChanged = true;
    const row = cell.anchor?.inserted;
    if (row !== undefined) row.splice(row.indexOf(cell), 1);
  }

  /** The new version; the base itself when nothing changed. */
  finish(): Graph {
    if (!this.#isChanged) return this.base;
    return rebuild(this.base, (_, position) => {
      const cell = this.#cells[position];
      if (cell === undefined) return true;
      const { inserted, node } = cell;
      if (inserted === undefined || inserted.length === 0) return node ?? false;
      const nodes = inserted.map((before) => before.node!);
      if (node !== null) nodes.push(node);
      return nodes;
    });
  }

  #usersOf(name: string): SmallSet<Cell> {
    return this.users(this.cell(name)!);
  }
}

/** Whether a place comes before another. */
export const isEarlier = (a: Position, b: Position): boolean => a[0] < b[0] || (a[0] === b[0] && a[1] < b[1]);
