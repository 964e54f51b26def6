/** @file The memory that the values of a run take. */
import { optionValue } from "@sconce/errors";
import { DEFAULT_MAX_BYTES, type Storage, Tensor } from "@sconce/tensor";

/**
 * Returns the limit that an option asks for.
 * @param call what takes the option, for errors
 * @throws SconceError `OPTION_VALUE`
 */
export function memoryLimit(call: string, maxBytes: number | undefined): number {
  if (maxBytes === undefined) return DEFAULT_MAX_BYTES;
  if (typeof maxBytes === "number" && maxBytes > 0) return maxBytes;
  throw optionValue(call, "maxBytes", maxBytes, "a number of bytes above 0, or Infinity");
}

/** Counts the storages that the values of a run hold; what the run was given does not count. */
export class LiveValues {
  readonly #given = new Set<Storage>();
  readonly #holders = new Map<Storage, number>();
  #bytes = 0;

  /** Bytes of the storages. */
  get bytes(): number {
    return this.#bytes;
  }

  /** How many storages there are. */
  get count(): number {
    return this.#holders.size;
  }

  /** Forgets the values of the last run; `given` are inputs and state of the next. */
  begin(given: Iterable<unknown>): void {
    this.clear();
    for (const value of given) if (value instanceof Tensor) this.#given.add(value.storage);
  }

  /** Forgets everything. */
  clear(): void {
    this.#given.clear();
    this.#holders.clear();
    this.#bytes = 0;
  }

  /** Puts a value in place of another one. */
  set<V>(values: V[], at: number, value: V): void {
    this.hold(value);
    this.drop(values[at]);
    values[at] = value;
  }

  /** Counts the tensors of a value, which may be a list. */
  hold(value: unknown): void {
    if (value instanceof Tensor) this.#hold(value.storage);
    else if (Array.isArray(value)) for (const item of value as readonly unknown[]) this.hold(item);
  }

  /** Counts them no longer. */
  drop(value: unknown): void {
    if (value instanceof Tensor) this.#drop(value.storage);
    else if (Array.isArray(value)) for (const item of value as readonly unknown[]) this.drop(item);
  }

  #hold(storage: Storage): void {
    if (this.#given.has(storage)) return;
    const holders = this.#holders.get(storage) ?? 0;
    this.#holders.set(storage, holders + 1);
    if (holders === 0) this.#bytes += storage.byteLength;
  }

  #drop(storage: Storage): void {
    const holders = this.#holders.get(storage);
    if (holders === undefined) return;
    if (holders > 1) this.#holders.set(storage, holders - 1);
    else {
      this.#holders.delete(storage);
      this.#bytes -= storage.byteLength;
    }
  }
}

/** Bytes of the storages of tensors, each storage once. */
export function storageBytes(tensors: Iterable<Tensor>): number {
  let bytes = 0;
  for (const storage of new Set([...tensors].map((tensor) => tensor.storage))) bytes += storage.byteLength;
  return bytes;
}
