/**
 * @file The constants of an executable in memory: its regions, in all of their sizes, share them.
 */
import type { Tensor } from "@sconce/tensor";
import { placeBytes } from "./allocator.js";
import { elementBytes } from "./transfer.js";
import { type Form, PLAIN, type SharedElements, type WasmMemory } from "./wasm-memory.js";

/** Elements that regions read. */
export interface HeldElements {
  readonly address: number;
}
interface Held extends HeldElements {
  readonly elements: SharedElements;
  readonly tensor: Tensor;
  readonly key: string;
  readonly bytes: number;
  users: number;
}

/**
 * Constants as they were when the first region read them. What other executables have is compared
 * with the tensor, as it may have changed; regions of one executable take what is there.
 */
export class HeldConstants {
  readonly #memory: WasmMemory;
  readonly #held = new Map<Tensor, Map<string, Held>>();
  #bytes = 0;
  #count = 0;

  constructor(memory: WasmMemory) {
    this.#memory = memory;
  }

  /** Bytes of all that are held. */
  get bytes(): number {
    return this.#bytes;
  }
  /** How many are held. */
  get count(): number {
    return this.#count;
  }

  /** Grows the memory once for constants that will be held. */
  reserve(wanted: readonly Pick<Form, "tensor" | "key" | "bytes">[]): void {
    const missing = wanted.filter(
      ({ tensor, key }) => this.#held.get(tensor)?.has(key) !== true && !this.#memory.has(tensor, key),
    );
    this.#memory.reserve(missing.reduce((sum, { bytes }) => sum + placeBytes(bytes), 0));
  }

  /** Returns the elements of a tensor, row by row. Each user releases them once. */
  plain(tensor: Tensor): HeldElements {
    return this.#hold(tensor, PLAIN, elementBytes(tensor), () => this.#memory.share(tensor));
  }
  /** As {@link plain}, in the order of a form. */
  form(form: Form): HeldElements {
    return this.#hold(form.tensor, form.key, form.bytes, () => this.#memory.shareForm(form));
  }
  #hold(tensor: Tensor, key: string, bytes: number, share: () => SharedElements): HeldElements {
    const forms = this.#held.get(tensor) ?? new Map<string, Held>();
    let held = forms.get(key);
    if (held === undefined) {
      const elements = share();
      held = { elements, address: elements.address, tensor, key, bytes, users: 0 };
      forms.set(key, held);
      this.#held.set(tensor, forms);
      this.#bytes += bytes;
      this.#count++;
    }
    held.users++;
    return held;
  }

  /** Takes elements back from one user. */
  release(elements: HeldElements): void {
    const held = elements as Held;
    if (--held.users > 0) return;
    const forms = this.#held.get(held.tensor)!;
    forms.delete(held.key);
    if (forms.size === 0) this.#held.delete(held.tensor);
    this.#bytes -= held.bytes;
    this.#count--;
    this.#memory.unshare(held.elements);
  }
}
