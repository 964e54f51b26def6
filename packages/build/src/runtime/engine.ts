/** @file What runs kernels. */
import { ModelError } from "./error.js";

/** A kernel: it takes addresses, sizes, the address of scratch memory, and a range of units. */
export type Entry = (...parameters: number[]) => void;

/** Kernels on a memory. */
export interface Engine {
  readonly target: "wasm" | "js";
  /** The memory; another one after it has grown. */
  readonly buffer: ArrayBuffer;
  /** Kernels as `k0`, `k1` and so on, and what puts weights in order as `p0` and so on. */
  readonly exports: Readonly<Record<string, unknown>>;
  /** Makes room for so many bytes in all. */
  grow(bytes: number): void;
}

const PAGE = 65_536;
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
): Opening {
  const pages = (count: number): number => Math.ceil(count / PAGE);
  const tried = <T>(count: number, make: () => T): T => {
    try {
      return make();
    } catch (cause) {
      throw noMemory(count, cause);
    }
  };
  const memory = tried(bytes, () => new WebAssembly.Memory({ initial: Math.max(1, pages(bytes)) }));
  const engineOf = async (): Promise<Engine> => {
    const { exports } = new WebAssembly.Instance(await module, { env: { memory }, js: { ...functions } });
    return {
      target: "wasm",
      exports,
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
