/** @file Places in one piece of memory that grows at its end. */
import { internalError } from "@sconce/errors";

/** Bytes that lie together. */
interface Block {
  at: number;
  bytes: number;
}

/** Places begin at multiples of it: a line of a cache. */
export const ALIGNMENT = 64;
/** Whole vectors may be read past the end of a value. */
const SLACK = 16;

/** Bytes of the place of a value. */
export const placeBytes = (bytes: number): number => Math.ceil((bytes + SLACK) / ALIGNMENT) * ALIGNMENT;

/** Gives places to values and takes them back. */
export class Allocator {
  /** Free blocks by their address; no two touch each other, and none touches the end. */
  readonly #free: Block[] = [];
  readonly #taken = new Map<number, number>();
  #end = 0;
  #bytes = 0;

  /** Bytes from the start to the end of the last place. */
  get end(): number {
    return this.#end;
  }
  /** Bytes of all places that are taken. */
  get bytes(): number {
    return this.#bytes;
  }
  /** How many places are taken. */
  get count(): number {
    return this.#taken.size;
  }

  /**
   * Returns the address of a place: the smallest that is free and fits, else one at the end.
   *
   * @param extend called before places go beyond the end; may throw
   */
  take(bytes: number, extend: (end: number) => void): number {
    const size = placeBytes(bytes);
    // A negative size would move the end back, into the places of other programs.
    if (!Number.isSafeInteger(bytes) || bytes < 0 || !Number.isSafeInteger(this.#end + size))
      throw internalError(`a place cannot have ${bytes} bytes`);
    let best = -1;
    this.#free.forEach((block, i) => {
      if (block.bytes >= size && (best < 0 || block.bytes < this.#free[best]!.bytes)) best = i;
    });
    const at = best < 0 ? this.#atEnd(size, extend) : this.#inside(best, size);
    if (this.#taken.has(at) || at + size > this.#end) throw internalError(`the place at ${at} is taken`);
    this.#taken.set(at, size);
    this.#bytes += size;
    return at;
  }
  #atEnd(size: number, extend: (end: number) => void): number {
    extend(this.#end + size);
    const at = this.#end;
    this.#end += size;
    return at;
  }
  #inside(i: number, size: number): number {
    const block = this.#free[i]!;
    const { at } = block;
    if (block.bytes === size) this.#free.splice(i, 1);
    else {
      block.at += size;
      block.bytes -= size;
    }
    return at;
  }

  /** Takes a place back; other addresses are left alone. */
  give(at: number): void {
    const bytes = this.#taken.get(at);
    if (bytes === undefined) return;
    this.#taken.delete(at);
    this.#bytes -= bytes;
    let i = this.#free.findIndex((block) => block.at > at);
    if (i < 0) i = this.#free.length;
    this.#free.splice(i, 0, { at, bytes });
    this.#join(i);
    if (i > 0) this.#join(i - 1);
    const last = this.#free.at(-1)!;
    if (last.at + last.bytes === this.#end) {
      this.#end = last.at;
      this.#free.pop();
    }
  }
  /** Makes one block of a block and the next if they touch. */
  #join(i: number): void {
    const [block, next] = [this.#free[i]!, this.#free[i + 1]];
    if (next === undefined || block.at + block.bytes !== next.at) return;
    block.bytes += next.bytes;
    this.#free.splice(i + 1, 1);
  }
}
