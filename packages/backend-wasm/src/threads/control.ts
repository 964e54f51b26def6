/**
 * @file What the threads of a pool share: a job in words of memory, and how threads take parts of
 * it.
 *
 * Each thread has a share of the parts, the same in all jobs with as many: what it computed is in
 * its cache for the next job. Then it takes parts of the shares of others. A word of each share
 * holds the number of the job and the next part, so that a thread that comes late takes nothing of
 * another job: the main thread closes the shares of the old job before it writes the next one, and
 * a part is taken only if the word is what it was when the job was read.
 */

/** Number of the job in the upper 24 bits; the lower 8 say whether it is closed. */
const STATE = 0;
/** Parts that are done. */
const DONE = 1;
/** Parts of the job. */
const PARTS = 2;
/** Threads that sleep until there is a job. */
const SLEEPERS = 3;
/** Parts that failed. */
const FAILED = 4;
/** Messages that were sent to each thread: a thread that has read fewer reads them first. */
const MESSAGES = 5;
/** Whether the main thread sleeps until all parts are done. */
const IS_AWAITED = 6;
/** Runs in progress. */
const RUNS = 7;
const UNITS = 8;
const MODULE = 9;
const ENTRY = 10;
const SCRATCH_BYTES = 11;
const ARGUMENTS = 12;
const THREADS = 13;
/** Addresses, as float64 in two words each: of scratch memory, then what the entry takes. */
const SCRATCH = 14;
const FIRST_ARGUMENT = 16;

/** Addresses that an entry may take. */
const MOST_ARGUMENTS = 240;
/** The first word of the shares. Each is in a different line of the cache. */
const FIRST_SHARE = 512;
const SHARE_WORDS = 16;
/** The part of a closed share. No job has so many. */
const CLOSED = 0xff;
/** The most parts of one job. */
export const MOST_PARTS = 128;

/** How often a thread looks before it sleeps: tens of microseconds. */
const SPINS = 4000;
/** The same while a run is in progress, when more jobs are near: about a tenth of a millisecond. */
const SPINS_IN_RUN = 30_000;

/** A job: units that any thread may compute, in ranges. */
export interface Job {
  /** The module, by its number in the pool. */
  readonly module: number;
  /** The entry, by its place in the exports `k0`, `k1`, ... */
  readonly entry: number;
  /** The first parameters of the entry: addresses. */
  readonly addresses: readonly number[];
  /** Where the scratch memory of the main thread is; that of each other thread follows. */
  readonly scratch: number;
  /** Bytes of scratch memory of each thread. */
  readonly scratchBytes: number;
  readonly units: number;
}
/** Computes the units of a job from `start` to before `end`. */
export type RunUnits = (job: Job, start: number, end: number) => void;

/** A part that a thread took. */
interface Part {
  readonly job: Job;
  readonly part: number;
  readonly parts: number;
}

/** The shared words. Every thread has one over the same buffer. */
export class Control {
  readonly buffer: SharedArrayBuffer;
  readonly #words: Int32Array;
  readonly #addresses: Float64Array;
  readonly #thread: number;
  #job = 0;
  /** The job that parts were taken of, and its state. */
  #known: { readonly state: number; readonly job: Job } | undefined;

  /** Returns the words for so many threads, as the main thread has them. */
  static forThreads(count: number): Control {
    const buffer = new SharedArrayBuffer((FIRST_SHARE + count * SHARE_WORDS) * 4);
    const words = new Int32Array(buffer);
    words[STATE] = CLOSED;
    words[THREADS] = count;
    for (let thread = 0; thread < count; thread++) words[shareOf(thread)] = CLOSED;
    return new Control(buffer, 0);
  }
  /** @param thread the thread that it is for; 0 is the main thread */
  constructor(buffer: SharedArrayBuffer, thread: number) {
    this.buffer = buffer;
    this.#words = new Int32Array(buffer);
    this.#addresses = new Float64Array(buffer);
    this.#thread = thread;
  }

  /** Returns whether a job fits. */
  static takes({ addresses }: Pick<Job, "addresses">): boolean {
    return addresses.length <= MOST_ARGUMENTS;
  }

