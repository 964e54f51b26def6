/**
 * @file A device that runs kernels, with one implementation per API. The runtime depends on this
 * interface only.
 */
import type {
  Factor,
  LoopNest,
  LoopProgram,
  MemoryPlan,
  MemoryStep,
  RowGroup,
  Target,
} from "@sconce/codegen";
import type { Bindings } from "@sconce/symbolic";
import type { DType, Tensor } from "@sconce/tensor";

/** Elements on the device, row-major. */
export interface DeviceBuffer {
  /** Number of elements. */
  readonly length: number;
}

/** The generated source of a kernel, to be read by people. */
export interface KernelSource {
  /** The language of the source: `wgsl`, say. */
  readonly language: string;
  /** The text. */
  readonly source: string;
}

/** A nest compiled for fixed sizes. */
export interface DeviceKernel extends KernelSource {
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
  /** The generated source, to be read by people. */
  readonly source: KernelSource;
}

/** What is known when a nest is compiled. */
export interface CompileNestOptions {
  /** Values of the symbols in sizes; the kernel is valid for these only. */
  readonly sizes: Bindings;
  /** By default each result takes memory of its own size. Devices may ignore it. */
  readonly slots?: SlotBytes;
}

/** What a device compiles as a whole: a region for one set of sizes. */
export interface RegionRequest {
  /** The region. */
  readonly loops: LoopProgram;
  /** Values of the symbols in its sizes. */
  readonly sizes: Bindings;
  /**
   * The nests of each step, in the order in which they run. Those of steps with code for all sizes
   * have symbols as sizes, others numbers.
   */
  readonly steps: readonly RegionStep[];
  /** The tensors of inputs that are the same in all runs, by the ids of buffers. */
  readonly constants: ReadonlyMap<number, Tensor>;
  /** Where values lie: one arena. Results of the region have places, too. */
  readonly memory: MemoryPlan;
}

/** One kernel of a region. */
export interface RegionStep extends MemoryStep {
  /** What the kernel computes, in order. */
  readonly nests: readonly LoopNest[];
  /** What the device returned for several nests, or for all sizes. */
  readonly rows?: RowsCode;
}

/** Several nests that are one kernel of a region; devices add their code. */
export interface RowsCode {
  /** The buffers of the program that it reads. */
  readonly reads: readonly number[];
}

/** Nests that are one kernel. */
export interface JoinedNests {
  /**
   * Their positions in the program: all may be computed where the last is, which alone is stored.
   */
  readonly positions: readonly number[];
  /** The step that computes them has it as {@link RegionStep.rows}. */
  readonly code: RowsCode;
}

/** The kernels of a region. */
export interface RegionCode {
  /** The source of each kernel, to be read by people. */
  readonly sources: readonly string[];
  /**
   * Begins a run. Memory of the arena is in use until the run ends.
   *
   * @param inputs returns the memory of a buffer that is given and is not a constant
   */
  start(inputs: (id: number) => DeviceBuffer): RegionRun;
  /** Frees what the kernels keep between runs. */
  dispose(): void;
}

/** One run of the kernels of a region. */
export interface RegionRun {
  /** Runs the kernel of a step; the first is 0. */
  step(at: number): Promise<void> | void;
  /**
   * Returns the memory of a result, owned by the caller; called once for each result. A result may
   * be a constant.
   */
  result(id: number): DeviceBuffer;
  /** Gives the memory of all other values back. Called once, after a failure too. */
  end(): void;
}

/** Why there is no device. */
export interface Unavailable {
  /** The reason, for reports. */
  readonly unavailable: string;
}

