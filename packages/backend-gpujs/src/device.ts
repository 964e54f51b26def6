/**
 * @file A device that runs kernels, with one implementation per GPU API. The runtime depends on
 * this interface only.
 */
import type { LoopNest, LoopProgram, RowGroup } from "@sconce/codegen";
import type { Bindings } from "@sconce/symbolic";
import type { DType, Tensor } from "@sconce/tensor";

/** Where kernels run: gpu.js's modes. */
export type Mode = "webgpu" | "webgl2" | "webasm" | "cpu" | "headlessgl";

/**
 * What device memory holds an element as. Integers are `i32` only where the device has integers;
 * elsewhere all is `f32`.
 */
export type Lane = "f32" | "i32";

/** Which integers a device computes with exactly. */
export interface Integers {
  readonly low: number;
  readonly high: number;
  /** Whether int32 wraps as it should where it leaves them; elsewhere leaving them is a loss. */
  readonly wraps: boolean;
}

/** Elements on the device, row-major. */
export interface DeviceBuffer {
  /** Number of elements. */
  readonly length: number;
  readonly lane: Lane;
}

/** A nest made ready for fixed sizes. */
export interface DeviceKernel {
  /** How it was made, for reports: gpu.js source or WGSL of our own. */
  readonly language: "gpu.js" | "wgsl";
  readonly source: string;
  /**
   * Computes the nest. `buffers` gives device memory by the ids that the nest reads. The result is
   * a fresh buffer, owned by the caller, or `into` filled anew where the device can.
   */
  run(buffers: (id: number) => DeviceBuffer, into?: DeviceBuffer): Promise<DeviceBuffer> | DeviceBuffer;
}

/** Several nests made ready as one kernel. */
export interface GroupKernel {
  readonly source: string;
  /** The buffers of the program that it reads. */
  readonly reads: readonly number[];
  /**
   * Computes the group; the results are what its stored parts give, in order, each owned by the
   * caller.
   */
  run(buffers: (id: number) => DeviceBuffer): readonly DeviceBuffer[];
}

export interface CompileNestOptions {
  /** Values of the symbols in sizes: a kernel is made for these. */
  readonly sizes: Bindings;
}

/** One open device. Every method throws `DEVICE_LOST` once the device is gone. */
export interface Device {
  readonly mode: Mode;
  /** For people: the adapter's name, `software` when no hardware stands behind it. */
  readonly description: string;
  /** Integers that are exact here: what a run computes with others goes to the host. */
  readonly integers: Integers;
  /** Buffers that a kernel may read. */
  readonly maxReads: number;
  /** Bytes of the largest buffer; no bound when left out. */
  readonly maxBytes?: number;
  /**
   * Iterations of inner loops that take as long here as one element takes the host, about: long
   * sorts and scatters, which the host does directly, are the host's by it.
   */
  readonly iterationsPerElement: number;
  /**
   * Iterations of a nest of known sizes for which the device has a way of its own; undefined where
   * it goes element by element.
   */
  iterationsOf?(nest: LoopNest): number | undefined;
  /**
   * Why memory does not hold a dtype, or arithmetic on it would not be PyTorch's; undefined when
   * all is well.
   */
  whyNotHeld(dtype: DType): string | undefined;
  /** Why a nest cannot be computed exactly or at all here; undefined when it can. */
  whyNot(nest: LoopNest, program: LoopProgram): string | undefined;
  /**
   * Copies a row-major tensor to the device; integers that the lane cannot hold are refused
   * (`VALUE_RANGE`).
   */
  upload(tensor: Tensor): Promise<DeviceBuffer> | DeviceBuffer;
  /** Kernels are cached by source. */
  compile(nest: LoopNest, program: LoopProgram, options: CompileNestOptions): Promise<DeviceKernel>;
  /**
   * Makes one kernel of nests over the same rows; undefined where kernels of their own are quicker.
   */
  compileRows?(group: RowGroup, program: LoopProgram): Promise<GroupKernel | undefined>;
  /** Copies elements back as a row-major tensor of this dtype and shape. */
  download(buffer: DeviceBuffer, dtype: DType, shape: readonly number[]): Promise<Tensor>;
  free(buffer: DeviceBuffer): void;
  /**
   * Called after each run. A device that keeps free memory for the next run keeps no more than this
   * run needed.
   */
  trim?(): void;
  /** Waits until the device has done what was asked of it. */
  finish(): Promise<void>;
  /** Bytes of device memory in use. */
  readonly allocated: number;
  /** Bytes of device memory that are free and kept for the next run; none when left out. */
  readonly kept?: number;
  dispose(): Promise<void>;
}
