/** @file The work that reading one input may take: one object that every reader counts on. */
import { checkOptions, type OptionNames } from "./options.js";
import { SconceError } from "./sconce-error.js";

/**
 * Bounds on the work of reading one input. The defaults follow from the size of the input, so that
 * the work is at most a small multiple of its bytes.
 */
export interface Limits {
  /**
   * Bytes that compressed or encoded content may unpack to. The default is 64 MiB and four times
   * the input, but at most 8 MiB and 64 times the input.
   */
  readonly bytes?: number | undefined;
  /**
   * Values, tokens and entries that the input may hold. The default is 140,000 and one for
   * each 8 bytes, of JSON for each 12.
   */
  readonly nodes?: number | undefined;
  /**
   * Steps of simplifying symbolic expressions: terms that are made or compared. The default is
   * 40,000 and one for each 2 bytes of text.
   */
  readonly terms?: number | undefined;
  /**
   * Items of one list or object. The default is 25,000 and one for each 256 bytes, at most one for
   * each 24 bytes of the list itself (64 in JSON of archives): lists of a program hold nodes,
   * inputs and weights, which take more each.
   */
  readonly items?: number | undefined;
  /** Files that an archive may hold. The default is 100,000, whatever the size of the input. */
  readonly entries?: number | undefined;
  /**
   * Time in milliseconds, without waiting for the source. The default is 10,000 and one for each
   * 1,024 bytes.
   */
  readonly milliseconds?: number | undefined;
}

/** What a budget counts. */
export type WorkKind = "bytes" | "nodes" | "terms" | "entries";

/** How a reader is bounded: a budget that is shared with other readers, or separate limits. */
export interface WorkOptions {
  /** Bounds on the work; those left out follow from the size of the input. */
  readonly limits?: Limits | undefined;
  /** A budget that several readers share; `limits` is then not read. */
  readonly budget?: Budget | undefined;
}

/** The names of {@link WorkOptions}. */
export const WORK_OPTIONS: OptionNames<WorkOptions> = { limits: true, budget: true };

/** The names of {@link Limits}. */
export const LIMITS: OptionNames<Limits> = {
  bytes: true,
  nodes: true,
  terms: true,
  items: true,
  entries: true,
  milliseconds: true,
};

const MEBI = 2 ** 20;
/** Items of a list that may take less than {@link BYTES_PER_ITEM}. */
const SHORT_ITEMS = 25_000;
const BYTES_PER_ITEM = 24;
/** Large models have some 50,000 weights. */
const MOST_ENTRIES = 100_000;
/** The clock is read once in this many calls of {@link Budget.spend}. */
const CLOCK_STEPS = 4096;

/**
 * The work that is left for reading one input. Readers call {@link Budget.spend} as they go; what
 * goes over a limit is refused with `BUDGET_EXCEEDED`, which names the limit, the place, and how to
 * raise it.
 */
export class Budget {
  /** The limits, with the defaults filled in. */
  limits: Required<{ readonly [K in keyof Limits]: number }>;
  readonly #given: Limits;
  #left: Record<WorkKind, number>;
  #size: number;
  #deadline: number;
  #steps = CLOCK_STEPS;

  /**
   * @param size bytes (or characters) of the input
   * @param limits overrides of the defaults
   * @param bytesPerNode the fewest bytes of the input that one node takes
   */
  constructor(size: number, limits: Limits = {}, bytesPerNode = 8) {
    this.#given = limits;
    this.#size = size;
    this.limits = Object.freeze({
      bytes: limits.bytes ?? Math.min(64 * MEBI + 4 * size, 8 * MEBI + 64 * size),
      entries: limits.entries ?? MOST_ENTRIES,
      milliseconds: limits.milliseconds ?? 10_000 + Math.floor(size / 1024),
      ...countsFor(size, limits, bytesPerNode),
    });
    this.#left = { ...this.limits };
    this.#deadline = now() + this.limits.milliseconds;
  }

  /**
   * Computes the defaults of `nodes`, `terms` and `items` again, from the size of the text in the
   * input: weights take no work to read.
   */
  narrow(textSize: number, bytesPerNode = 8): void {
    const counts = countsFor(textSize, this.#given, bytesPerNode);
    this.#size = textSize;
    this.limits = Object.freeze({ ...this.limits, ...counts });
    this.#left = { ...this.#left, ...counts };
  }

  /**
   * Returns the budget of a reader: the shared one of its options, or one for an input of this
   * size.
   */
  static of(options: WorkOptions | undefined, size: number, bytesPerNode?: number): Budget {
    checkOptions("the reader (limits)", options?.limits, LIMITS);
    return options?.budget ?? new Budget(size, options?.limits, bytesPerNode);
  }

  /** Returns what is left of a kind of work. */
  left(kind: WorkKind): number {
    return this.#left[kind];
  }

  /**
   * Counts work before it is done.
   * @param where names the place, for the error
   * @throws SconceError `BUDGET_EXCEEDED`
   */
  spend(kind: WorkKind, amount = 1, where?: () => string): void {
    const left = this.#left[kind] - amount;
    this.#left[kind] = left;
    if (!(left >= 0)) throw this.#exceeded(kind, where);
    this.#steps--;
    if (this.#steps > 0) return;
    this.#steps = CLOCK_STEPS;
    if (now() > this.#deadline) throw this.#exceeded("milliseconds", where);
  }

  /**
   * Bounds the items of one list or object, while they are read.
   * @param bytes what the items take in the text
   * @param bytesPerItem the fewest bytes that an item of a long list takes
   * @throws SconceError `BUDGET_EXCEEDED`
   */
  holds(items: number, where?: () => string, bytes = Infinity, bytesPerItem = BYTES_PER_ITEM): void {
    if (!(items <= this.limits.items)) throw this.#exceeded("items", where);
    if (items <= SHORT_ITEMS || this.#given.items !== undefined) return;
    const most = Math.ceil(SHORT_ITEMS + bytes / bytesPerItem);
    if (items > most) throw this.#exceeded("items", where, most);
  }

  /** Waits for something that is not work, such as a source; the time does not count. */
  async waiting<T>(promise: Promise<T>): Promise<T> {
    const start = now();
    try {
      return await promise;
    } finally {
      this.#deadline += now() - start;
    }
  }

  #exceeded(
    kind: keyof Limits,
    where: (() => string) | undefined,
    limit: number = this.limits[kind],
  ): SconceError {
    const what = kind === "items" ? "a list or object has" : "reading takes";
    return new SconceError({
      code: "BUDGET_EXCEEDED",
      message: `${what} more than ${limit} ${kind}, the limit for an input of ${this.#size} bytes`,
      where: where?.(),
      fix: `if you trust the input, raise \`limits.${kind}\` (now ${limit}) in the options of the reader`,
    });
  }
}

const countsFor = (size: number, { nodes, terms, items }: Limits, bytesPerNode: number) => ({
  nodes: nodes ?? 140_000 + Math.floor(size / bytesPerNode),
  terms: terms ?? 40_000 + Math.floor(size / 2),
  items: items ?? SHORT_ITEMS + Math.floor(size / 256),
});

const now = (): number => Date.now();