/** What all open devices have. Every method throws `DEVICE_LOST` once the device is gone. */
export interface DeviceBase {
  /** How the device computes, for reports and errors. */
  readonly mode: string;
  /** The name of the adapter, for display; contains `software` without hardware. */
  readonly description: string;
  /** What its kernels can do. The host computes with integers that are not exact there. */
  readonly target: Pick<Target, "integers" | "maxReads" | "threads">;
  /**
   * How images lie in memory within a region: `"channels-last"` where convolutions read and write
   * them. Default: row-major.
   */
  readonly imageLayout?: "channels-last";
  /**
   * Bytes of an element of any dtype in device memory. Default: as many as the dtype takes on the
   * host.
   */
  readonly elementBytes?: number;
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
  /**
   * Returns whether products compute such a factor themselves, so that its values need no memory.
   * Default: none do.
   *
   * @param factor an expression of constants alone
   */
  takesFactor?(factor: Factor): boolean;
  /** Returns why the device cannot compute a nest, or cannot compute it exactly, or undefined. */
  whyNot(nest: LoopNest, program: LoopProgram): string | undefined;
  /**
   * Copies the elements of a tensor to the device. Throws `VALUE_RANGE` for integers that its
   * memory cannot hold.
   *
   * @param isFixed whether its elements never change, so that the device may share the copy
   */
  upload(tensor: Tensor, isFixed?: boolean): Promise<DeviceBuffer> | DeviceBuffer;
  /** Copies elements back as a row-major tensor of this dtype and shape. */
  download(buffer: DeviceBuffer, dtype: DType, shape: readonly number[]): Promise<Tensor> | Tensor;
  /** Whether {@link download} returns at once, and never a promise. Default: no. */
  readonly readsAtOnce?: boolean;
  /**
   * The memory that its buffers lie in. Devices with the same one read the buffers of each other.
   * Default: each device has another one.
   */
  readonly memory?: object;
  /**
   * Called for a buffer that a tensor takes over. From then on each download is a separate copy. A
   * device with {@link memory} downloads and frees the buffer after it was disposed of, too.
   */
  keep?(buffer: DeviceBuffer): void;
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
  finish(): Promise<void> | void;
  /** Bytes of device memory in use. */
  readonly allocated: number;
  /** How many buffers are in use. Default: 0. */
  readonly buffers?: number;
  /** Bytes of free device memory that is kept for the next run. Default: 0. */
  readonly kept?: number;
  /** Frees everything that the device holds. */
  dispose(): Promise<void> | void;
}

/** A device whose kernels are made one by one, and whose results each take a buffer. */
export interface KernelDevice extends DeviceBase {
  /** Compiles a nest. Kernels are cached by source. */
  compile(
    nest: LoopNest,
    program: LoopProgram,
    options: CompileNestOptions,
  ): Promise<DeviceKernel> | DeviceKernel;
  /**
   * Returns the one kernel of nests over the same rows, or undefined if separate kernels are
   * faster.
   */
  rowsKernel?(group: RowGroup, program: LoopProgram, sizes: Bindings): GroupKernel | undefined;
}

/** A device that makes all kernels of a region at once; their values share one arena. */
export interface RegionDevice extends DeviceBase {
  /**
   * Returns the code of nests over the same rows, or undefined if separate kernels are faster. The
   * step that computes them has it as {@link RegionStep.rows}.
   */
  rowsCode?(group: RowGroup, program: LoopProgram, sizes: Bindings): RowsCode | undefined;
  /**
   * Returns nests that one kernel computes without memory for the values between them. The values
   * must have no other readers.
   *
   * @param groups the nests over the same rows
   */
  joinedNests?(
    nests: readonly LoopNest[],
    groups: readonly RowGroup[],
    program: LoopProgram,
    sizes: Bindings,
  ): readonly JoinedNests[];
  /**
   * Returns code for all sizes of nests over the same rows, which are symbols; undefined if
   * separate kernels are faster. It is used for sizes in which no axis is empty.
   */
  openRows?(group: RowGroup, program: LoopProgram): RowsCode | undefined;
  /**
   * Returns code for all sizes of a nest, as {@link openRows}, or why it is made for each set of
   * sizes.
   *
   * @param constants the tensors of inputs that are the same in all runs, by the ids of buffers
   */
  openNest?(nest: LoopNest, program: LoopProgram, constants: ReadonlyMap<number, Tensor>): RowsCode | string;
  /** Makes the kernels of a region. */
  compileRegion(request: RegionRequest): RegionCode | Promise<RegionCode>;
}

/** One open device. */
export type Device = KernelDevice | RegionDevice;
