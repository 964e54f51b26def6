/** @file The constants of a region in memory, as its kernels read them. */
import type { RegionRequest } from "@sconce/device-runtime";
import { internalError } from "@sconce/errors";
import type { KernelCode, PreparedBuffer } from "../kernel-code.js";
import type { HeldConstants, HeldElements } from "./held-constants.js";
import { elementBytes } from "./transfer.js";
import { type Form, PLAIN } from "./wasm-memory.js";

/** Makes the prepared form of a buffer, or some of its parts, from one address at another. */
export type Prepare = (from: number, to: number, first?: number, end?: number) => void;

/** One for each form that kernels of a region read. */
export const formOf = ({ buffer, key }: PreparedBuffer): string => `${buffer} ${key}`;

/** Returns all forms that kernels read. */
export function formsOf(codes: readonly KernelCode[]): Map<string, PreparedBuffer> {
  const forms = new Map<string, PreparedBuffer>();
  for (const { prepared = [] } of codes) for (const one of prepared) forms.set(formOf(one), one);
  return forms;
}

/** Holds the constants of a region until they are released. */
export class Constants {
  /** Addresses of constants by the ids of buffers. */
  readonly addresses = new Map<number, number>();
  /** Addresses of prepared forms. */
  readonly forms = new Map<string, number>();
  readonly #constants: RegionRequest["constants"];
  readonly #held: HeldConstants;
  readonly #used: HeldElements[] = [];

  /** @param prepare returns what makes a form */
  constructor(
    codes: readonly KernelCode[],
    constants: RegionRequest["constants"],
    held: HeldConstants,
    prepare: (form: PreparedBuffer) => Prepare,
  ) {
    this.#constants = constants;
    this.#held = held;
    try {
      held.reserve(this.#wanted(codes));
      for (const { buffer } of codes.flatMap(({ memories }) => memories)) this.#plain(buffer);
      for (const [form, one] of formsOf(codes)) this.#form(form, one, prepare(one));
    } catch (error) {
      this.release();
      throw error;
    }
  }

  /** Returns what kernels read. */
  #wanted(codes: readonly KernelCode[]): Pick<Form, "tensor" | "key" | "bytes">[] {
    const ids = new Set(codes.flatMap(({ memories }) => memories.map(({ buffer }) => buffer)));
    const tensors = [...ids].flatMap((id) => this.#constants.get(id) ?? []);
    const plain = tensors.map((tensor) => ({ tensor, key: PLAIN, bytes: elementBytes(tensor) }));
    const forms = [...formsOf(codes).values()].flatMap(({ buffer, key, bytes }) => {
      const tensor = this.#constants.get(buffer);
      return tensor === undefined ? [] : [{ tensor, key, bytes }];
    });
    return [...plain, ...forms];
  }

  #plain(id: number): void {
    const tensor = this.#constants.get(id);
    if (tensor === undefined || this.addresses.has(id)) return;
    const elements = this.#held.plain(tensor);
    this.addresses.set(id, elements.address);
    this.#used.push(elements);
  }
  #form(form: string, { buffer, key, bytes, parts }: PreparedBuffer, fill: Prepare): void {
    const tensor = this.#constants.get(buffer);
    if (tensor === undefined) throw internalError(`buffer ${buffer} is prepared, and not a constant`);
    const elements = this.#held.form({ tensor, key, bytes, parts, fill });
    this.forms.set(form, elements.address);
    this.#used.push(elements);
  }

  /** Gives all memory back. */
  release(): void {
    for (const elements of this.#used.splice(0)) this.#held.release(elements);
  }
}
