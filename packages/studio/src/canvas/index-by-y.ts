/** @file Things with a vertical extent, found by the part that is seen. */

/** An extent from the top to the bottom. */
export interface Extent {
  readonly top: number;
  readonly bottom: number;
}

/** How many neighbors share one bound. */
const BLOCK = 32;

/** Finds extents that reach into a range: by blocks of neighbors, which a layout puts together. */
export class IndexByY<T> {
  readonly #items: readonly (T & Extent)[];
  readonly #tops: Float64Array;
  readonly #bottoms: Float64Array;

  constructor(items: readonly (T & Extent)[]) {
    this.#items = [...items].sort((a, b) => a.top - b.top);
    const blocks = Math.ceil(items.length / BLOCK);
    this.#tops = new Float64Array(blocks).fill(Number.POSITIVE_INFINITY);
    this.#bottoms = new Float64Array(blocks).fill(Number.NEGATIVE_INFINITY);
    this.#items.forEach(({ top, bottom }, i) => {
      const block = Math.floor(i / BLOCK);
      this.#tops[block] = Math.min(this.#tops[block]!, top);
      this.#bottoms[block] = Math.max(this.#bottoms[block]!, bottom);
    });
  }

  /** Calls `visit` for each extent that reaches into the range, from the top down. */
  forEach(top: number, bottom: number, visit: (item: T & Extent) => void): void {
    for (let block = 0; block < this.#tops.length; block++) {
      if (this.#tops[block]! > bottom) return;
      if (this.#bottoms[block]! < top) continue;
      const end = Math.min(this.#items.length, (block + 1) * BLOCK);
      for (let i = block * BLOCK; i < end; i++) {
        const item = this.#items[i]!;
        if (item.top <= bottom && item.bottom >= top) visit(item);
      }
    }
  }
}
