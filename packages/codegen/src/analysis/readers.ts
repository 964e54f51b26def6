/** @file Which nests of a program write and read a buffer. */
import type { LoopNest } from "../ir/loop-program.js";
import { readsOf } from "../ir/traverse.js";

/** The writers and readers of buffers, by the positions of nests. */
export class Readers {
  /** What each nest reads. */
  readonly reads: readonly ReadonlySet<number>[];
  readonly #writers = new Map<number, number>();
  readonly #readers = new Map<number, number[]>();

  constructor(nests: readonly LoopNest[]) {
    this.reads = nests.map(({ value }) => readsOf(value));
    for (const [at, { output }] of nests.entries()) this.#writers.set(output, at);
    for (const [at, reads] of this.reads.entries())
      for (const id of reads) {
        const known = this.#readers.get(id);
        if (known === undefined) this.#readers.set(id, [at]);
        else known.push(at);
      }
  }

  /** Returns the nest that writes a buffer. */
  writer(id: number): number | undefined {
    return this.#writers.get(id);
  }
  /** Returns the nests that read a buffer, in order. */
  of(id: number): readonly number[] {
    return this.#readers.get(id) ?? [];
  }
  /** Returns the first nest behind a position that reads a buffer. */
  next(id: number, after: number): number | undefined {
    const readers = this.of(id);
    let [low, high] = [0, readers.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (readers[middle]! > after) high = middle;
      else low = middle + 1;
    }
    return readers[low];
  }
}
