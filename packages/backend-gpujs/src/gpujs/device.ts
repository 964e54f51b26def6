/** @file gpu.js as a device: nests become kernels of one of its modes. */
import type { LoopNest, LoopProgram } from "@sconce/codegen";
import type { DType, Tensor } from "@sconce/tensor";
import type { CompileNestOptions, Device, DeviceBuffer, DeviceKernel, Mode } from "../device.js";
import { type Dialect, dialectOf, FLOAT_INTEGERS } from "../emit/dialect.js";
import { type KernelSource, writeKernel } from "../emit/kernel-writer.js";
import { whyNotHeld, whyNotSaid } from "../emit/refusals.js";
import { disposed, kernelFailed } from "../errors.js";
import { cellsOf, tensorOf } from "./cells.js";
import { addIndexHelpers } from "./helpers.js";
import type { Gpu, GpujsLibrary, Kernel } from "./library.js";

/** What kernels read and give: cells in JavaScript's memory, or gpu.js's handle of memory on a GPU. */
interface Handle {
  toArray?(): Nested | Promise<Nested>;
  delete?(): void;
}
type Nested = Float32Array | readonly Nested[];

class GpujsBuffer implements DeviceBuffer {
  readonly lane = "f32";
  readonly length: number;
  readonly handle: Float32Array | Handle;
  isFree = false;
  /** Whether the first who asks may have the cells themselves: not where they are a tensor's. */
  isOurs: boolean;

  constructor(length: number, handle: Float32Array | Handle, isOurs: boolean) {
    this.length = length;
    this.handle = handle;
    this.isOurs = isOurs;
  }
}

/**
 * What compiled kernels may hold: each has memory of its own for what it reads and writes, and of sizes that change there
 * is no end. Those that were not used for longest are made again when they are needed.
 */
const KEPT_KERNELS = 1024;
const KEPT_BYTES = 2 ** 29;
/** Measured in `webasm` and `cpu`: 1 ns to 4 ns for a turn of a scatter, where the interpreter takes 0.02 µs to 0.2 µs for a cell. */
const TURNS_PER_CELL = 32;
/** An estimate for shaders on hardware, and what SwiftShader takes on two cores: some 10 ns for a turn. */
const SHADER_TURNS_PER_CELL = 4096;
const SOFTWARE_TURNS_PER_CELL = 16;
/** What a kernel is given for a buffer without cells, which it never reads. */
const NOTHING = new Float32Array(1);

/** One of gpu.js's modes. */
export class GpujsDevice implements Device {
  readonly mode: Mode;
  readonly description: string;
  readonly integers = FLOAT_INTEGERS;
  readonly maxReads: number;
  readonly turnsPerCell: number;
  readonly #gpu: Gpu;
  readonly #dialect: Dialect;
  readonly #kernels = new Map<string, { readonly kernel: Kernel; readonly bytes: number }>();
  #kernelBytes = 0;
  #allocated = 0;
  #isOpen = true;

