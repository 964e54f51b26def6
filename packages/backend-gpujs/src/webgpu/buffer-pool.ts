/**
 * @file A pool of free buffers. The memory plan of a region asks for equal slots in each run, so
 * from the second run on each is found.
 */

/**
 * Memory that comes and goes in a run may be so many times what it takes at most: the regions of a
 * program need different slots.
 */
const SLACK = 1.5;
/** A free buffer may be so many times as large as what is asked for. */
const LARGER = 2;

export class BufferPool {
  readonly #create: (bytes: number) => GPUBuffer;
  readonly #destroy: (buffer: GPUBuffer) => void;
  /** The one that became free last comes last. */
  readonly #free = new Set<GPUBuffer>();
  #used = 0;
  #kept = 0;
  /** Bytes in use when the last run was over, at most in that run, and at most in this one. */
  #base = 0;
  #lastPeak = 0;
  #peak = 0;

  constructor(create: (bytes: number) => GPUBuffer, destroy: (buffer: GPUBuffer) => void) {
    this.#create = create;
    this.#destroy = destroy;
  }

  /** Bytes of buffers that were given out. */
  get used(): number {
    return this.#used;
  }
  /** Bytes of free buffers. */
  get kept(): number {
    return this.#kept;
  }

  /** Expects that so many bytes are taken beside those in use. */
  reserve(bytes: number): void {
    this.#peak = Math.max(this.#peak, this.#used + bytes);
  }

  /** Returns a buffer of so many bytes, or somewhat more. Its elements are whatever they were. */
  take(bytes: number): GPUBuffer {
    const found = this.#smallest(bytes);
    if (found !== undefined) this.#remove(found);
    const buffer = found ?? this.#create(bytes);
    this.#used += buffer.size;
    this.reserve(0);
    this.#trim();
    return buffer;
  }
  #smallest(bytes: number): GPUBuffer | undefined {
    let best: GPUBuffer | undefined;
    for (const buffer of this.#free)
      if (buffer.size >= bytes && buffer.size <= bytes * LARGER)
        best = best !== undefined && best.size <= buffer.size ? best : buffer;
    return best;
  }

  /** Takes back what `take` gave, to be given out again. */
  give(buffer: GPUBuffer): void {
    this.#used -= buffer.size;
    this.#kept += buffer.size;
    this.#free.add(buffer);
    this.#trim();
  }

  /** A run is over: what it took at most is what the next one may take. */
  trim(): void {
    this.#base = this.#used;
    this.#lastPeak = this.#peak;
    this.#peak = this.#used;
    this.#trim();
  }

  /** Destroys what is free, and counts no longer on what is in use. */
  clear(): void {
    for (const buffer of [...this.#free]) this.#drop(buffer);
    this.#used = 0;
    this.#peak = 0;
    this.trim();
  }

  /** Destroys what has been free for longest, as long as there is more than may be. */
  #trim(): void {
    const most = Math.max(this.#peak, this.#lastPeak);
    const limit = this.#base + (most - this.#base) * SLACK;
    for (const buffer of this.#free) {
      if (this.#used + this.#kept <= limit) return;
      this.#drop(buffer);
    }
  }
  #drop(buffer: GPUBuffer): void {
    this.#remove(buffer);
    this.#destroy(buffer);
  }
  #remove(buffer: GPUBuffer): void {
    this.#free.delete(buffer);
    this.#kept -= buffer.size;
  }
}
