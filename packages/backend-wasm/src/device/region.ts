/** @file The kernels of a region as one module, and runs of it. */
import { bytesOf, elementsOf, type LoopBuffer, planMemory, sizeOf } from "@sconce/codegen";
import type { DeviceBuffer, RegionCode, RegionRequest, RegionRun, RegionStep } from "@sconce/device-runtime";
import { dtypeInfo, type Tensor } from "@sconce/tensor";
import { type KernelCode, unitsAt } from "../kernel-code.js";
import { isLarge } from "../threads/large.js";
import { ALIGNMENT } from "./allocator.js";
import { Constants, formOf } from "./constants.js";
import { kernelFailed } from "./errors.js";
import type { HeldConstants } from "./held-constants.js";
import type { CompiledKernel, KernelModules, UsedKernels } from "./kernel-modules.js";
import type { WasmMemory } from "./wasm-memory.js";

/** A value in the memory of a backend. */
export interface WasmBuffer extends DeviceBuffer {
  /** Where it begins. */
  readonly address: number;
  /** Bytes of its elements. */
  readonly bytes: number;
}

/** Makes the code of a step. */
type KernelMaker = (step: RegionStep, request: RegionRequest) => KernelCode;
/** What the code of regions is made with. */
export interface KernelSource {
  readonly make: KernelMaker;
  /** Whether code may use relaxed SIMD. Default: no. */
  readonly relaxed?: boolean;
}

/** The owner of results, which the caller of a run frees. */
export interface ResultOwner {
  /** The modules that kernels are in. */
  readonly modules: KernelModules;
  /** What kernels keep between runs. */
  readonly constants: HeldConstants;
  /** Takes a result over. */
  own(size: ValueSize, address: number): WasmBuffer;
  /** Returns a constant that is a result. */
  constant(tensor: Tensor): WasmBuffer;
  /** Called when a region is disposed of. */
  disposed(region: WasmRegion): void;
}

/** A kernel with what it is called with. */
interface Kernel extends CompiledKernel {
  readonly units: number;
  /** Ids of its memories. */
  readonly buffers: readonly number[];
  /** Addresses of prepared constants, and what the entry gets besides. */
  readonly forms: readonly number[];
  /** Whether several threads share its units. */
  readonly isShared: boolean;
}

/** The size of a value. */
export interface ValueSize {
  readonly bytes: number;
  readonly length: number;
}

/** The kernels of a region in one module. Values that are not results share an arena. */
export class WasmRegion implements RegionCode {
  readonly #codes: readonly KernelCode[];
  readonly #request: RegionRequest;
  readonly #memory: WasmMemory;
  readonly #owner: ResultOwner;
  /** What kernels keep between runs. */
  readonly #constants: Constants;
  #kernels: readonly Kernel[];
  readonly #results: ReadonlyMap<number, ValueSize>;
  /** Addresses of constants by the ids of buffers; 0 for other buffers. */
  readonly #fixed: readonly number[];
  /** Offsets in the arena by the ids of buffers. */
  readonly #offsets: ReadonlyMap<number, number>;
  /** Values that are set to zero before a run: no nest is known to write all of them. */
  readonly #cleared: ReadonlyMap<number, number>;
  /** Ids of buffers that are given for each run. */
  readonly #given: readonly number[];
  /** Bytes of the arena, in front of the scratch memory of kernels. */
  readonly #arena: number;
  /** Bytes of scratch memory of each thread. */
  readonly #scratch: number;
  #used: UsedKernels | undefined;

