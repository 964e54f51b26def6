/** @file The functions of one kernel. */
import { elementOf, forEachStatement, type Kernel, type KernelMemory, printKernel } from "@sconce/codegen";
import type { Local, ModuleBuilder } from "@sconce/wasm";
import type { KernelBuffer, KernelCode, KernelImport } from "../kernel-code.js";
import { hostFunctionOf, isFloatType } from "./floats.js";
import { Helpers } from "./helpers.js";
import { hostFunction } from "./host-functions.js";
import type { MemoryPlace } from "./memory.js";
import { KernelPrinter } from "./printer.js";
import { shiftOf } from "./types.js";

/** The code of a kernel that runs in units. */
export function codeOf(kernel: Kernel): KernelCode {
  const buffers = buffersOf(kernel);
  const { places, scratchBytes } = scratchOf(kernel);
  const units = kernel.launch.grid[0];
  return {
    memories: buffers,
    units,
    scratchBytes,
    imports: importsOf(kernel),
    emit: (module, imports) => emitKernel(module, kernel, buffers, places, new Helpers(module, imports)),
    text: printKernel(kernel),
  };
}

const isGlobal = ({ space }: KernelMemory): boolean => space === "global";
/** Buffers that are read, then those that are written. */
function buffersOf({ memories }: Kernel): KernelBuffer[] {
  const isRead = ({ access }: KernelMemory): boolean => access === "read";
  const own = memories.filter(isGlobal);
  return [...own.filter(isRead), ...own.filter((one) => !isRead(one))].map((one) => ({
    buffer: one.buffer!,
    access: isRead(one) ? "read" : "write",
  }));
}
/** Where memory of a unit lies in the scratch memory of a thread. */
function scratchOf({ memories }: Kernel) {
  const places = new Map<KernelMemory, number>();
  let scratchBytes = 0;
  for (const one of memories) {
    if (isGlobal(one)) continue;
    places.set(one, scratchBytes);
    // Vectors may read beyond the end.
    scratchBytes += Math.ceil((one.length * 2 ** shiftOf(elementOf(one.type))) / 16) * 16 + 16;
  }
  return { places, scratchBytes };
}

function importsOf(kernel: Kernel): KernelImport[] {
  const names = new Set<string>();
  forEachStatement(kernel.body, (statement) => {
    if (statement.kind !== "let" || !isFloatType(elementOf(statement.args[0]?.type ?? "index"))) return;
    const name = hostFunctionOf(statement.op);
    if (name !== undefined) names.add(name);
  });
  return [...names].sort().map(hostFunction);
}

function emitKernel(
  module: ModuleBuilder,
  kernel: Kernel,
  buffers: readonly KernelBuffer[],
  scratch: ReadonlyMap<KernelMemory, number>,
  helpers: Helpers,
): number {
  const params = [...buffers.map(() => "i32" as const), "i32" as const, "i32" as const, "i32" as const];
  const index = module.declare({ params });
  module.define(index, { params }, (f, ...locals) => {
    const all: readonly Local[] = locals;
    const [scratchBase, first, end] = all.slice(buffers.length) as [Local, Local<"i32">, Local];
    const places = new Map<KernelMemory, MemoryPlace>();
    for (const memory of kernel.memories) {
      const at = buffers.findIndex(({ buffer }) => buffer === memory.buffer);
      const offset = scratch.get(memory);
      places.set(
        memory,
        offset === undefined ? { base: all[at]!, offset: 0 } : { base: scratchBase, offset },
      );
    }
    const printer = new KernelPrinter({ f, helpers, memories: places, unit: first });
    f.block((done) => {
      f.get(first, end).op("i32.ge_s").brIf(done);
      f.loop((next) => {
        printer.block(kernel.body);
        f.increase(first, 1).get(first, end).op("i32.lt_s").brIf(next);
      });
    });
  });
  return index;
}
