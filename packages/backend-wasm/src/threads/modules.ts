/** @file Modules as a thread has them: instances on the memory that all threads share. */
import type { Job } from "./control.js";

/** An entry of a module. */
type Entry = (...parameters: number[]) => void;
/** Functions of JavaScript that modules import, by name. */
export type ImportedFunctions = Readonly<Record<string, (...args: never[]) => number | bigint>>;

/** A module for all threads. */
export interface SharedModule {
  /** Its number in the pool. */
  readonly id: number;
  readonly module: WebAssembly.Module;
  readonly memory: WebAssembly.Memory;
  /** Where the scratch memory of thread 0 starts, and how far the next thread's is. */
  readonly scratch: number;
  readonly scratchBytes: number;
}

/** The instances of one thread. */
export class Instances {
  readonly #entries = new Map<number, { readonly exports: WebAssembly.Exports; readonly scratch: number }>();
  readonly #thread: number;
  readonly #functions: ImportedFunctions;

  /** @param thread 0 for the main thread */
  constructor(thread: number, functions: ImportedFunctions) {
    this.#thread = thread;
    this.#functions = functions;
  }

  add({ id, module, memory, scratch, scratchBytes }: SharedModule): void {
    const { exports } = new WebAssembly.Instance(module, { env: { memory }, js: { ...this.#functions } });
    this.#entries.set(id, { exports, scratch: scratch + this.#thread * scratchBytes });
  }
  delete(id: number): void {
    this.#entries.delete(id);
  }
  readonly has = (id: number): boolean => this.#entries.has(id);

  readonly run = ({ module, entry, addresses }: Job, start: number, end: number): void => {
    const { exports, scratch } = this.#entries.get(module)!;
    (exports[`k${entry}`] as Entry)(...addresses, scratch, start, end);
  };
}