  constructor(request: RegionRequest, codes: readonly KernelCode[], memory: WasmMemory, owner: ResultOwner) {
    this.#codes = codes;
    this.#request = request;
    this.#memory = memory;
    this.#owner = owner;
    const own = owner.modules.use(codes);
    const { kernels, prepare } = own;
    this.#used = own;
    try {
      this.#constants = new Constants(codes, request.constants, owner.constants, prepare);
    } catch (error) {
      own.release();
      throw error;
    }
    const { forms, addresses } = this.#constants;
    const { sizes } = request;
    this.#kernels = codes.map(({ units, memories, open, prepared = [] }, at) => ({
      units: open === undefined ? units : unitsAt(open.units, sizes),
      ...kernels[at]!,
      buffers: memories.map(({ buffer }) => buffer),
      forms: [
        ...prepared.map((one) => forms.get(formOf(one))!),
        ...(open?.given ?? []).map((size) => sizeOf(size, sizes)),
      ],
      isShared: memory.pool !== undefined && isLarge(request.steps[at]!.nests, sizes, memory.least),
    }));
    this.#fixed = request.loops.buffers.map((_, id) => addresses.get(id) ?? 0);
    this.#results = resultsOf(request);
    this.#cleared = partlyWritten(request);
    const { offsets, bytes } = arenaOf(request, this.#results);
    this.#offsets = offsets;
    this.#arena = bytes;
    this.#scratch = codes.reduce((most, { scratchBytes }) => Math.max(most, scratchBytes), 0);
    const used = new Set(this.#kernels.flatMap(({ buffers }) => buffers));
    this.#given = [...used].filter((id) => !offsets.has(id) && !this.#results.has(id) && !addresses.has(id));
  }

  get sources(): readonly string[] {
    return this.#codes.map(({ text }) => text);
  }

  start(inputs: (id: number) => DeviceBuffer): RegionRun {
    const addresses = this.#fixed.slice();
    for (const id of this.#given) addresses[id] = (inputs(id) as WasmBuffer).address;
    const places: number[] = [];
    const take = (bytes: number): number => {
      const address = this.#memory.take(bytes);
      places.push(address);
      return address;
    };
    try {
      const arena = take(this.#arena + this.#scratch * (this.#memory.pool?.count ?? 1));
      for (const [id, offset] of this.#offsets) addresses[id] = arena + offset;
      for (const [id, { bytes }] of this.#results) addresses[id] = take(bytes);
      for (const [id, bytes] of this.#cleared) this.#memory.fill(addresses[id]!, bytes, 0);
      return this.#run(addresses, arena);
    } catch (error) {
      for (const place of places) this.#memory.give(place);
      throw error;
    }
  }

  #run(addresses: readonly number[], arena: number): RegionRun {
    const left = new Map(this.#results);
    const pool = this.#kernels.some(({ isShared }) => isShared) ? this.#memory.pool : undefined;
    pool?.begin();
    return {
      step: (at) => this.#step(at, addresses, arena + this.#arena),
      result: (id) => {
        const size = left.get(id);
        if (size === undefined) return this.#owner.constant(this.#request.constants.get(id)!);
        left.delete(id);
        return this.#owner.own(size, addresses[id]!);
      },
      end: () => {
        pool?.end();
        this.#memory.give(arena);
        for (const id of left.keys()) this.#memory.give(addresses[id]!);
      },
    };
  }

  #step(at: number, places: readonly number[], scratch: number): void | Promise<void> {
    const { units, entry, number, module, buffers, forms, isShared } = this.#kernels[at]!;
    const addresses: number[] = [];
    for (const id of buffers) addresses.push(places[id]!);
    for (const form of forms) addresses.push(form);
    const fail = (error: unknown): never => {
      const nodes = this.#request.steps[at]!.nests.flatMap((nest) => nest.nodes);
      throw kernelFailed([...new Set(nodes)], error);
    };
    try {
      if (!isShared) {
        addresses.push(scratch, 0, units);
        entry(...addresses);
      } else {
        const job = { module: module!, entry: number, addresses, scratch, scratchBytes: this.#scratch };
        return this.#memory.pool!.run({ ...job, units }, entry)?.catch(fail);
      }
    } catch (error) {
      fail(error);
    }
  }

  dispose(): void {
    this.#constants.release();
    this.#used?.release();
    // Code that still has the region does not keep the memory, which functions of kernels hold.
    this.#used = undefined;
    this.#kernels = [];
    this.#owner.disposed(this);
  }
}

/** Returns the bytes of the values of which nests do not compute each element. */
function partlyWritten({ steps, loops, sizes }: RegionRequest): Map<number, number> {
  const found = new Map<number, number>();
  for (const { nests, writes } of steps)
    for (const id of writes) {
      const bytes = bytesOf(loops.buffers[id]!, sizes);
      const elements = bytes / dtypeInfo(loops.buffers[id]!.dtype).itemSize;
      const isWhole = nests.some(
        ({ output, axes }) => output === id && sizeOf(elementsOf(axes), sizes) === elements,
      );
      if (!isWhole) found.set(id, bytes);
    }
  return found;
}

/** Sizes of the values that steps compute and that are results. */
function resultsOf({ steps, loops, sizes }: RegionRequest): Map<number, ValueSize> {
  const written = new Set(steps.flatMap(({ writes }) => writes));
  const sizeOf = (buffer: LoopBuffer): ValueSize => {
    const bytes = bytesOf(buffer, sizes);
    return { bytes, length: bytes / dtypeInfo(buffer.dtype).itemSize };
  };
  const ids = loops.outputs.flatMap((one) => (one.kind === "buffer" ? [one.buffer] : []));
  return new Map(ids.filter((id) => written.has(id)).map((id) => [id, sizeOf(loops.buffers[id]!)]));
}

/** Places of the values that are not results. */
function arenaOf({ steps, loops, sizes }: RegionRequest, results: ReadonlyMap<number, unknown>) {
  const inner = steps.map((step) => ({ ...step, writes: step.writes.filter((id) => !results.has(id)) }));
  const { places, peakBytes } = planMemory(loops, { steps: inner, sizes, alignment: ALIGNMENT });
  const offsets = new Map([...places].map(([id, { offset }]) => [id, offset]));
  return { offsets, bytes: peakBytes };
}
