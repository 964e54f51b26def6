/** @file The memory of a backend: one for all its executables, which share weights in it. */
import { disposed } from "@sconce/ops";
import type { Tensor } from "@sconce/tensor";
import type { PreparedParts } from "../kernel-code.js";
import { ThreadPool } from "../threads/pool.js";
import { Allocator } from "./allocator.js";
import { memoryFull } from "./errors.js";
import { copyIn, elementBytes, elementsOf } from "./transfer.js";

const PAGE = 65_536;
/** The most pages that addresses of 32 bits reach. */
export const MOST_PAGES = 65_536;
/** Pages by which memory grows at least. */
const STEP = 16;

/** The elements of a tensor, in an order, that several executables use. */
export interface SharedElements {
  readonly address: number;
}
interface Shared extends SharedElements {
  readonly tensor: Tensor;
  readonly key: string;
  readonly bytes: number;
  users: number;
}
/** The key of elements in the order of the tensor. */
export const PLAIN = "";
/** Bytes of a tensor that are copied at once where a form is made in parts. */
const STAGED = 1 << 18;

/** The elements of a tensor in an order that a kernel wants. */
export interface Form {
  readonly tensor: Tensor;
  /** Equal keys of one tensor are the same form. */
  readonly key: string;
  readonly bytes: number;
  /** How parts of the tensor make parts of the form, if they do. */
  readonly parts?: Pick<PreparedParts, "count" | "bytes"> | undefined;
  /** Makes the form, or some of its parts. */
  readonly fill: (from: number, to: number, first?: number, end?: number) => void;
}

/** One memory of WebAssembly, with the places in it. */
export class WasmMemory {
  #memory: WebAssembly.Memory | undefined;
  /** The threads that share it; undefined for one alone. */
  readonly pool: ThreadPool | undefined;
  readonly #places = new Allocator();
  readonly #shared = new Map<Tensor, Map<string, Shared>>();
  #view: Uint8Array;

  /** Elements from which several threads compute a kernel, if not as many as were measured. */
  readonly least: number | undefined;

