/**
 * @file The items of a batch, for which `vmap` runs its function one by one outside of an export.
 */
import { Tensor } from "@sconce/tensor";
import { hiddenItem } from "./errors.js";

/** What `vmap` does with random numbers in its function. */
export type Randomness = "error" | "different" | "same";

/** A batch whose items run. */
export class ItemRun {
  /** Counts the batches around, this one included. */
  readonly level: number;
  readonly count: number;
  readonly randomness: Randomness;
  /** The place of the item that runs. */
  index = 0;
  /** Values that depend on the item. */
  readonly batched = new WeakSet<Tensor>();
  /** Memory that was allocated for items. */
  readonly made = new WeakSet<object>();
  /** The sizes of what each call gave for the first item. */
  readonly #sizes: string[] = [];
  #calls = 0;
  /** What was drawn for all items. */
  readonly #draws: unknown[] = [];
  /** How many draws the item has read. */
  draws = 0;

  constructor(count: number, randomness: Randomness) {
    this.level = running.length + 1;
    this.count = count;
    this.randomness = randomness;
  }

  /** Begins an item. */
  begin(index: number): void {
    this.index = index;
    this.#calls = 0;
    this.draws = 0;
  }

  /**
   * Returns what the next draw gives for all items: `draw` makes it for the first one that asks.
   */
  drawn<T>(draw: () => T): T {
    const at = this.draws++;
    if (!(at in this.#draws)) this.#draws[at] = draw();
    return this.#draws[at] as T;
  }

  /**
   * Takes note of the results of a call; for later items it returns the sizes that differ from
   * those of the first.
   */
  note(results: readonly Tensor[]): { readonly first: string; readonly now: string } | undefined {
    const at = this.#calls++;
    const now = results.map(({ shape }) => `[${shape.join(", ")}]`).join();
    const first = this.#sizes[at];
    if (first === undefined) this.#sizes[at] = now;
    return first === undefined || first === now ? undefined : { first, now };
  }
}

const running: ItemRun[] = [];

/** Returns the batches whose items run, the outermost first. */
export const runningItems = (): readonly ItemRun[] => running;

/** Returns whether a value, or one of a list, depends on the item of a batch. */
export function isItemValue(value: unknown): boolean {
  if (running.length === 0) return false;
  if (value instanceof Tensor) return running.some(({ batched }) => batched.has(value));
  return Array.isArray(value) && value.some(isItemValue);
}

let readers = 0;

/** Runs something that may read the values of items: a kernel, a text for people. */
export function readingItems<T>(run: () => T): T {
  readers += 1;
  try {
    return run();
  } finally {
    readers -= 1;
  }
}

/** Runs the function of one item, which reads these tensors of the batch. */
export function withItem<T>(run: ItemRun, items: readonly Tensor[], compute: () => T): T {
  running.push(run);
  try {
    for (const item of items) hideValues(run, item);
    return compute();
  } finally {
    running.pop();
  }
}

/** Takes note of a value of an item: the function does not read its numbers. */
export function hideValues(run: ItemRun, tensor: Tensor): void {
  run.batched.add(tensor);
  if (Object.hasOwn(tensor, "data")) return;
  const { storage, dtype } = tensor;
  Object.defineProperties(tensor, {
    data: {
      configurable: true,
      get: () => {
        if (readers === 0 && running.some(({ batched }) => batched.has(tensor))) throw hiddenItem();
        return storage.view(dtype);
      },
    },
    toString: {
      configurable: true,
      value: () => readingItems(() => Tensor.prototype.toString.call(tensor)),
    },
  });
}

/** Takes note of a tensor that is made of numbers. */
export function noteMade({ storage }: Tensor): void {
  for (const { made } of running) made.add(storage);
}
