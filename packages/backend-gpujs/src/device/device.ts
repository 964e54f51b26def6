/**
 * @file A device that runs kernels, with one implementation per GPU API. The runtime depends on
 * this interface only.
 */
import type { LoopNest, LoopProgram, RowGroup } from "@sconce/codegen";
import type { Bindings } from "@sconce/symbolic";
import type { DType, Tensor } from "@sconce/tensor";

/** Names of software adapters. */
export const SOFTWARE = /swiftshader|llvmpipe|lavapipe|software|basic render/i;

/** Where kernels run: gpu.js's modes. */
export type Mode = "webgpu" | "webgl2" | "webasm" | "cpu" | "headlessgl";

/**
 * The type of an element in device memory: `i32` for integers if the device has integers, else
 * `f32`.
 */
export type Lane = "f32" | "i32";

/** Which integers a device computes with exactly. */
export interface Integers {
  readonly low: number;
  readonly high: number;
  /** Whether int32 arithmetic wraps correctly. If not, results outside of the range are inexact. */
  readonly wraps: boolean;
}

/** Elements on the device, row-major. */
export interface DeviceBuffer {
  /** Number of elements. */
  readonly length: number;
  /** How elements lie in the buffer. */
  readonly lane: Lane;
}

/** A nest compiled for fixed sizes. */
export interface DeviceKernel {
  /** The language of its source, for reports. */
  readonly language: "gpu.js" | "wgsl";
  /** The generated source, to be read by people. */
  readonly source: string;
  /**
   * Computes the nest. `buffers` returns the device memory for a buffer id. Returns a new buffer,
   * owned by the caller.
   */
  run(buffers: (id: number) => DeviceBuffer): Promise<DeviceBuffer> | DeviceBuffer;
}

/** Bytes of the slot in which the memory plan puts a buffer: as much as its largest value takes. */
export type SlotBytes = (buffer: number) => number;

/** Several nests that are one kernel of the device. */
export interface GroupKernel {
  /** The buffers of the program that it reads. */
  readonly reads: readonly number[];
  /**
   * Makes the kernel. It computes the group, and returns the results of its stored parts, in order;
   * the caller owns each.
   *
   * @param slots see {@link CompileNestOptions}
   */
  compile(slots: SlotBytes): Promise<(buffers: (id: number) => DeviceBuffer) => readonly DeviceBuffer[]>;
}

/** What is known when a nest is compiled. */
export interface CompileNestOptions {
  /** Values of the symbols in sizes; the kernel is valid for these only. */
  readonly sizes: Bindings;
  /** By default each result takes memory of its own size. Devices may ignore it. */
  readonly slots?: SlotBytes;
}

/** One open device. Every method throws `DEVICE_LOST` once the device is gone. */
export interface Device {
  /** How the device computes; see {@link MODES}. */
  readonly mode: Mode;
  /** The name of the adapter, for display; contains `software` without hardware. */
  readonly description: string;
  /** Integers that are exact on this device. The host computes with all others. */
  readonly integers: Integers;
  /** Buffers that a kernel may read. */
  readonly maxReads: number;
  /** Bytes of the largest buffer. Default: no limit. */
  readonly maxBytes?: number;
  /**
   * Iterations of inner loops that take about as long on the device as one element on the host.
   * Sorts and scatters over this limit run on the host.
   */
  readonly iterationsPerElement: number;
  /**
   * Returns the iterations of a nest of known sizes for which the device has a special algorithm,
   * or undefined if it computes the nest element by element.
   */
  iterationsOf?(nest: LoopNest): number | undefined;
  /**
   * Returns why the device cannot hold a dtype or compute with it as PyTorch does, or undefined.
   */
  whyNotHeld(dtype: DType): string | undefined;
  /** Returns why the device cannot compute a nest, or cannot compute it exactly, or undefined. */
  whyNot(nest: LoopNest, program: LoopProgram): string | undefined;
  /**
   * Copies a row-major tensor to the device. Throws `VALUE_RANGE` for integers that the lane cannot
   * hold.
   */
  upload(tensor: Tensor): Promise<DeviceBuffer> | DeviceBuffer;
  /** Compiles a nest. Kernels are cached by source. */
  compile(nest: LoopNest, program: LoopProgram, options: CompileNestOptions): Promise<DeviceKernel>;
  /**
   * Returns the one kernel of nests over the same rows, or undefined if separate kernels are
   * faster.
   */
  rowsKernel?(group: RowGroup, program: LoopProgram, sizes: Bindings): GroupKernel | undefined;
  /** Copies elements back as a row-major tensor of this dtype and shape. */
  download(buffer: DeviceBuffer, dtype: DType, shape: readonly number[]): Promise<Tensor>;
  /** Gives a buffer back; it may not be used afterwards. */
  free(buffer: DeviceBuffer): void;
  /** Called before the kernels of a region, with the bytes of all slots of its memory plan. */
  reserve?(bytes: number): void;
  /**
   * Called after each run. A device that keeps free memory for the next run keeps no more than this
   * run needed.
   */
  trim?(): void;
  /** Waits until the device has finished all submitted work. */
  finish(): Promise<void>;
  /** Bytes of device memory in use. */
  readonly allocated: number;
  /** How many buffers are in use. Default: 0. */
  readonly buffers?: number;
  /** Bytes of free device memory that is kept for the next run. Default: 0. */
  readonly kept?: number;
  /** Frees everything that the device holds. */
  dispose(): Promise<void>;
}
