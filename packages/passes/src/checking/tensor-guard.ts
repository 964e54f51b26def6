/**
 * @file Notices what writes to the values of tensors, which cannot be frozen, and puts them back.
 */
import { isSconceError } from "@sconce/errors";
import type { ExportedProgram } from "@sconce/ir";
import { type Storage, Tensor } from "@sconce/tensor";
import { sameBytes } from "@sconce/tensor/compare";

/** One storage, as it was. */
interface Kept {
  readonly names: string[];
  readonly bytes: Uint8Array;
  readonly copy: Uint8Array;
}

/**
 * The values of a program's parameters, buffers and constants, kept while code that is not ours has
 * them. A copy and not a hash: it is needed to put them back, and comparing with it is faster than
 * hashing twice.
 */
export class TensorGuard {
  readonly #kept = new Map<Storage, Kept>();

  constructor(program: ExportedProgram, options: { readonly examples?: boolean } = {}) {
    for (const [name, tensor] of program.stateDict) this.#keep(name, tensor);
    for (const [name, tensor] of program.constants) this.#keep(name, tensor);
    if (options.examples !== true) return;
    examplesOf(program).forEach((leaf, i) => {
      if (leaf instanceof Tensor) this.#keep(`sample input ${i}`, leaf);
    });
  }

  #keep(name: string, { storage }: Tensor): void {
    // What is not in memory cannot be written to.
    if (!storage.hasValues || !storage.isLoaded) return;
    const known = this.#kept.get(storage);
    if (known !== undefined) known.names.push(name);
    else this.#kept.set(storage, { names: [name], bytes: storage.bytes, copy: storage.bytes.slice() });
  }

  /** Puts back what was written over; returns the names of the tensors that it was. */
  restore(): string[] {
    const written: string[] = [];
    for (const { names, bytes, copy } of this.#kept.values()) {
      if (sameBytes(bytes, copy)) continue;
      written.push(...names);
      // A buffer that was transferred is gone for good.
      if (bytes.length === copy.length) bytes.set(copy);
    }
    return written;
  }
}

function examplesOf({ exampleInputs }: ExportedProgram): readonly unknown[] {
  try {
    return exampleInputs?.leaves ?? [];
  } catch (error) {
    // Some cannot be read safely, and are not read by passes either.
    if (isSconceError(error)) return [];
    throw error;
  }
}
