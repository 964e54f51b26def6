/** @file The constants of a region in memory, as its kernels read them. */
import type { RegionRequest } from "@sconce/device-runtime";
import { internalError } from "@sconce/errors";
import type { KernelCode, PreparedBuffer } from "../kernel-code.js";
import { placeBytes } from "./allocator.js";
import type { SharedElements, WasmMemory } from "./memory.js";
import { elementBytes } from "./transfer.js";

/** Makes the prepared form of a buffer, or some of its parts, from one address at another. */
export type Prepare = (from: number, to: number, first?: number, end?: number) => void;

/** One for each form that kernels of a region read. */
export const formOf = ({ buffer, key }: PreparedBuffer): string => `${buffer} ${key}`;

/** All forms that kernels read. */
export function formsOf(codes: readonly KernelCode[]): Map<string, PreparedBuffer> {
  const forms = new Map<string, PreparedBuffer>();
  for (const { prepared = [] } of codes) for (const one of prepared) forms.set(formOf(one), one);
  return forms;
}

/** Holds the constants until they are released. */
export class Constants {
  /** Addresses of constants by the ids of buffers. */
  readonly addresses = new Map<number, number>();
  /** Addresses of prepared forms. */
  readonly forms = new Map<string, number>();
  readonly #constants: RegionRequest["constants"];
  readonly #memory: WasmMemory;
  readonly #used: { readonly elements: SharedElements; readonly bytes: number }[] = [];

  /** @param prepare returns what makes a form */
  constructor(
    codes: readonly KernelCode[],
    constants: RegionRequest["constants"],
    memory: WasmMemory,
    prepare: (form: PreparedBuffer) => Prepare,
  ) {
    this.#constants = constants;
    this.#memory = memory;
    try {
      memory.reserve(this.#bytesOf(codes));
      for (const { buffer } of codes.flatMap(({ memories }) => memories)) this.#plain(buffer);
      for (const [form, one] of formsOf(codes)) this.#form(form, one, prepare(one));
    } catch (error) {
      this.release();
      throw error;
    }
  }

  /** Bytes of all that are held. */
  get bytes(): number {
    return this.#used.reduce((total, { bytes }) => total + bytes, 0);
  }
  /** How many are held. */
  get count(): number {
    return this.#used.length;
  }

  /** About as many as all of them will take. */
  #bytesOf(codes: readonly KernelCode[]): number {
    const ids = new Set(codes.flatMap(({ memories }) => memories.map(({ buffer }) => buffer)));
    const plain = [...ids].flatMap((id) => this.#constants.get(id) ?? []);
    const forms = [...formsOf(codes).values()].filter(
      ({ buffer, key }) => !this.#memory.has(this.#constants.get(buffer)!, key),
    );
    const unshared = plain.filter((tensor) => !this.#memory.has(tensor));
    const total = unshared.reduce((sum, tensor) => sum + placeBytes(elementBytes(tensor)), 0);
    return forms.reduce((sum, { bytes }) => sum + placeBytes(bytes), total);
  }

  #plain(id: number): void {
    const tensor = this.#constants.get(id);
    if (tensor === undefined || this.addresses.has(id)) return;
    const elements = this.#memory.share(tensor);
    this.addresses.set(id, elements.address);
    this.#used.push({ elements, bytes: elementBytes(tensor) });
  }
  #form(form: string, { buffer, key, bytes, parts }: PreparedBuffer, fill: Prepare): void {
    const tensor = this.#constants.get(buffer);
    if (tensor === undefined) throw internalError(`buffer ${buffer} is prepared, and not a constant`);
    const elements = this.#memory.shareForm({ tensor, key, bytes, parts, fill });
    this.forms.set(form, elements.address);
    this.#used.push({ elements, bytes });
  }

  /** Gives all memory back. */
  release(): void {
    for (const { elements } of this.#used.splice(0)) this.#memory.unshare(elements);
  }
}
