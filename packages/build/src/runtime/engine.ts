/** @file What runs kernels. */
import { ModelError } from "./error.js";
import type { Layout } from "./layout.js";
import type { ModulePlan } from "./plan.js";

/** Kernels on a memory. */
export interface Engine {
  readonly target: "wasm" | "js";
  /** The memory; another one after it has grown. */
  readonly buffer: ArrayBuffer;
  /** Kernels as `k0`, `k1` and so on, and what puts weights in order as `p0` and so on. */
  readonly exports: Readonly<Record<string, unknown>>;
  /** Makes room for so many bytes in all. */
  grow(bytes: number): void;
  /** The threads that compute kernels; undefined for one. */
  readonly threads?: Threads | undefined;
}

/** A kernel with what it gets in a run. */
export interface KernelCall {
  /** The number of its entry. */
  readonly kernel: number;
  readonly entry: unknown;
  /** Addresses and sizes, then scratch memory, the first unit and the end of units. */
  readonly parameters: readonly number[];
  readonly work: number;
  /** Bytes of the scratch memory of each thread. */
  readonly scratchBytes: number;
}

/** Threads on one memory. Runs wait for each other. */
export interface Threads {
  readonly count: number;
  /** Gives the threads the kernels. */
  start(module: WebAssembly.Module, memory: WebAssembly.Memory): void;
  /** Calls work when no other works. */
  next<T>(work: () => T | Promise<T>): T | Promise<T>;
  /** Computes the kernels of a layout, one behind the other. */
  compute(plan: ModulePlan, layout: Layout, heap: Uint8Array): Promise<void>;
  /** Keeps workers ready for the kernels of a run. */
  during<T>(run: () => Promise<T>): Promise<T>;
  /** Computes one kernel of a run. Returns a promise only if workers take longer than usual. */
  kernel(call: KernelCall): void | Promise<void>;
  /** Ends the workers. */
  dispose(): void;
}

/** Bytes of a page of memory, and the most pages of one. */
export const PAGE = 65_536;
/** Returns the error for a memory that the engine does not give. */
export const noMemory = (bytes: number, cause: unknown): ModelError =>
  new ModelError("OUT_OF_MEMORY", `the engine has no memory of ${bytes} bytes`, cause);

/** A memory, and the kernels on it once they are there. */
export interface Opening {
  readonly buffer: ArrayBuffer;
  readonly engine: Engine | Promise<Engine>;
}

/** Returns a memory for kernels of WebAssembly, which may still be compiled. */
export function openWasm(
  module: WebAssembly.Module | Promise<WebAssembly.Module>,
  functions: Readonly<Record<string, (...args: number[]) => number>>,
  bytes: number,
  threads: Threads | undefined,
): Opening {
  const pages = (count: number): number => Math.ceil(count / PAGE);
  const tried = <T>(count: number, make: () => T): T => {
    try {
      return make();
    } catch (cause) {
      throw noMemory(count, cause);
    }
  };
  const initial = Math.max(1, pages(bytes));
  const memory = tried(
    bytes,
    () => new WebAssembly.Memory(threads ? { initial, maximum: PAGE, shared: true } : { initial }),
  );
  const engineOf = async (): Promise<Engine> => {
    const { exports } = new WebAssembly.Instance(await module, { env: { memory }, js: { ...functions } });
    threads?.start(await module, memory);
    return {
      target: "wasm",
      exports,
      threads,
      get buffer() {
        return memory.buffer as ArrayBuffer;
      },
      grow(count) {
        const missing = count - memory.buffer.byteLength;
        if (missing > 0) tried(count, () => memory.grow(pages(missing)));
      },
    };
  };
  return { buffer: memory.buffer as ArrayBuffer, engine: engineOf() };
}
