/** @file The kernels of a region as one module, and runs of it. */
import { bytesOf, type LoopBuffer, planMemory } from "@sconce/codegen";
import type { DeviceBuffer, RegionCode, RegionRequest, RegionRun, RegionStep } from "@sconce/device-runtime";
import { dtypeInfo } from "@sconce/tensor";
import { ModuleBuilder } from "@sconce/wasm";
import type { KernelCode } from "../kernel-code.js";
import { ALIGNMENT } from "./allocator.js";
import { kernelFailed } from "./errors.js";
import type { WasmMemory } from "./memory.js";

/** A value in the memory of a backend. */
export interface WasmBuffer extends DeviceBuffer {
  /** Where it begins. */
  readonly address: number;
  /** Bytes of its elements. */
  readonly bytes: number;
}

/** Makes the code of a step. */
export type KernelMaker = (step: RegionStep, request: RegionRequest) => KernelCode;

/** Its parameters: addresses of memories and of scratch memory, the first unit and the end. */
type Entry = (...parameters: readonly number[]) => void;

/** A kernel with the functions that the module has. */
interface Kernel {
  readonly code: KernelCode;
  readonly entry: Entry;
  /** Positions of its memories among all buffers. */
  readonly buffers: readonly number[];
}

/** A result, or another value that a region computes. */
interface Result {
  readonly id: number;
  readonly bytes: number;
  readonly length: number;
}

/** A module of the kernels, each exported by its position. */
function moduleOf(kernels: readonly KernelCode[]): Uint8Array<ArrayBuffer> {
  const module = new ModuleBuilder();
  module.importMemory("env", "memory", { initial: 1 });
  const imported = new Map<string, number>();
  for (const { name, parameters, result } of kernels.flatMap(({ imports }) => imports))
    if (!imported.has(name))
      imported.set(name, module.importFunction("js", name, { params: parameters, results: [result] }));
  kernels.forEach((kernel, at) => {
    module.exportFunction(`k${at}`, kernel.emit(module, imported));
  });
  return module.build();
}

/** The kernels of a region in one module. Values that are not results share an arena. */
export class WasmRegion implements RegionCode {
  readonly sources: readonly string[];
  readonly #memory: WasmMemory;
  readonly #steps: readonly RegionStep[];
  readonly #kernels: readonly Kernel[];
  readonly #results: readonly Result[];
  /** Offsets in the arena by the ids of buffers. */
  readonly #offsets: ReadonlyMap<number, number>;
  /** Ids of buffers that are given. */
  readonly #given: readonly number[];
  readonly #scratch: number;
  readonly #bytes: number;
  readonly #taken: (result: Result, address: number) => WasmBuffer;

  /** @param taken called for each result, which the caller of the run gives back */
  constructor(
    request: RegionRequest,
    make: KernelMaker,
    memory: WasmMemory,
    taken: (result: Result, address: number) => WasmBuffer,
  ) {
    const { steps, loops, sizes } = request;
    const codes = steps.map((step) => make(step, request));
    this.sources = codes.map(({ text }) => text);
    this.#memory = memory;
    this.#taken = taken;
    this.#steps = steps;
    this.#kernels = kernelsOf(codes, memory.memory);
    const written = new Set(steps.flatMap(({ writes }) => writes));
    const outputs = loops.outputs.flatMap((one) => (one.kind === "buffer" ? [one.buffer] : []));
    const results = new Set(outputs.filter((id) => written.has(id)));
    const sizeOf = (buffer: LoopBuffer): Result => {
      const bytes = bytesOf(buffer, sizes);
      return { id: buffer.id, bytes, length: bytes / dtypeInfo(buffer.dtype).itemSize };
    };
    this.#results = [...results].map((id) => sizeOf(loops.buffers[id]!));
    const inner = steps.map((step) => ({ ...step, writes: step.writes.filter((id) => !results.has(id)) }));
    const plan = planMemory(loops, { steps: inner, sizes, alignment: ALIGNMENT });
    this.#offsets = new Map([...plan.places].map(([id, { offset }]) => [id, offset]));
    const used = new Set(codes.flatMap(({ memories }) => memories.map(({ buffer }) => buffer)));
    this.#given = [...used].filter((id) => !written.has(id));
    this.#scratch = plan.peakBytes;
    this.#bytes = plan.peakBytes + codes.reduce((most, code) => Math.max(most, code.scratchBytes), 0);
  }

  start(inputs: (id: number) => DeviceBuffer): RegionRun {
    const addresses: number[] = [];
    for (const id of this.#given) addresses[id] = (inputs(id) as WasmBuffer).address;
    const places: number[] = [];
    try {
      const arena = this.#memory.take(this.#bytes);
      places.push(arena);
      for (const [id, offset] of this.#offsets) addresses[id] = arena + offset;
      for (const { id, bytes } of this.#results) {
        const address = this.#memory.take(bytes);
        places.push(address);
        addresses[id] = address;
      }
      return this.#run(addresses, arena);
    } catch (error) {
      for (const place of places) this.#memory.give(place);
      throw error;
    }
  }

  #run(addresses: readonly number[], arena: number): RegionRun {
    const left = new Map(this.#results.map((result) => [result.id, result]));
    return {
      step: (at) => this.#step(at, addresses, arena + this.#scratch),
      result: (id) => {
        const result = left.get(id)!;
        left.delete(id);
        return this.#taken(result, addresses[id]!);
      },
      end: () => {
        this.#memory.give(arena);
        for (const id of left.keys()) this.#memory.give(addresses[id]!);
      },
    };
  }

  #step(at: number, addresses: readonly number[], scratch: number): void {
    const { code, entry, buffers } = this.#kernels[at]!;
    const parameters = buffers.map((id) => addresses[id]!);
    parameters.push(scratch, 0, code.units);
    try {
      entry(...parameters);
    } catch (error) {
      throw kernelFailed([...new Set(this.#steps[at]!.nests.flatMap(({ nodes }) => nodes))], error);
    }
  }
}

function kernelsOf(codes: readonly KernelCode[], memory: WebAssembly.Memory): Kernel[] {
  const js: Record<string, WebAssembly.ImportValue> = {};
  for (const { name, call } of codes.flatMap(({ imports }) => imports))
    js[name] = call as WebAssembly.ImportValue;
  const module = new WebAssembly.Module(moduleOf(codes));
  const { exports } = new WebAssembly.Instance(module, { env: { memory }, js });
  return codes.map((code, at) => ({
    code,
    entry: exports[`k${at}`] as Entry,
    buffers: code.memories.map(({ buffer }) => buffer),
  }));
}