  /** @param threads all of them share it */
  constructor(threads: number, least?: number) {
    this.least = least;
    this.pool = threads > 1 ? new ThreadPool(threads) : undefined;
    this.#memory = new WebAssembly.Memory(
      this.pool === undefined ? { initial: STEP } : { initial: STEP, maximum: MOST_PAGES, shared: true },
    );
    this.#view = new Uint8Array(this.#memory.buffer);
  }

  /** What modules import. */
  get memory(): WebAssembly.Memory {
    if (this.#memory === undefined) throw disposed("the memory of the backend");
    return this.#memory;
  }
  /** Leaves the memory to the garbage collector, even if somebody still has this object. */
  leave(): void {
    this.#memory = undefined;
    this.#view = new Uint8Array();
    this.#shared.clear();
  }

  /** All bytes. Valid until memory is taken the next time. */
  get view(): Uint8Array {
    // After growing it is another buffer.
    if (this.#view.buffer !== this.memory.buffer) this.#view = new Uint8Array(this.memory.buffer);
    return this.#view;
  }
  /** Bytes that are in use. */
  get bytes(): number {
    return this.#places.bytes;
  }
  /** How many places are in use. */
  get count(): number {
    return this.#places.count;
  }

  /** Returns the address of a place. @throws SconceError `OUT_OF_MEMORY` */
  take(bytes: number): number {
    return this.#places.take(bytes, (end) => this.#grow(end, bytes));
  }
  /** Grows once for values that will be taken, where there is room: each time takes long. */
  reserve(bytes: number): void {
    const pages = Math.ceil((this.#places.end + bytes - this.view.length) / PAGE);
    if (pages <= STEP) return;
    try {
      this.memory.grow(pages);
    } catch {
      // Taking them shows which does not fit.
    }
  }
  #grow(end: number, bytes: number): void {
    const has = this.view.length;
    if (end <= has) return;
    const pages = Math.ceil((end - has) / PAGE);
    try {
      this.memory.grow(Math.max(pages, STEP));
    } catch {
      this.#growLeast(pages, bytes);
    }
  }
  #growLeast(pages: number, bytes: number): void {
    try {
      this.memory.grow(pages);
    } catch (error) {
      throw memoryFull(bytes, this.bytes, error);
    }
  }

  /** Takes a place back. */
  give(address: number): void {
    this.#places.give(address);
  }

  /** Whether elements that the tensor had are there, in this order. */
  has(tensor: Tensor, key: string): boolean {
    return this.#shared.get(tensor)?.has(key) === true;
  }
  /**
   * The elements that a tensor has now. A tensor that still has those of an earlier call shares
   * their place. Each user gives it back once, with {@link unshare}.
   */
  share(tensor: Tensor): SharedElements {
    return this.#shareMade(tensor, PLAIN, elementBytes(tensor), () => this.copy(tensor));
  }
  /** As {@link share}, in the order of a form. */
  shareForm(form: Form): SharedElements {
    const { tensor, key, bytes, parts, fill } = form;
    return this.#shareMade(tensor, key, bytes, () => {
      if (parts !== undefined) return this.#inParts(tensor, bytes, parts, fill);
      const from = this.copy(tensor);
      const to = this.take(bytes);
      fill(from, to);
      this.give(from);
      return to;
    });
  }
  /** Some parts at a time are copied to where the cache has them. */
  #inParts(tensor: Tensor, bytes: number, parts: NonNullable<Form["parts"]>, fill: Form["fill"]): number {
    const to = this.take(bytes);
    const source = elementsOf(tensor);
    const together = Math.max(1, Math.floor(STAGED / parts.bytes));
    const from = this.take(Math.min(together, parts.count) * parts.bytes);
    for (let first = 0; first < parts.count; first += together) {
      const end = Math.min(parts.count, first + together);
      const start = first * parts.bytes;
      this.view.set(source.subarray(start, Math.min(end * parts.bytes, source.length)), from);
      fill(from - start, to, first, end);
    }
    this.give(from);
    return to;
  }
  #shareMade(tensor: Tensor, key: string, bytes: number, make: () => number): SharedElements {
    const address = make();
    const forms = this.#shared.get(tensor) ?? new Map<string, Shared>();
    const known = forms.get(key);
    if (known !== undefined && this.#isSame(known.address, address, bytes)) {
      this.give(address);
      known.users++;
      return known;
    }
    const made: Shared = { address, tensor, key, bytes, users: 1 };
    // Users of what the tensor had before keep it; later ones share what it has now.
    forms.set(key, made);
    this.#shared.set(tensor, forms);
    return made;
  }
  /** Whether two places have the same bytes. */
  #isSame(a: number, b: number, bytes: number): boolean {
    const { view } = this;
    const words = new Int32Array(view.buffer);
    const [first, second, count] = [a / 4, b / 4, bytes >> 2];
    for (let i = 0; i < count; i++) if (words[first + i] !== words[second + i]) return false;
    for (let i = count * 4; i < bytes; i++) if (view[a + i] !== view[b + i]) return false;
    return true;
  }
  /** Takes elements back from one user. */
  unshare(elements: SharedElements): void {
    const shared = elements as Shared;
    if (--shared.users > 0) return;
    const forms = this.#shared.get(shared.tensor);
    if (forms?.get(shared.key) === shared) {
      forms.delete(shared.key);
      if (forms.size === 0) this.#shared.delete(shared.tensor);
    }
    this.give(shared.address);
  }

  /** Copies the elements of a tensor to a separate place. */
  copy(tensor: Tensor): number {
    const address = this.take(elementBytes(tensor));
    copyIn(tensor, this.view, address);
    return address;
  }
}

/** The memory of a backend, while an executable needs it. */
export class MemoryOwner {
  readonly threads: number;
  readonly #least: number | undefined;
  #memory: WasmMemory | undefined;
  #users = 0;
  #kept = 0;

  /** @param least elements from which several threads compute a kernel */
  constructor(threads: number, least?: number) {
    this.threads = threads;
    this.#least = least;
  }

  /** Each user closes it once. */
  open(): WasmMemory {
    this.#users++;
    this.#memory ??= new WasmMemory(this.threads, this.#least);
    return this.#memory;
  }
  close(): void {
    if (--this.#users > 0) return;
    this.#memory?.pool?.dispose();
    this.#leave();
  }
  /**
   * Counts a tensor that outlives its executable; each is given back once, with {@link release}.
   */
  keep(): void {
    this.#kept++;
  }
  release(): void {
    this.#kept--;
    this.#leave();
  }
  /** Memory never becomes smaller: without users and tensors the garbage collector takes it. */
  #leave(): void {
    if (this.#users > 0 || this.#kept > 0) return;
    this.#memory?.leave();
    this.#memory = undefined;
  }
}
