/** @file Which nodes each node reads, and which nodes read it, as typed arrays of positions. */
import type { Node } from "./node.js";
import { type GraphState, PLACES } from "./node-store.js";
import { forEachNodeRef } from "./uses.js";

/**
 * The operands of every node as compressed rows. Those of the node at position `i` are
 * `positions[offsets[i]] .. positions[offsets[i + 1] - 1]`: one for each reference in its
 * arguments, in the order of {@link forEachNodeRef}, repeats included; -1 for a
 * name that the graph does not have.
 */
export interface OperandTable {
  /** Where the operands of each node start; one more entry for the end of the last. */
  readonly offsets: Int32Array;
  /** Positions of the operands in graph order; -1 for a name that the graph does not have. */
  readonly positions: Int32Array;
}

/**
 * The distinct users of every node as compressed rows, in graph order: those of the node at
 * position `i` are `users[offsets[i]] .. users[offsets[i + 1] - 1]`.
 */
export interface UserTable {
  readonly offsets: Int32Array;
  readonly users: Int32Array;
}

/** Returns the operands of all nodes; `positionOf` finds a node by name. */
export function operandTable(nodes: readonly Node[], positionOf: (name: string) => number): OperandTable {
  const rows = new OperandRows(nodes.length);
  const visit = (name: string): void => rows.add(positionOf(name));
  for (const node of nodes) rows.addNode(node, visit);
  return rows.table();
}

/**
 * Returns the operands of a version without an index of names, and the index, from one walk: the
 * place of each name as {@link PLACES} defines it. The index is undefined when a name is given
 * twice, or read before its node; then the operands are undefined too.
 */
export function namedOperands(
  { pages, nextKey }: GraphState,
  nodes: readonly Node[],
): { readonly table?: OperandTable; readonly names?: ReadonlyMap<string, number> } {
  const names = new Map<string, number>();
  const rows = new OperandRows(nodes.length);
  const starts = new Int32Array(nextKey);
  let isPlain = true;
  const visit = (name: string): void => {
    const place = names.get(name);
    if (place === undefined) isPlain = false;
    else rows.add(starts[Math.floor(place / PLACES)]! + (place % PLACES));
  };
  let count = 0;
  for (const page of pages) {
    starts[page.key] = count;
    for (let slot = 0; slot < page.nodes.length; slot++) {
      const node = page.nodes[slot]!;
      rows.addNode(node, visit);
      names.set(node.name, page.key * PLACES + slot);
    }
    count += page.nodes.length;
    if (!isPlain || names.size !== count) return {};
  }
  return { table: rows.table(), names };
}

/** Collects rows of operands, node by node. */
class OperandRows {
  readonly #offsets: Int32Array;
  #positions: Int32Array;
  #node = 0;
  #count = 0;

  constructor(nodes: number) {
    this.#offsets = new Int32Array(nodes + 1);
    this.#positions = new Int32Array(2 * nodes + 16);
  }

  /** Adds an operand of the current node. */
  add(position: number): void {
    if (this.#count === this.#positions.length) this.#positions = grown(this.#positions);
    this.#positions[this.#count++] = position;
  }

  /** Visits the references of the next node, and ends its row. */
  addNode(node: Node, visit: (name: string) => void): void {
    forEachNodeRef(node, visit);
    this.#offsets[++this.#node] = this.#count;
  }

  table(): OperandTable {
    return { offsets: this.#offsets, positions: this.#positions.subarray(0, this.#count) };
  }
}

function grown(array: Int32Array): Int32Array {
  const larger = new Int32Array(array.length * 2);
  larger.set(array);
  return larger;
}

/** Returns whether every operand is a node that comes before its user. */
export function comeBefore({ offsets, positions }: OperandTable): boolean {
  for (let node = 0, at = 0; node + 1 < offsets.length; node++) {
    for (const end = offsets[node + 1]!; at < end; at++) {
      const position = positions[at]!;
      if (position < 0 || position >= node) return false;
    }
  }
  return true;
}

/** Returns the users of all nodes. */
export function userTable({ offsets: ends, positions }: OperandTable): UserTable {
  const nodes = ends.length - 1;
  const offsets = new Int32Array(nodes + 1);
  const lastUser = new Int32Array(nodes).fill(-1);
  /** The operands without repeats, and beside each its user. */
  const distinct = new Int32Array(positions.length);
  const users = new Int32Array(positions.length);
  let edges = 0;
  for (let node = 0, at = 0; node < nodes; node++) {
    for (const end = ends[node + 1]!; at < end; at++) {
      const input = positions[at]!;
      if (input < 0 || lastUser[input] === node) continue;
      lastUser[input] = node;
      offsets[input + 1]!++;
      users[edges] = node;
      distinct[edges++] = input;
    }
  }
  for (let i = 0; i < nodes; i++) offsets[i + 1]! += offsets[i]!;
  const next = offsets.slice();
  const sorted = new Int32Array(edges);
  for (let edge = 0; edge < edges; edge++) sorted[next[distinct[edge]!]!++] = users[edge]!;
  return { offsets, users: sorted };
}

/** A graph version: its nodes and their operands. */
interface OperandSource {
  readonly operands: OperandTable;
  nodes(): readonly Node[];
}

/**
 * Finds the operands of one node after another by their names, without looking each name up in the
 * graph.
 */
export class OperandReader {
  readonly #nodes: readonly Node[];
  readonly #table: OperandTable;
  #start = 0;
  #end = 0;
  #next = 0;

  constructor(graph: OperandSource) {
    this.#nodes = graph.nodes();
    this.#table = graph.operands;
  }

  /** Moves to the node at a position. */
  moveTo(position: number): void {
    this.#start = this.#table.offsets[position]!;
    this.#end = this.#table.offsets[position + 1]!;
    this.#next = this.#start;
  }

  /**
   * Returns the operand of this name, undefined when the graph has none. Quick when asked for in
   * order of the arguments.
   */
  find(name: string): Node | undefined {
    const { positions } = this.#table;
    const count = this.#end - this.#start;
    for (let tried = 0; tried < count; tried++) {
      if (this.#next === this.#end) this.#next = this.#start;
      const node = this.#nodes[positions[this.#next++]!];
      if (node?.name === name) return node;
    }
    return undefined;
  }
}
