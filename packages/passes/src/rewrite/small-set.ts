/** Past this many items a lookup goes through a `Set`. */
const FEW = 16;

/** A set that is an array while it is small, as the users of nearly every node are. */
export class SmallSet<T> {
  #few: T[];
  #many: Set<T> | undefined;

  /** @param items distinct; the set keeps the array */
  constructor(items: T[]) {
    this.#few = items;
    this.#many = items.length > FEW ? new Set(items) : undefined;
  }

  get size(): number {
    return this.#many?.size ?? this.#few.length;
  }

  add(item: T): void {
    if (this.#many !== undefined) this.#many.add(item);
    // A literal takes the room of one item; the first push takes that of seventeen.
    else if (this.#few.length === 0) this.#few = [item];
    else if (!this.#few.includes(item) && this.#few.push(item) > FEW) this.#many = new Set(this.#few);
  }

  delete(item: T): void {
    if (this.#many !== undefined) {
      this.#many.delete(item);
      return;
    }
    const at = this.#few.indexOf(item);
    if (at >= 0) this.#few.splice(at, 1);
  }

  clear(): void {
    this.#few = [];
    this.#many = undefined;
  }

  /** The item of a set with one, else undefined. */
  get only(): T | undefined {
    if (this.size !== 1) return undefined;
    return this.#many === undefined ? this.#few[0] : this.#many.values().next().value;
  }

  forEach(visit: (item: T) => void): void {
    if (this.#many !== undefined) this.#many.forEach(visit);
    else for (let i = 0; i < this.#few.length; i++) visit(this.#few[i]!);
  }

  /** Returns a copy of the items. */
  toArray(): T[] {
    return this.#many === undefined ? this.#few.slice() : [...this.#many];
  }

  [Symbol.iterator](): IterableIterator<T> {
    return this.#many?.values() ?? this.#few.values();
  }
}
