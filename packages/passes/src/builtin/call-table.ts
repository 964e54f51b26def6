import {
  type Argument,
  type DictLiteral,
  type Graph,
  isRef,
  kindOf,
  type Node,
  type OperandTable,
  type TupleLiteral,
} from "@sconce/ir";

/** The position of the node that represents the node at a position. */
export type Representative = (position: number) => number;

/**
 * Finds calls of one graph that are equal: same operator, same arguments, where ints, floats and
 * strings never count as equal to each other. An open-addressing table of positions: at a hundred
 * thousand calls, texts as keys or a Map of lists take twice as long, and operands by name three
 * times.
 */
export class CallTable {
  /** Positions of nodes plus one, 0 for a free slot. */
  readonly #slots: Int32Array;
  /** Hashes of the nodes that were given, by position. */
  readonly #hashes: Int32Array;
  readonly #nodes: readonly Node[];
  readonly #operands: OperandTable;
  readonly #targets = new Map<string, number>();
  readonly #represent: Representative;
  /** The next operand of each of the two calls that are hashed or compared. */
  #left = 0;
  #right = 0;

  constructor(graph: Graph, represent: Representative) {
    this.#nodes = graph.nodes();
    this.#operands = graph.operands;
    this.#represent = represent;
    this.#slots = new Int32Array(2 ** Math.ceil(Math.log2(2 * graph.size + 2)));
    this.#hashes = new Int32Array(graph.size);
  }

  /**
   * Returns the position of the first call that was given and equals this one; -1, and remembered,
   * when there is none.
   */
  firstEqual(position: number): number {
    const hash = this.#hash(position);
    const mask = this.#slots.length - 1;
    let at = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d) & mask;
    for (let slot = this.#slots[at]!; slot !== 0; slot = this.#slots[at]!) {
      if (this.#hashes[slot - 1] === hash && this.#isEqual(slot - 1, position)) return slot - 1;
      at = (at + 1) & mask;
    }
    this.#hashes[position] = hash;
    this.#slots[at] = position + 1;
    return -1;
  }

  #hash(position: number): number {
    const { target, args, kwargs } = this.#nodes[position]!;
    let hash = this.#targets.get(target);
    if (hash === undefined) {
      hash = this.#targets.size + 1;
      this.#targets.set(target, hash);
    }
    this.#left = this.#operands.offsets[position]!;
    for (let i = 0; i < args.length; i++) hash = Math.imul(hash, 31) + this.#hashArgument(args[i]!);
    for (const key in kwargs) hash = (Math.imul(hash, 31) + this.#hashArgument(kwargs[key]!)) | 0;
    return hash | 0;
  }

  #hashArgument(value: Argument): number {
    if (typeof value === "number") return Math.imul(value | 0, 2654435761);
    if (typeof value === "string") return value.length;
    if (typeof value !== "object" || value === null) return value === true ? 1231 : 1237;
    if (isRef(value)) return Math.imul(this.#represent(this.#operands.positions[this.#left++]!) + 1, 40503);
    let hash = 17;
    for (const item of itemsIn(value)) hash = Math.imul(hash, 31) + this.#hashArgument(item);
    return hash | 0;
  }

  #isEqual(left: number, right: number): boolean {
    const [a, b] = [this.#nodes[left]!, this.#nodes[right]!];
    if (a.target !== b.target || a.args.length !== b.args.length) return false;
    this.#left = this.#operands.offsets[left]!;
    this.#right = this.#operands.offsets[right]!;
    for (let i = 0; i < a.args.length; i++) if (!this.#sameArgument(a.args[i]!, b.args[i]!)) return false;
    return a.kwargs === b.kwargs || this.#sameKeywords(a.kwargs, b.kwargs);
  }

  /** Keywords in another order are another call: operands are compared in order. */
  #sameKeywords(a: Node["kwargs"], b: Node["kwargs"]): boolean {
    const [keys, others] = [Object.keys(a), Object.keys(b)];
    return (
      keys.length === others.length &&
      keys.every((key, i) => key === others[i] && this.#sameArgument(a[key]!, b[key]!))
    );
  }

  #sameArgument(a: Argument, b: Argument): boolean {
    if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return Object.is(a, b);
    if (Array.isArray(a) || Array.isArray(b))
      return Array.isArray(a) && Array.isArray(b) && this.#sameItems(a, b);
    const kind = kindOf(a);
    if (kind !== kindOf(b)) return false;
    if (kind === "node") {
      const { positions } = this.#operands;
      return this.#represent(positions[this.#left++]!) === this.#represent(positions[this.#right++]!);
    }
    if (kind === "tuple") return this.#sameItems(itemsIn(a), itemsIn(b));
    if (kind === "dict") return sameKeys(a, b) && this.#sameItems(itemsIn(a), itemsIn(b));
    if (kind === "float") return Object.is((a as { value: number }).value, (b as { value: number }).value);
    return JSON.stringify(a) === JSON.stringify(b);
  }

  #sameItems(a: readonly Argument[], b: readonly Argument[]): boolean {
    return a.length === b.length && a.every((item, i) => this.#sameArgument(item, b[i]!));
  }
}

/** Returns what a list, a tuple or the entries of a dict hold, in the order of the operands. */
function itemsIn(value: Argument): readonly Argument[] {
  if (Array.isArray(value)) return value as readonly Argument[];
  const { items, entries } = value as Partial<Pick<TupleLiteral, "items"> & Pick<DictLiteral, "entries">>;
  return items ?? entries?.map(([, item]) => item) ?? NOTHING;
}
const NOTHING: readonly Argument[] = [];

function sameKeys(a: Argument, b: Argument): boolean {
  const [left, right] = [(a as DictLiteral).entries, (b as DictLiteral).entries];
  return left.length === right.length && left.every(([key], i) => key === right[i]![0]);
}
