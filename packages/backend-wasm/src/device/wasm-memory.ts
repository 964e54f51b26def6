/** @file The memory of a backend: one for all its executables, which share weights in it. */

import { disposed } from "@sconce/ops";
import type { Tensor } from "@sconce/tensor";
import { maySleep, spawnWorker } from "#threads";
import { threadLost } from "../errors.js";
import type { PreparedParts } from "../kernel-code.js";
import { ThreadPool } from "../threads/pool.js";
import { Allocator } from "./allocator.js";
import { memoryFull } from "./errors.js";
import { elementBytes, elementsOf } from "./transfer.js";
import type { WideMemory } from "./wide-memory.js";

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

/** How a memory is, if not as usual. */
export interface MemoryInit {
  /** Elements from which several threads compute a kernel, if not as many as were measured. */
  readonly least?: number | undefined;
  /** What makes memories of 64-bit addresses. Default: addresses have 32 bits. */
  readonly wide?: WideMemory | undefined;
  /** Pages at the start. */
  readonly initial?: number | undefined;
  /**
   * A byte that places are filled with when they are taken: tests find results with bytes that no
   * kernel wrote. Default: places keep what they had.
   */
  readonly filling?: number | undefined;
}

/** One memory of WebAssembly, with the places in it. */
export class WasmMemory {
  #memory: WebAssembly.Memory | undefined;
  /** The threads that share it; undefined for one alone. */
  readonly pool: ThreadPool | undefined;
  readonly #places = new Allocator();
  readonly #shared = new Map<Tensor, Map<string, Shared>>();
  #view: Uint8Array;
  /** What makes memories of 64-bit addresses; undefined for 32 bits. */
  readonly wide: WideMemory | undefined;

  /** Elements from which several threads compute a kernel, if not as many as were measured. */
  readonly least: number | undefined;
  readonly #filling: number | undefined;

  /** @param threads all of them share it */
  constructor(threads: number, { least, wide, initial = STEP, filling }: MemoryInit = {}) {
    this.least = least;
    this.#filling = filling;
    this.wide = wide;
    this.pool =
      threads > 1 ? new ThreadPool(threads, { spawnWorker, maySleep, lost: threadLost }) : undefined;
    const isShared = this.pool !== undefined;
    this.#memory =
      wide?.create({ initial, isShared }) ??
      new WebAssembly.Memory(isShared ? { initial, maximum: MOST_PAGES, shared: true } : { initial });
    this.#view = wide === undefined ? new Uint8Array(this.#memory.buffer) : new Uint8Array();
  }

  /** What modules import. */
  get memory(): WebAssembly.Memory {
    if (this.#memory === undefined) throw disposed("the memory of the backend");
    return this.#memory;
  }
  /** Leaves the memory to the garbage collector, even if something still has this object. */
  leave(): void {
    this.#memory = undefined;
    this.#view = new Uint8Array();
    this.#shared.clear();
  }

  /** All bytes, where addresses have 32 bits. Valid until memory is taken the next time. */
  get #all(): Uint8Array {
    // After growing it is another buffer.
    if (this.#view.buffer !== this.memory.buffer) this.#view = new Uint8Array(this.memory.buffer);
    return this.#view;
  }
  /** Some bytes: some engines have no views of more than 4 GiB. */
  #part(address: number, bytes: number): Uint8Array {
    return new Uint8Array(this.memory.buffer, address, bytes);
  }
  /** Bytes of the memory, used or not. */
  get size(): number {
    return this.wide === undefined ? this.#all.length : this.memory.buffer.byteLength;
  }
  /** Writes bytes to an address. */
  write(address: number, bytes: Uint8Array): void {
    if (this.wide === undefined) this.#all.set(bytes, address);
    else this.#part(address, bytes.length).set(bytes);
  }
  /** Copies bytes at an address. */
  read(address: number, bytes: number): Uint8Array<ArrayBuffer> {
    return this.wide === undefined
      ? (this.#all.slice(address, address + bytes) as Uint8Array<ArrayBuffer>)
      : (this.#part(address, bytes).slice() as Uint8Array<ArrayBuffer>);
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
    const address = this.#places.take(bytes, (end) => this.#grow(end, bytes));
    if (this.#filling !== undefined) this.fill(address, bytes, this.#filling);
    return address;
  }
  /** Sets bytes from an address on. */
  fill(address: number, bytes: number, value: number): void {
    this.#part(address, bytes).fill(value);
  }
  /** Grows once for values that will be taken, where there is room: each time takes long. */
  reserve(bytes: number): void {
    const pages = Math.ceil((this.#places.end + bytes - this.size) / PAGE);
    if (pages <= STEP) return;
    try {
      this.#growBy(pages);
    } catch {
      // Taking them shows which does not fit.
    }
  }
  #grow(end: number, bytes: number): void {
    const has = this.size;
    if (end <= has) return;
    const pages = Math.ceil((end - has) / PAGE);
    try {
      this.#growBy(Math.max(pages, STEP));
    } catch {
      this.#growLeast(pages, bytes);
    }
  }
  #growLeast(pages: number, bytes: number): void {
    try {
      this.#growBy(pages);
    } catch (error) {
      throw memoryFull(bytes, this.bytes, this.wide !== undefined, error);
    }
  }
  #growBy(pages: number): void {
    if (this.wide === undefined) this.memory.grow(pages);
    else this.wide.grow(this.memory, pages);
  }

  /** Takes a place back. */
  give(address: number): void {
    this.#places.give(address);
  }

  /** Returns whether elements that the tensor had are there, in this order. */
  has(tensor: Tensor, key: string): boolean {
    return this.#shared.get(tensor)?.has(key) === true;
  }
  /**
   * Returns the elements that a tensor has now. A tensor that still has those of an earlier call
   * shares their place. Each user gives it back once, with {@link unshare}.
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
      this.write(from, source.subarray(start, Math.min(end * parts.bytes, source.length)));
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
  /** Returns whether two places have the same bytes. */
  #isSame(a: number, b: number, bytes: number): boolean {
    const { buffer } = this.memory;
    const count = Math.floor(bytes / 4);
    const [first, second] = [a, b].map((at) => new Int32Array(buffer, at, count)) as [Int32Array, Int32Array];
    for (let i = 0; i < count; i++) if (first[i] !== second[i]) return false;
    const [rest, other] = [a, b].map((at) => this.#part(at + count * 4, bytes % 4)) as [
      Uint8Array,
      Uint8Array,
    ];
    return rest.every((byte, i) => byte === other[i]);
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
    this.write(address, elementsOf(tensor));
    return address;
  }
}

/** The memory of a backend, while an executable needs it. */
export class MemoryOwner {
  readonly threads: number;
  readonly #init: MemoryInit;
  #wide: WideMemory | undefined;
  #memory: WasmMemory | undefined;
  #users = 0;
  #kept = 0;

  constructor(threads: number, init: MemoryInit = {}) {
    this.threads = threads;
    this.#init = init;
    this.#wide = init.wide;
  }

  /** Makes memories of 64-bit addresses from now on. */
  widen(wide: WideMemory): void {
    this.#wide ??= wide;
  }

  /** Opens the memory for one more user, which closes it once. */
  open(): WasmMemory {
    this.#users++;
    this.#memory ??= new WasmMemory(this.threads, { ...this.#init, wide: this.#wide });
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
