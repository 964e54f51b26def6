/** @file Which parts of WebAssembly the engine has. */
import type { FunctionBuilder } from "./function.js";
import { type MemoryLimits, ModuleBuilder } from "./module.js";

/** Parts of WebAssembly that engines add over time. */
export interface Features {
  /** Modules can be compiled. False without WebAssembly, or where a content policy forbids it. */
  readonly compile: boolean;
  /** 128-bit vectors. */
  readonly simd: boolean;
  /** `f32x4.relaxed_madd` and others whose last bit depends on the machine. */
  readonly relaxed: boolean;
  /** Shared memory and atomic instructions, as far as the module goes. */
  readonly threads: boolean;
  /** Addresses of 64 bits. */
  readonly memory64: boolean;
}

let found: Features | undefined;

/** Asks the engine once, with one tiny module for each feature. */
export function detectFeatures(): Features {
  found ??= {
    compile: canCompile(),
    simd: validates((f) => f.f32x4(1).op("drop")),
    relaxed: typeof WebAssembly !== "undefined" && WebAssembly.validate(relaxedProbe()),
    threads: validates((f) => f.i32(0).memory("i32.atomic.load").op("drop"), {
      initial: 1,
      maximum: 1,
      shared: true,
    }),
    memory64: validates((f) => f.i64(0n).memory("i32.load").op("drop"), { initial: 1, memory64: true }),
  };
  return found;
}

function tiny(body: (f: FunctionBuilder) => void, memory?: MemoryLimits): Uint8Array<ArrayBuffer> {
  const module = new ModuleBuilder();
  if (memory !== undefined) module.addMemory(memory);
  module.func({ params: [] }, body);
  return module.build();
}

/** Returns a module that only engines with relaxed SIMD take. */
export const relaxedProbe = (): Uint8Array<ArrayBuffer> =>
  tiny((f) => f.f32x4(1).f32x4(1).f32x4(1).op("f32x4.relaxed_madd", "drop"));

const validates = (body: (f: FunctionBuilder) => void, memory?: MemoryLimits): boolean =>
  typeof WebAssembly !== "undefined" && WebAssembly.validate(tiny(body, memory));

function canCompile(): boolean {
  if (typeof WebAssembly === "undefined") return false;
  try {
    return new WebAssembly.Module(tiny((f) => f.op("nop"))) !== undefined;
  } catch (error) {
    // Without `wasm-unsafe-eval` a page may validate modules, and not compile them.
    if (error instanceof WebAssembly.CompileError) return false;
    throw error;
  }
}
