/** @file The constants of a region in memory, as its kernels read them. */
import type { RegionRequest } from "@sconce/device-runtime";
import { internalError } from "@sconce/errors";
import type { KernelCode, PreparedBuffer } from "../kernel-code.js";
import type { SharedElements, WasmMemory } from "./memory.js";
import { elementBytes } from "./transfer.js";

/** Makes the prepared form of a buffer, from one address at another. */
export type Prepare = (from: number, to: number) => void;

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
    prepare: (form: string) => Prepare,
  ) {
    this.#constants = constants;
    this.#memory = memory;
    try {
      for (const { buffer } of codes.flatMap(({ memories }) => memories)) this.#plain(buffer);
      for (const [form, one] of formsOf(codes)) this.#form(form, one, prepare(form));
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

  #plain(id: number): void {
    const tensor = this.#constants.get(id);
    if (tensor === undefined || this.addresses.has(id)) return;
    const elements = this.#memory.share(tensor);
    this.addresses.set(id, elements.address);
    this.#used.push({ elements, bytes: elementBytes(tensor) });
  }
  #form(form: string, { buffer, key, bytes }: PreparedBuffer, fill: Prepare): void {
    const tensor = this.#constants.get(buffer);
    if (tensor === undefined) throw internalError(`buffer ${buffer} is prepared, and not a constant`);
    const elements = this.#memory.shareForm({ tensor, key, bytes, fill });
    this.forms.set(form, elements.address);
    this.#used.push({ elements, bytes });
  }

  /** Gives all memory back. */
  release(): void {
    for (const { elements } of this.#used.splice(0)) this.#memory.unshare(elements);
  }
}
