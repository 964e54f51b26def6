/** Past this many names a lookup goes through a `Set`. */
const FEW = 16;

/** A set of names that is an array while it is small, as the users of nearly every node are. */
export class NameSet {
  #few: string[];
  #many: Set<string> | undefined;

  /** @param names distinct; the set keeps the array */
  constructor(names: string[]) {
    this.#few = names;
    if (names.length > FEW) this.#many = new Set(names);
  }

  get size(): number {
    return this.#many?.size ?? this.#few.length;
  }

  add(name: string): void {
    if (this.#many !== undefined) this.#many.add(name);
    else if (!this.#few.includes(name) && this.#few.push(name) > FEW) this.#many = new Set(this.#few);
  }

  delete(name: string): void {
    if (this.#many !== undefined) {
      this.#many.delete(name);
      return;
    }
    const at = this.#few.indexOf(name);
    if (at >= 0) this.#few.splice(at, 1);
  }

  clear(): void {
    this.#few = [];
    this.#many = undefined;
  }

  [Symbol.iterator](): IterableIterator<string> {
    return this.#many?.values() ?? this.#few.values();
  }
}
