/** @file The entry of a kernel: its parameters, and the loop over its units. */
import { type FunctionBuilder, i32, type Local, type ModuleBuilder, type Operand } from "@sconce/wasm";
import type { KernelBuffer } from "./kernel-code.js";

/** What the body of an entry is written with. */
export interface KernelEntry {
  readonly f: FunctionBuilder;
  /** The address of a buffer of the loop program. */
  readonly addressOf: (buffer: number) => Local<"i32">;
  /** Addresses of prepared buffers, in order. */
  readonly forms: readonly Local<"i32">[];
  /** The address of scratch memory. */
  readonly scratch: Local<"i32">;
  /** The first unit, and the end of units. */
  readonly first: Local<"i32">;
  readonly end: Local<"i32">;
}
/** The parameters of an entry. */
interface EntryInit {
  /** The name in profiles. */
  readonly name: string;
  readonly memories: readonly KernelBuffer[];
  /** How many prepared buffers it reads. Default: none. */
  readonly forms?: number;
}

/** Adds the entry of a kernel to a module; returns its index. */
export function kernelEntry(
  module: ModuleBuilder,
  { name, memories, forms = 0 }: EntryInit,
  body: (entry: KernelEntry) => void,
): number {
  const params = new Array<"i32">(memories.length + forms + 3).fill("i32");
  return module.func({ params, name }, (f, ...given) => {
    const all = given as readonly Local<"i32">[];
    const [scratch, first, end] = all.slice(-3) as [Local<"i32">, Local<"i32">, Local<"i32">];
    body({
      f,
      addressOf: (buffer) => all[memories.findIndex((one) => one.buffer === buffer)]!,
      forms: all.slice(memories.length, -3),
      scratch,
      first,
      end,
    });
  });
}

/** Runs the body while the first of units is below the end. */
export function forUnits(
  f: FunctionBuilder,
  first: Local<"i32">,
  end: Local<"i32">,
  body: () => void,
  step: Operand = 1,
): void {
  f.block((done) => {
    f.put(i32(first).is("ge_s", end)).brIf(done);
    f.countUp(first, end, body, step);
  });
}
