import { type Argument, isRef, kindOf, type Node } from "@sconce/ir";

/** Which earlier node a reference really stands for, as a number. */
export type Representative = (name: string) => number;

/**
 * Finds calls that are equal: same operator, same arguments, where ints, floats and strings never count as equal to each
 * other. An open-addressing table of numbers: at a hundred thousand calls, texts as keys or a Map of lists take twice as long.
 */
export class CallTable {
  /** Numbers of nodes plus one, 0 for a free slot. */
  readonly #slots: Int32Array;
  readonly #hashes: Int32Array;
  readonly #nodes: Node[] = [];
  readonly #targets = new Map<string, number>();
  readonly #represent: Representative;

  /** `capacity` is the most calls that will be given. */
  constructor(represent: Representative, capacity: number) {
    this.#represent = represent;
    this.#slots = new Int32Array(2 ** Math.ceil(Math.log2(2 * capacity + 2)));
    this.#hashes = new Int32Array(capacity + 1);
  }

  /** The first node that was given with an equal call; undefined, and remembered, when there is none. */
  firstEqual(node: Node): Node | undefined {
    const hash = this.#hash(node);
    const mask = this.#slots.length - 1;
    let at = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d) & mask;
    for (let slot = this.#slots[at]!; slot !== 0; slot = this.#slots[at]!) {
      const candidate = this.#nodes[slot - 1]!;
      if (this.#hashes[slot - 1] === hash && this.#isEqual(candidate, node)) return candidate;
      at = (at + 1) & mask;
    }
    this.#hashes[this.#nodes.length] = hash;
    this.#slots[at] = this.#nodes.push(node);
    return undefined;
  }

  #hash(node: Node): number {
    let target = this.#targets.get(node.target);
    if (target === undefined) {
      target = this.#targets.size + 1;
      this.#targets.set(node.target, target);
    }
    let hash = target;
    for (const arg of node.args) hash = Math.imul(hash, 31) + this.#hashArgument(arg);
    for (const key in node.kwargs) hash = (Math.imul(hash, 31) + this.#hashArgument(node.kwargs[key]!)) | 0;
    return hash | 0;
  }

  #hashArgument(value: Argument): number {
    if (typeof value === "number") return Math.imul(value | 0, 2654435761);
    if (typeof value === "string") return value.length;
    if (typeof value !== "object" || value === null) return value === true ? 1231 : 1237;
    if (isRef(value)) return Math.imul(this.#represent(value.name) + 1, 40503);
    let hash = 17;
    const items = Array.isArray(value) ? value : (value as { items?: readonly Argument[] }).items;
    if (items !== undefined)
      for (const item of items as readonly Argument[]) hash = Math.imul(hash, 31) + this.#hashArgument(item);
    return hash | 0;
  }

  #isEqual(a: Node, b: Node): boolean {
    if (a.target !== b.target || a.args.length !== b.args.length) return false;
    for (let i = 0; i < a.args.length; i++) if (!this.#sameArgument(a.args[i]!, b.args[i]!)) return false;
    const keys = Object.keys(a.kwargs);
    return (
      keys.length === Object.keys(b.kwargs).length &&
      keys.every((key) => key in b.kwargs && this.#sameArgument(a.kwargs[key]!, b.kwargs[key]!))
    );
  }

  #sameArgument(a: Argument, b: Argument): boolean {
    if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return Object.is(a, b);
    if (Array.isArray(a) || Array.isArray(b))
      return Array.isArray(a) && Array.isArray(b) && this.#sameItems(a, b);
    if (kindOf(a) !== kindOf(b)) return false;
    if (isRef(a)) return this.#represent(a.name) === this.#represent((b as { name: string }).name);
    if (kindOf(a) === "tuple")
      return this.#sameItems(
        (a as { items: readonly Argument[] }).items,
        (b as { items: readonly Argument[] }).items,
      );
    if (kindOf(a) === "float")
      return Object.is((a as { value: number }).value, (b as { value: number }).value);
    return JSON.stringify(a) === JSON.stringify(b);
  }

  #sameItems(a: readonly Argument[], b: readonly Argument[]): boolean {
    return a.length === b.length && a.every((item, i) => this.#sameArgument(item, b[i]!));
  }
}
