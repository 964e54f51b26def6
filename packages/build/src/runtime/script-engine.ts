/** @file Kernels in JavaScript on an array of bytes. */
import { type Engine, noMemory, type Opening, PAGE } from "./engine.js";
import type { Entry } from "./layout.js";

/** Views of a memory that kernels in JavaScript read and write. */
type Views = Readonly<Record<string, ArrayBufferView>>;
/** Makes the kernels of a program. They look up the views in each call: memory grows. */
export type ScriptKernels = (views: Views) => readonly Entry[];

/** Returns what makes a memory and kernels on it. */
export const scriptOpener =
  (kernels: ScriptKernels) =>
  (bytes: number): Opening => {
    const engine = scriptEngine(kernels, bytes);
    return { buffer: engine.buffer, engine };
  };

function scriptEngine(kernels: ScriptKernels, bytes: number): Engine {
  const allocated = (count: number): ArrayBuffer => {
    try {
      return new ArrayBuffer(Math.ceil(count / PAGE) * PAGE);
    } catch (cause) {
      throw noMemory(count, cause);
    }
  };
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
