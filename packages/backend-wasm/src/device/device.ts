/** @file WebAssembly as a device: one memory, and a module for each region. */
import { type Factor, type LoopNest, type LoopProgram, type RowGroup, unitIterations } from "@sconce/codegen";
import type {
  DeviceBuffer,
  JoinedNests,
  RegionCode,
  RegionDevice,
  RegionRequest,
  RowsCode,
} from "@sconce/device-runtime";
import { disposed } from "@sconce/ops";
import type { Bindings } from "@sconce/symbolic";
import type { DType, Tensor } from "@sconce/tensor";
import { cachedModule, type KernelCache } from "../cache/kernel-cache.js";
import { WASM } from "../emit/target.js";
import type { KernelCode } from "../kernel-code.js";
import { ALIGNMENT } from "./allocator.js";
import { HeldConstants } from "./held-constants.js";
import { KernelModules } from "./kernel-modules.js";
import { moduleKey, moduleOf } from "./module.js";
import { type KernelSource, type ValueSize, type WasmBuffer, WasmRegion } from "./region.js";
import { elementBytes, tensorOf } from "./transfer.js";
import type { MemoryOwner, WasmMemory } from "./wasm-memory.js";

/** What makes kernels, and what it cannot make. */
export interface Kernels extends KernelSource {
  /** Keeps modules; none by default. */
  readonly cache?: KernelCache | undefined;
  /** The code of nests over the same rows; undefined if separate kernels are faster. */
  readonly rowsCode?: RegionDevice["rowsCode"];
  /** Nests that one kernel computes without memory for the values between them. */
  readonly joinedNests?: RegionDevice["joinedNests"];
  /** The same for all sizes; none by default. */
  readonly openRows?: RegionDevice["openRows"];
  readonly openNest?: RegionDevice["openNest"];
  /** Whether products compute a factor themselves. */
  readonly takesFactor?: RegionDevice["takesFactor"];
  /** Why there is no kernel for a dtype, or undefined. */
  readonly whyNotHeld: (dtype: DType) => string | undefined;
  /** Why there is no kernel for a nest, or undefined. */
  readonly whyNot: (nest: LoopNest, program: LoopProgram) => string | undefined;
}

/** As long as an element on the interpreter takes. */
const ITERATIONS_PER_ELEMENT = 32;

/** The largest tensor of a kernel. */
const MOST_BYTES = 2 ** 31 - ALIGNMENT;

const sizeOf = (tensor: Tensor): ValueSize => ({ length: tensor.numel, bytes: elementBytes(tensor) });

/** The part of a backend's memory that one executable uses. */
export class WasmDevice implements RegionDevice {
  readonly mode: string;
  readonly description: string;
  readonly target = WASM;
  readonly imageLayout = "channels-last";
  readonly iterationsPerElement = ITERATIONS_PER_ELEMENT;
  readonly readsAtOnce = true;
  readonly #owner: MemoryOwner;
  readonly #memory: WasmMemory;
  readonly #constants: HeldConstants;
  readonly #modules: KernelModules;
  readonly #kernels: Kernels;
  /** Buffers in use. */
  readonly #live = new Set<WasmBuffer>();
  /** Those that tensors hold: they outlive the executable. */
  readonly #kept = new Set<WasmBuffer>();
  readonly #regions = new Set<WasmRegion>();
  #allocated = 0;
  #isOpen = true;

  constructor(owner: MemoryOwner, kernels: Kernels, mode: string, description: string) {
    this.#owner = owner;
    this.#memory = owner.open();
    this.#constants = new HeldConstants(this.#memory);
    this.#modules = new KernelModules(this.#memory);
    this.#kernels = kernels;
    this.mode = mode;
    this.description = description;
  }

  /** The memory of the backend: its executables read the tensors of each other. */
  get memory(): WasmMemory {
    return this.#memory;
  }
  /** Places in a tensor have 32 bits and a sign, whatever addresses have. */
  get maxBytes(): number {
    return MOST_BYTES;
  }
  get allocated(): number {
    return this.#allocated + this.#constants.bytes;
  }
  get buffers(): number {
    return this.#live.size + this.#constants.count;
  }

  whyNotHeld(dtype: DType): string | undefined {
    return this.#kernels.whyNotHeld(dtype);
  }
  whyNot(nest: LoopNest, program: LoopProgram): string | undefined {
    return this.#kernels.whyNot(nest, program);
  }
  takesFactor(factor: Factor): boolean {
    return this.#kernels.takesFactor?.(factor) ?? false;
  }

