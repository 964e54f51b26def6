/** @file What runs kernels: WebAssembly, or JavaScript on an array of bytes. */
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

/** Views of a memory that kernels in JavaScript read and write. */
type Views = Readonly<Record<string, ArrayBufferView>>;
/** Makes the kernels of a program. They look up the views in each call: memory grows. */
export type ScriptKernels = (views: Views) => readonly Entry[];

const PAGE = 65_536;
const noMemory = (bytes: number, cause: unknown): ModelError =>
  new ModelError("OUT_OF_MEMORY", `the engine has no memory of ${bytes} bytes`, cause);

/** Returns kernels of WebAssembly. */
export function wasmEngine(
  module: WebAssembly.Module,
  functions: Readonly<Record<string, (...args: number[]) => number>>,
  bytes: number,
): Engine {
  const pages = (count: number): number => Math.ceil(count / PAGE);
  const tried = <T>(count: number, make: () => T): T => {
    try {
      return make();
    } catch (cause) {
      throw noMemory(count, cause);
    }
  };
  const memory = tried(bytes, () => new WebAssembly.Memory({ initial: Math.max(1, pages(bytes)) }));
  const { exports } = new WebAssembly.Instance(module, { env: { memory }, js: { ...functions } });
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
}

/** Returns kernels of JavaScript. */
export function scriptEngine(kernels: ScriptKernels, bytes: number): Engine {
  let buffer = allocated(bytes);
  const views: Record<string, ArrayBufferView> = {};
  look(views, buffer);
  const exports = Object.fromEntries(kernels(views).map((kernel, at) => [`k${at}`, kernel]));
  return {
    target: "js",
    exports,
    get buffer() {
      return buffer;
    },
    grow(count) {
      if (count <= buffer.byteLength) return;
      const larger = allocated(count);
      new Uint8Array(larger).set(new Uint8Array(buffer));
      buffer = larger;
      look(views, buffer);
    },
  };
}

function allocated(bytes: number): ArrayBuffer {
  try {
    return new ArrayBuffer(Math.ceil(bytes / PAGE) * PAGE);
  } catch (cause) {
    throw noMemory(bytes, cause);
  }
}
function look(views: Record<string, ArrayBufferView>, buffer: ArrayBuffer): void {
  Object.assign(views, {
    F32: new Float32Array(buffer),
    F64: new Float64Array(buffer),
    I8: new Int8Array(buffer),
    U8: new Uint8Array(buffer),
    I16: new Int16Array(buffer),
    U16: new Uint16Array(buffer),
    I32: new Int32Array(buffer),
    U32: new Uint32Array(buffer),
    I64: new BigInt64Array(buffer),
    U64: new BigUint64Array(buffer),
  });
}
