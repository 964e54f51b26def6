/** @file Modules as a thread has them: instances on the memory that all threads share. */
import type { Job } from "./control.js";

/**
 * An entry of a module. Its parameters: addresses of memories, forms and scratch memory, the first
 * unit and the end.
 */
export type Entry = (...parameters: number[]) => void;
/** Functions of JavaScript that modules import, by name. */
type ImportedFunctions = Readonly<Record<string, (...args: never[]) => number | bigint>>;

/** Loads the functions: most modules import none. */
export type LoadFunctions = () => Promise<ImportedFunctions>;

/** A module for all threads. */
export interface SharedModule {
  /** Its number in the pool. */
  readonly id: number;
  readonly module: WebAssembly.Module;
  readonly memory: WebAssembly.Memory;
}

/** The instances of a worker. */
export class Instances {
  readonly #entries = new Map<number, WebAssembly.Exports>();
  readonly #thread: number;
  readonly #functions: LoadFunctions;

  /** @param thread 0 is the main thread */
  constructor(thread: number, functions: LoadFunctions) {
    this.#thread = thread;
    this.#functions = functions;
  }

  async add({ id, module, memory }: SharedModule): Promise<void> {
    const calls = WebAssembly.Module.imports(module).some(({ kind }) => kind === "function");
    const js = calls ? { ...(await this.#functions()) } : {};
    const { exports } = new WebAssembly.Instance(module, { env: { memory }, js });
    this.#entries.set(id, exports);
  }
  delete(id: number): void {
    this.#entries.delete(id);
  }
  readonly has = (id: number): boolean => this.#entries.has(id);

  readonly run = (job: Job, start: number, end: number): void => {
    const entry = this.#entries.get(job.module)![`k${job.entry}`] as Entry;
    entry(...job.addresses, job.scratch + this.#thread * job.scratchBytes, start, end);
  };
}