  constructor(library: GpujsLibrary, mode: Mode, description: string) {
    this.mode = mode;
    this.description = description;
    this.#dialect = dialectOf(mode);
    const ofShaders = description.endsWith("(software)") ? SOFTWARE_TURNS_PER_CELL : SHADER_TURNS_PER_CELL;
    this.turnsPerCell = this.#dialect.isStrict ? TURNS_PER_CELL : ofShaders;
    this.maxReads = this.#dialect.isStrict ? 64 : 7;
    this.#gpu = new library.GPU({ mode });
    addIndexHelpers(this.#gpu);
  }

  get allocated(): number {
    return this.#allocated;
  }

  whyNotHeld(dtype: DType): string | undefined {
    return whyNotHeld(dtype);
  }

  whyNot(nest: LoopNest, program: LoopProgram): string | undefined {
    return whyNotSaid(nest, program, this.#dialect);
  }

  upload(tensor: Tensor): DeviceBuffer {
    this.#requireOpen();
    return this.#buffer(tensor.numel, cellsOf(tensor), false);
  }

  async compile(nest: LoopNest, program: LoopProgram, { sizes }: CompileNestOptions): Promise<DeviceKernel> {
    this.#requireOpen();
    const kernel = writeKernel(nest, program, sizes, this.#dialect);
    return {
      language: "gpu.js",
      source: kernel.source,
      run: (buffers) => this.#run(kernel, nest, buffers),
    };
  }

  #run(
    kernel: KernelSource,
    nest: LoopNest,
    buffers: (id: number) => DeviceBuffer,
  ): DeviceBuffer | Promise<DeviceBuffer> {
    this.#requireOpen();
    const { output, reads } = kernel;
    const length = volumeOf(output);
    if (length === 0) return this.#buffer(0, NOTHING);
    const given = reads.map((id) => handleOf(buffers(id)));
    try {
      const result = this.#kernel(kernel, given)(...given);
      if (result instanceof Promise)
        return result.then(
          (handle: Handle) => this.#buffer(length, handle),
          (error: unknown) => {
            throw kernelFailed(nest.nodes, error);
          },
        );
      return this.#buffer(length, isHandle(result) ? result : flat(result as Nested, length));
    } catch (error) {
      throw kernelFailed(nest.nodes, error);
    }
  }

  /** The compiled kernel; gpu.js fixes the sizes of arguments when it compiles. */
  #kernel({ source, output }: KernelSource, given: readonly (Float32Array | Handle)[]): Kernel {
    const lengths = given.map((one) => (one instanceof Float32Array ? one.length : ""));
    const key = `${output.join()};${lengths.join()};${source}`;
    const kept = this.#kernels.get(key);
    if (kept !== undefined) {
      // The newest is last: the first is the one that was not used for longest.
      this.#kernels.delete(key);
      this.#kernels.set(key, kept);
      return kept.kernel;
    }
    const cells = lengths.reduce<number>((total, length) => total + Number(length), volumeOf(output));
    this.#makeRoom(cells * 4);
    const kernel = this.#gpu.createKernel(source, { output, ...this.#settings() });
    this.#kernels.set(key, { kernel, bytes: cells * 4 });
    this.#kernelBytes += cells * 4;
    return kernel;
  }
  #makeRoom(bytes: number): void {
    for (const key of this.#kernels.keys()) {
      if (this.#kernels.size < KEPT_KERNELS && this.#kernelBytes + bytes <= KEPT_BYTES) return;
      this.#drop(key);
    }
  }
  #settings(): { pipeline?: boolean; immutable?: boolean } {
    return this.#dialect.isStrict ? {} : { pipeline: true, immutable: true };
  }
  #drop(key: string): void {
    const { kernel, bytes } = this.#kernels.get(key)!;
    this.#kernels.delete(key);
    this.#kernelBytes -= bytes;
    kernel.destroy();
    const { kernels } = this.#gpu;
    const at = kernels.indexOf(kernel.kernel);
    if (at >= 0) kernels.splice(at, 1);
  }

  async download(buffer: DeviceBuffer, dtype: DType, shape: readonly number[]): Promise<Tensor> {
    const own = buffer as GpujsBuffer;
    const { handle, length } = own;
    if (isHandle(handle)) return tensorOf(flat(await handle.toArray!(), length), dtype, shape, true);
    const { isOurs } = own;
    own.isOurs = false;
    return tensorOf(handle, dtype, shape, isOurs);
  }

  free(buffer: DeviceBuffer): void {
    const own = buffer as GpujsBuffer;
    if (own.isFree) return;
    own.isFree = true;
    this.#allocated -= own.length * 4;
    if (isHandle(own.handle)) own.handle.delete?.();
  }

  async finish(): Promise<void> {}

  async dispose(): Promise<void> {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    // gpu.js destroys its kernels, and the WebGL context with the first of them that is there.
    this.#kernels.clear();
    this.#kernelBytes = 0;
    this.#allocated = 0;
    await this.#gpu.destroy();
  }

  #buffer(length: number, handle: Float32Array | Handle, isOurs = true): GpujsBuffer {
    this.#allocated += length * 4;
    return new GpujsBuffer(length, length === 0 ? NOTHING : handle, isOurs);
  }
  #requireOpen(): void {
    if (!this.#isOpen) throw disposed("the device");
  }
}

const volumeOf = (extents: readonly number[]): number =>
  extents.reduce((product, extent) => product * extent, 1);
const handleOf = (buffer: DeviceBuffer): Float32Array | Handle => (buffer as GpujsBuffer).handle;
const isHandle = (value: unknown): value is Handle =>
  typeof value === "object" && value !== null && "toArray" in value;

/** The rows of a result one after the other. */
function flat(result: Nested, length: number): Float32Array {
  if (result instanceof Float32Array) return result;
  const whole = wholeOf(result, length);
  if (whole !== undefined) return whole;
  const cells = new Float32Array(length);
  let at = 0;
  const walk = (part: Nested): void => {
    if (part instanceof Float32Array) {
      cells.set(part, at);
      at += part.length;
    } else for (const inner of part) walk(inner);
  };
  walk(result);
  return cells;
}

/** The memory of which the rows are parts, as gpu.js gives them where it computes in one piece. */
function wholeOf(result: Nested, length: number): Float32Array | undefined {
  let [first, last] = [result, result];
  while (!(first instanceof Float32Array)) first = first[0]!;
  while (!(last instanceof Float32Array)) last = last.at(-1)!;
  const { buffer } = first;
  const isWhole = buffer === last.buffer && buffer.byteLength === length * 4 && first.byteOffset === 0;
  return isWhole ? new Float32Array(buffer) : undefined;
}
