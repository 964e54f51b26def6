/** @file The functions of one kernel. */
import {
  constant,
  elementOf,
  forEachStatement,
  type Kernel,
  type KernelMemory,
  printKernel,
} from "@sconce/codegen";
import { i32, type Local, type ModuleBuilder } from "@sconce/wasm";
import type { KernelBuffer, KernelCode, KernelImport, OpenSizes } from "../kernel-code.js";
import { forUnits } from "../kernel-entry.js";
import type { SharedFunctions } from "./core/shared-functions.js";
import { shiftOf } from "./core/types.js";
import type { MemoryPlace } from "./elements.js";
import { hostFunctionOf, isFloatType } from "./floats.js";
import { Helpers } from "./helpers.js";
import { hostFunction } from "./host-functions.js";
import { KernelPrinter } from "./printer.js";
import { HoistedConstants } from "./vector/constants.js";

/** Returns the code of a kernel that runs in units. */
export function codeOf(kernel: Kernel): KernelCode {
  const buffers = buffersOf(kernel);
  const { places, scratchBytes } = scratchOf(kernel);
  const units = kernel.launch.grid[0];
  return {
    memories: buffers,
    units,
    scratchBytes,
    imports: importsOf(kernel),
    open: openOf(kernel),
    emit: (module, imports) => emitKernel(module, kernel, buffers, places, new Helpers(module, imports)),
    get text() {
      return printKernel(kernel);
    },
  };
}

/** Returns how a kernel that gets sizes is run. */
function openOf({ launch: { units, grid }, sizes }: Kernel): OpenSizes | undefined {
  if (units === undefined && sizes === undefined) return undefined;
  return {
    units: [{ count: units ?? constant(grid[0]), per: 1 }],
    given: [...(sizes?.values() ?? [])],
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
    if (statement.kind !== "let") return;
    const type = elementOf(statement.args[0]?.type ?? "index");
    const name = isFloatType(type) ? hostFunctionOf(statement.op, type) : undefined;
    if (name !== undefined) names.add(name);
  });
  return [...names].sort().map(hostFunction);
}

function emitKernel(
  module: ModuleBuilder,
  kernel: Kernel,
  buffers: readonly KernelBuffer[],
  scratch: ReadonlyMap<KernelMemory, number>,
  functions: SharedFunctions,
): number {
  const sizes = [...(kernel.sizes?.keys() ?? [])];
  const params = [...buffers, ...sizes, "scratch", "first", "end"].map(() => "i32" as const);
  const index = module.declare({ params });
  const write = (known: ReadonlyMap<string, Uint8Array>): ReadonlyMap<string, Uint8Array> => {
    let missing: ReadonlyMap<string, Uint8Array> = new Map();
    module.define(index, { params }, (f, ...locals) => {
      const constants = new HoistedConstants(f, known);
      const all: readonly Local[] = locals;
      const [scratchBase, first, end] = all.slice(-3) as [Local, Local<"i32">, Local<"i32">];
      const memories = new Map<KernelMemory, MemoryPlace>();
      for (const memory of kernel.memories) {
        const at = buffers.findIndex(({ buffer }) => buffer === memory.buffer);
        const offset = scratch.get(memory);
        const place = offset === undefined ? { base: all[at]!, offset: 0 } : { base: scratchBase, offset };
        memories.set(memory, place);
      }
      const { body } = kernel;
      const printer = new KernelPrinter({
        f,
        functions,
        memories,
        unit: first,
        sizes: new Map(sizes.map((text, at) => [text, all[buffers.length + at]!])),
        constants: constants.get,
        body,
      });
      forUnits(f, first, end, () => printer.block(body));
      missing = constants.missing;
    });
    return missing;
  };
  // Which vectors are constant is known when the function was written once.
  const constants = write(new Map());
  if (constants.size > 0) write(constants);
  const { units, grid } = kernel.launch;
  const step = Math.ceil(grid[0] / CALLS);
  return units === undefined && step === grid[0]
    ? index
    : inCalls(module, params, index, units === undefined ? step : 0);
}

/** Calls of a function in a run of a kernel: engines optimize functions between calls of them. */
const CALLS = 64;
/**
 * Returns a function that calls another one for so many units at a time; for 0, in as many calls.
 */
function inCalls(module: ModuleBuilder, params: readonly "i32"[], index: number, known: number): number {
  return module.func({ params }, (f, ...locals) => {
    const [first, end] = locals.slice(-2) as [Local<"i32">, Local<"i32">];
    const step = known === 0 ? f.let(i32(end).minus(first).parts(CALLS)) : known;
    const call = (): void => {
      f.get(...locals.slice(0, -1));
      f.put(i32(first).plus(step).least(end)).call(index);
    };
    forUnits(f, first, end, call, step);
  });
}