  rowsCode(group: RowGroup, program: LoopProgram, sizes: Bindings): RowsCode | undefined {
    return this.#kernels.rowsCode?.(group, program, sizes);
  }

  joinedNests(
    nests: readonly LoopNest[],
    groups: readonly RowGroup[],
    program: LoopProgram,
    sizes: Bindings,
  ): readonly JoinedNests[] {
    return this.#kernels.joinedNests?.(nests, groups, program, sizes) ?? [];
  }

  openRows(group: RowGroup, program: LoopProgram): RowsCode | undefined {
    return this.#kernels.openRows?.(group, program);
  }
  openNest(nest: LoopNest, program: LoopProgram, constants: ReadonlyMap<number, Tensor>): RowsCode | string {
    return this.#kernels.openNest?.(nest, program, constants) ?? "the device has no code for all sizes";
  }

  upload(tensor: Tensor): DeviceBuffer {
    this.#requireOpen();
    return this.#buffer(sizeOf(tensor), this.#memory.copy(tensor));
  }

  compileRegion(request: RegionRequest): RegionCode | Promise<RegionCode> {
    this.#requireOpen();
    const { make, cache, relaxed = false } = this.#kernels;
    const codes = request.steps.map((step) => make(step, request));
    const modules = this.#modules;
    const missing = modules.missing(codes);
    if (missing.length === 0) return this.#region(request, codes);
    const settings = { isShared: this.#memory.pool !== undefined, relaxed, wide: this.#memory.wide };
    const add = (some: readonly KernelCode[], module = moduleOf(some, settings)): RegionCode => {
      modules.add(some, module);
      return this.#region(request, codes);
    };
    const key = cache && moduleKey(missing, settings);
    if (cache === undefined || key === undefined) return add(missing);
    return cachedModule(cache, key, () => moduleOf(missing, settings)).then((module) => {
      this.#requireOpen();
      // A region that was disposed of meanwhile may have had others.
      const lost = modules.missing(codes).filter((code) => !missing.includes(code));
      if (lost.length > 0) modules.add(lost, moduleOf(lost, settings));
      return add(missing, module);
    });
  }
  #region(request: RegionRequest, codes: readonly KernelCode[]): RegionCode {
    const region = new WasmRegion(request, codes, this.#memory, {
      modules: this.#modules,
      constants: this.#constants,
      own: (size, address) => this.#buffer(size, address),
      constant: (tensor) => this.#buffer(sizeOf(tensor), this.#memory.copy(tensor)),
      disposed: (one) => void this.#regions.delete(one),
    });
    this.#regions.add(region);
    return region;
  }

  download(buffer: DeviceBuffer, dtype: DType, shape: readonly number[]): Tensor {
    if (!this.#kept.has(buffer as WasmBuffer)) this.#requireOpen();
    const { address } = buffer as WasmBuffer;
    return tensorOf((bytes) => this.#memory.read(address, bytes), dtype, shape);
  }

  keep(buffer: DeviceBuffer): void {
    if (this.#kept.has(buffer as WasmBuffer)) return;
    this.#kept.add(buffer as WasmBuffer);
    this.#owner.keep();
  }

  free(buffer: DeviceBuffer): void {
    const own = buffer as WasmBuffer;
    if (!this.#live.delete(own)) return;
    this.#allocated -= own.bytes;
    this.#memory.give(own.address);
    if (this.#kept.delete(own)) this.#owner.release();
  }

  iterationsOf(nest: LoopNest): number | undefined {
    return unitIterations(nest);
  }

  finish(): void {
    // Kernels are done when they return.
  }

  dispose(): void {
    if (!this.#isOpen) return;
    for (const buffer of this.#live) if (!this.#kept.has(buffer)) this.free(buffer);
    for (const region of [...this.#regions]) region.dispose();
    this.#isOpen = false;
    this.#owner.close();
  }

  #buffer(size: ValueSize, address: number): WasmBuffer {
    const buffer = { ...size, address };
    this.#allocated += size.bytes;
    this.#live.add(buffer);
    return buffer;
  }
  #requireOpen(): void {
    if (!this.#isOpen) throw disposed("the device");
  }
}
