/** @file The modules of an executable: its regions, in all of their sizes, share kernels. */
import type { KernelCode, PreparedBuffer } from "../kernel-code.js";
import type { Entry } from "../threads/modules.js";
import { formsOf, type Prepare } from "./constants.js";
import { entriesOf, fillOf, instantiate } from "./module.js";
import type { WasmMemory } from "./wasm-memory.js";

type Emit = KernelCode["emit"];
type Fill = PreparedBuffer["emit"];

/** An instance, for as long as regions use it. */
interface Instance {
  /** Its number among the modules of the threads; undefined where there is one thread. */
  readonly id: number | undefined;
  readonly emits: readonly Emit[];
  readonly fills: readonly Fill[];
  users: number;
}
/** The entry of a kernel. */
export interface CompiledKernel {
  readonly entry: Entry;
  /** Its number in its module. */
  readonly number: number;
  /** The module as threads know it; undefined where there is one thread. */
  readonly module: number | undefined;
}

/** What a region uses. */
export interface UsedKernels {
  /** The compiled kernels of codes, in order. */
  readonly kernels: readonly CompiledKernel[];
  /** Returns what makes a form. */
  readonly prepare: (form: PreparedBuffer) => Prepare;
  /** Called once, when the region is disposed of. */
  release(): void;
}

/** Compiled kernels. */
export class KernelModules {
  readonly #memory: WasmMemory;
  readonly #kernels = new Map<Emit, CompiledKernel & { readonly from: Instance }>();
  readonly #fills = new Map<Fill, { readonly fill: Prepare; readonly from: Instance }>();

  constructor(memory: WasmMemory) {
    this.#memory = memory;
  }

  /** Those codes that no module has. */
  missing(codes: readonly KernelCode[]): readonly KernelCode[] {
    const lacks = (form: PreparedBuffer): boolean => !this.#fills.has(fillOf(form));
    return codes.filter(({ emit, prepared = [] }) => !this.#kernels.has(emit) || prepared.some(lacks));
  }

  /** Adds the module of codes. */
  add(codes: readonly KernelCode[], bytes: Uint8Array<ArrayBuffer>): void {
    const { memory, pool } = this.#memory;
    const { module, numbers, entries, prepare } = instantiate(codes, bytes, this.#memory);
    const forms = [...formsOf(codes).values()];
    const id = pool?.add(module, memory);
    const from = { id, emits: entriesOf(codes), fills: forms.map(fillOf), users: 0 };
    for (const [at, { emit }] of codes.entries())
      this.#kernels.set(emit, { entry: entries[at]!, number: numbers[at]!, module: id, from });
    for (const form of forms) this.#fills.set(fillOf(form), { fill: prepare(form), from });
  }

  /** Returns the kernels of codes that modules have. */
  use(codes: readonly KernelCode[]): UsedKernels {
    const kernels = codes.map(({ emit }) => this.#kernels.get(emit)!);
    const fills = [...formsOf(codes).values()].map((form) => this.#fills.get(fillOf(form))!);
    const used = new Set([...kernels, ...fills].map(({ from }) => from));
    for (const one of used) one.users++;
    return {
      kernels,
      prepare: (form) => this.#fills.get(fillOf(form))!.fill,
      release: () => {
        for (const one of used) if (--one.users === 0) this.#drop(one);
      },
    };
  }

  #drop(instance: Instance): void {
    for (const emit of instance.emits)
      if (this.#kernels.get(emit)?.from === instance) this.#kernels.delete(emit);
    for (const fill of instance.fills) if (this.#fills.get(fill)?.from === instance) this.#fills.delete(fill);
    if (instance.id !== undefined) this.#memory.pool!.delete(instance.id);
  }
}