  /** Opens a job, on the main thread. The last one is done. */
  open({ module, entry, addresses, scratch, scratchBytes, units }: Job, parts: number): void {
    const words = this.#words;
    this.#job = (this.#job + 1) & 0xffffff;
    const closed = (this.#job << 8) | CLOSED;
    const threads = words[THREADS]!;
    for (let thread = 0; thread < threads; thread++) Atomics.store(words, shareOf(thread), closed);
    Atomics.store(words, STATE, closed);
    words[UNITS] = units;
    words[MODULE] = module;
    words[ENTRY] = entry;
    this.#addresses[SCRATCH / 2] = scratch;
    words[SCRATCH_BYTES] = scratchBytes;
    words[ARGUMENTS] = addresses.length;
    this.#addresses.set(addresses, FIRST_ARGUMENT / 2);
    words[PARTS] = parts;
    Atomics.store(words, FAILED, 0);
    Atomics.store(words, DONE, 0);
    for (let thread = 0; thread < threads; thread++)
      Atomics.store(words, shareOf(thread), (this.#job << 8) | Math.floor((thread * parts) / threads));
    Atomics.store(words, STATE, this.#job << 8);
    if (Atomics.load(words, SLEEPERS) > 0) Atomics.notify(words, STATE);
  }

  /**
   * Takes parts of the open job and computes them until none is left.
   * @param has whether this thread has the job's module
   * @returns the state in which there was nothing to do
   */
  work(run: RunUnits, has: (module: number) => boolean): number {
    const words = this.#words;
    for (;;) {
      const state = Atomics.load(words, STATE);
      const taken = (state & 0xff) === CLOSED ? undefined : this.#take(state, has);
      if (taken === undefined) return state;
      const { job, part, parts } = taken;
      try {
        run(job, Math.floor((part * job.units) / parts), Math.floor(((part + 1) * job.units) / parts));
      } catch (error) {
        Atomics.add(words, FAILED, 1);
        throw error;
      } finally {
        if (Atomics.add(words, DONE, 1) + 1 === parts && Atomics.load(words, IS_AWAITED) === 1)
          Atomics.notify(words, DONE);
      }
    }
  }
  /** Returns a part of the thread's share, else of others. */
  #take(state: number, has: (module: number) => boolean): Part | undefined {
    const words = this.#words;
    const threads = words[THREADS]!;
    for (let i = 0; i < threads; i++) {
      const owner = (this.#thread + i) % threads;
      const share = shareOf(owner);
      for (;;) {
        const next = Atomics.load(words, share);
        const [part, parts] = [next & 0xff, words[PARTS]!];
        // A share of another job is left alone.
        if (next >> 8 !== state >> 8 || part >= Math.floor(((owner + 1) * parts) / threads)) break;
        if (!has(words[MODULE]!)) return undefined;
        const job = this.#known?.state === state ? this.#known.job : this.#read();
        if (Atomics.compareExchange(words, share, next, next + 1) !== next) continue;
        // The job was not closed meanwhile, so it is what was read.
        if (this.#known?.state !== state) this.#known = { state, job };
        return { job, part, parts };
      }
    }
    return undefined;
  }
  #read(): Job {
    const words = this.#words;
    const places = this.#addresses;
    return {
      module: words[MODULE]!,
      entry: words[ENTRY]!,
      addresses: Array.from(places.subarray(FIRST_ARGUMENT / 2, FIRST_ARGUMENT / 2 + words[ARGUMENTS]!)),
      scratch: places[SCRATCH / 2]!,
      scratchBytes: words[SCRATCH_BYTES]!,
      units: words[UNITS]!,
    };
  }

  /** Counts runs in progress: threads then look longer for jobs. */
  addRuns(count: number): void {
    Atomics.add(this.#words, RUNS, count);
  }

  /** Whether all parts of the job are done. */
  get isDone(): boolean {
    return Atomics.load(this.#words, DONE) === this.#words[PARTS];
  }
  /**
   * Waits until all parts are done, on the main thread.
   * @returns false if they are not done after so many milliseconds
   */
  wait(milliseconds: number): boolean {
    const words = this.#words;
    for (let i = 0; i < SPINS_IN_RUN; i++) if (this.isDone) return true;
    Atomics.store(words, IS_AWAITED, 1);
    const end = performance.now() + milliseconds;
    for (let done = Atomics.load(words, DONE); done !== words[PARTS]; done = Atomics.load(words, DONE)) {
      const left = end - performance.now();
      if (left <= 0) break;
      Atomics.wait(words, DONE, done, left);
    }
    Atomics.store(words, IS_AWAITED, 0);
    return this.isDone;
  }

  /**
   * Sleeps until there is a job, or messages other than those that were read.
   * @param state what {@link work} returned
   */
  sleep(state: number, read: number): void {
    const words = this.#words;
    const isIdle = (): boolean => Atomics.load(words, STATE) === state && this.messages === read;
    for (let i = 0; i < SPINS || (i < SPINS_IN_RUN && Atomics.load(words, RUNS) > 0); i++)
      if (!isIdle()) return;
    this.#known = undefined;
    Atomics.add(words, SLEEPERS, 1);
    if (isIdle()) Atomics.wait(words, STATE, state);
    Atomics.sub(words, SLEEPERS, 1);
  }

  /** How many messages each thread was sent. */
  get messages(): number {
    return Atomics.load(this.#words, MESSAGES);
  }
  /** Announces a message: threads that sleep or look for jobs go and read it. */
  announce(): void {
    const words = this.#words;
    Atomics.add(words, MESSAGES, 1);
    // What sleeps compares the state before it sleeps, so the state has to change.
    this.#job = (this.#job + 1) & 0xffffff;
    Atomics.store(words, STATE, (this.#job << 8) | CLOSED);
    Atomics.notify(words, STATE);
  }

  /** Whether a part of the last job failed on any thread. */
  get hasFailed(): boolean {
    return Atomics.load(this.#words, FAILED) > 0;
  }
}

/** Returns the word of a thread's share. */
const shareOf = (thread: number): number => FIRST_SHARE + thread * SHARE_WORDS;
