/** @file gpu.js as a device: nests become kernels of one of its modes. */
import { type LoopNest, type LoopProgram, readsOf } from "@sconce/codegen";
import type { CompileNestOptions, DeviceBuffer, DeviceKernel, KernelDevice } from "@sconce/device-runtime";
import { disposed } from "@sconce/ops";
import type { DType, Tensor } from "@sconce/tensor";
import { kernelFailed } from "../device/errors.js";
import { ELEMENT_BYTES, type Mode } from "../device/mode.js";
import { deviceLost, deviceRefused } from "../device/webgpu-errors.js";
import { type Dialect, dialectOf } from "../emit/dialect.js";
import { gridKernel } from "../emit/grid-kernel.js";
import { type KernelSource, printGpujs } from "../emit/print-gpujs.js";
import { whyNotExpressible, whyNotHeld } from "../emit/refusals.js";
import { elementsOf, tensorOf } from "./elements.js";
import { glslOf } from "./glsl.js";
import { addIndexHelpers } from "./helpers.js";
import { type KeptKernel, KeptKernels, SharedKernels } from "./kept-kernels.js";
import type { Gpu, GpujsLibrary } from "./library.js";
import type { SharedGl } from "./shared-gl.js";

/**
 * What kernels read and give: elements in JavaScript's memory, or gpu.js's handle of memory on a
 * GPU.
 */
interface Handle {
  toArray?(): Nested | Promise<Nested>;
  delete?(): void;
  /** Of textures: how they are laid out, and how gpu.js reads them. */
  readonly size?: readonly number[];
  readonly output?: readonly number[];
  readonly type?: string;
}
type Nested = Float32Array | readonly Nested[];

class GpujsBuffer implements DeviceBuffer {
  readonly length: number;
  handle: Float32Array | Handle;
  isFree = false;
  /** Whether the first who asks may have the elements themselves: not where they are a tensor's. */
  isOurs: boolean;
  /** The kernel in whose textures it is. */
  readonly kernel: KeptKernel | undefined;

  constructor(length: number, handle: Float32Array | Handle, isOurs: boolean, kernel?: KeptKernel) {
    this.length = length;
    this.handle = handle;
    this.isOurs = isOurs;
    this.kernel = kernel;
  }
}

/**
 * Measured in `webasm` and `cpu`: 1 ns to 4 ns for an iteration of a scatter, where the interpreter
 * takes 0.02 µs to 0.2 µs for an element.
 */
const ITERATIONS_PER_ELEMENT = 32;
/**
 * An estimate for shaders on hardware, and what SwiftShader takes on two cores: some 10 ns for an
 * iteration.
 */
const SHADER_ITERATIONS_PER_ELEMENT = 4096;
const SOFTWARE_ITERATIONS_PER_ELEMENT = 16;
/**
 * Messages of runtimes when a kernel's memory does not fit beside that of the kernels that are
 * kept.
 */
const OUT_OF_MEMORY = /could not allocate memory|out of memory/i;
/** What a kernel is given for a buffer without elements, which it never reads. */
const NOTHING = new Float32Array(1);

/**
 * Results stay in their own textures. Left alone gpu.js takes the least precision that counts
 * the elements.
 */
const GL_SETTINGS = { pipeline: true, immutable: true, tactic: "precision" } as const;

/** One of gpu.js's modes. */
export class GpujsDevice implements KernelDevice {
  readonly mode: Mode;
  readonly description: string;
  /** What its kernels can do. */
  readonly target: Dialect;
  readonly elementBytes = ELEMENT_BYTES;
  readonly iterationsPerElement: number;
  readonly #gpu: Gpu;
  readonly #kernels: KeptKernels;
  readonly #live = new Set<GpujsBuffer>();
  readonly #gl: SharedGl | undefined;
  #allocated = 0;
  #isOpen = true;

  /**
   * @param gl what it shares with other devices of its page, of which it uses one more; none when
   * left out
   */
  constructor(library: GpujsLibrary, mode: Mode, description: string, gl?: SharedGl) {
    this.mode = mode;
    this.description = description;
    this.target = dialectOf(mode);
    const ofShaders = description.endsWith("(software)")
      ? SOFTWARE_ITERATIONS_PER_ELEMENT
      : SHADER_ITERATIONS_PER_ELEMENT;
    this.iterationsPerElement = this.target.isStrict ? ITERATIONS_PER_ELEMENT : ofShaders;
    this.#gl = gl;
    this.#gpu = gl?.gpu ?? new library.GPU({ mode });
    this.#kernels = new KeptKernels(gl?.kernels ?? new SharedKernels(this.#gpu));
    if (gl === undefined) addIndexHelpers(this.#gpu);
  }

  get allocated(): number {
    return this.#allocated;
  }
  get buffers(): number {
    return this.#live.size;
  }

  whyNotHeld(dtype: DType): string | undefined {
    return whyNotHeld(dtype);
  }

  whyNot(nest: LoopNest, program: LoopProgram): string | undefined {
    const reads = readsOf(nest.value).size;
    // Kernels that read JavaScript memory have no bound.
    if (reads > this.target.maxReads && !this.target.isStrict)
      return `it reads ${reads} buffers, the device allows ${this.target.maxReads}`;
    return whyNotExpressible(nest, program, this.target);
  }

  upload(tensor: Tensor): DeviceBuffer {
    this.#requireOpen();
    return this.#buffer(tensor.numel, elementsOf(tensor), false);
  }

  async compile(nest: LoopNest, program: LoopProgram, { sizes }: CompileNestOptions): Promise<DeviceKernel> {
    this.#requireOpen();
    const kernel = printGpujs(gridKernel(nest, program, sizes, this.target), this.target);
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
    isSecond = false,
  ): DeviceBuffer | Promise<DeviceBuffer> {
    this.#requireOpen();
    const { output, reads } = kernel;
    const length = volumeOf(output);
    if (length === 0) return this.#buffer(0, NOTHING);
    const given = reads.map((id) => handleOf(buffers(id)));
    const failed = (error: unknown): never => {
      this.#requireOpen();
      throw kernelFailed(nest.nodes, error);
    };
    try {
      const kept = this.#kernel(kernel, given);
      const result = kept.kernel(...given);
      if (result instanceof Promise)
        return result.then((handle: Handle) => this.#result(length, handle, kept), failed);
      return this.#result(length, result as Nested | Handle, kept);
    } catch (error) {
      if (isSecond || !OUT_OF_MEMORY.test(String(error))) return failed(error);
      KeptKernels.dropAll();
      return this.#run(kernel, nest, buffers, true);
    }
  }
  #result(length: number, result: Nested | Handle, kept: KeptKernel): DeviceBuffer {
    this.#requireOpen();
    if (!isHandle(result)) return this.#buffer(length, flat(result, length));
    kept.alive++;
    return this.#buffer(length, result, true, kept);
  }

  /**
   * Returns the compiled kernel; gpu.js fixes the sizes of arguments when it compiles, and how
   * textures are laid out.
   */
  #kernel(
    { source, output, functions }: KernelSource,
    given: readonly (Float32Array | Handle)[],
  ): KeptKernel {
    const key = `${output.join()};${given.map(layoutOf).join()};${source}`;
    const lengths = given.map((one) => (one instanceof Float32Array ? one.length : 0));
    const elements = lengths.reduce((total, length) => total + length, volumeOf(output));
    return this.#kernels.take(key, elements * 4, (gpu) => {
      const settings = this.target.isStrict ? {} : GL_SETTINGS;
      const injectedNative = glslOf(functions);
      return gpu.createKernel(source, {
        output,
        ...settings,
        ...(injectedNative && { injectedNative }),
      });
    });
  }

  async download(buffer: DeviceBuffer, dtype: DType, shape: readonly number[]): Promise<Tensor> {
    const own = buffer as GpujsBuffer;
    const { handle, length } = own;
    this.#requireOpen();
    if (isHandle(handle)) {
      const elements = flat(await handle.toArray!(), length);
      // Of a context that is gone zeros are read, and of what did not fit into its memory.
      const ranOut = this.#gl?.takeRanOut() === true;
      this.#requireOpen();
      if (ranOut) throw deviceRefused("out of memory", undefined, "WebGL context");
      return tensorOf(elements, dtype, shape, true);
    }
    const { isOurs } = own;
    own.isOurs = false;
    return tensorOf(handle, dtype, shape, isOurs);
  }

  keep(buffer: DeviceBuffer): void {
    const own = buffer as GpujsBuffer;
    // Tensors have this memory already, and may be written to.
    if (!isHandle(own.handle) && !own.isOurs) own.handle = own.handle.slice();
    own.isOurs = false;
  }

  free(buffer: DeviceBuffer): void {
    const own = buffer as GpujsBuffer;
    if (own.isFree || !this.#isOpen) return;
    own.isFree = true;
    this.#live.delete(own);
    this.#allocated -= own.length * ELEMENT_BYTES;
    if (isHandle(own.handle)) own.handle.delete?.();
    if (own.kernel !== undefined) this.#kernels.freed(own.kernel);
  }

  async finish(): Promise<void> {
    this.#gl?.finish();
  }

  async dispose(): Promise<void> {
    if (!this.#isOpen) return;
    for (const buffer of this.#live) this.free(buffer);
    this.#isOpen = false;
    if (this.#gl === undefined) {
      // gpu.js destroys its kernels, and the WebGL context with the first of them that is there.
      this.#kernels.forget();
      await this.#gpu.destroy();
    } else {
      this.#kernels.clear();
      this.#gl.release();
    }
    this.#allocated = 0;
  }

  #buffer(length: number, handle: Float32Array | Handle, isOurs = true, kernel?: KeptKernel): GpujsBuffer {
    this.#allocated += length * ELEMENT_BYTES;
    const buffer = new GpujsBuffer(length, length === 0 ? NOTHING : handle, isOurs, kernel);
    if (kernel !== undefined) this.#live.add(buffer);
    return buffer;
  }
  #requireOpen(): void {
    if (!this.#isOpen) throw disposed("the device");
    if (this.#gl?.isLost) throw deviceLost("the browser took it away", "WebGL context");
  }
}

const volumeOf = (extents: readonly number[]): number =>
  extents.reduce((product, extent) => product * extent, 1);
const handleOf = (buffer: DeviceBuffer): Float32Array | Handle => (buffer as GpujsBuffer).handle;
/** Returns what of an argument gpu.js compiles into a kernel. */
const layoutOf = (one: Float32Array | Handle): string =>
  one instanceof Float32Array ? String(one.length) : [one.type, ...one.size!, "of", ...one.output!].join(" ");
const isHandle = (value: unknown): value is Handle =>
  typeof value === "object" && value !== null && "toArray" in value;

/** Returns the rows of a result one after the other. */
function flat(result: Nested, length: number): Float32Array {
  if (result instanceof Float32Array) return result;
  const whole = wholeOf(result, length);
  if (whole !== undefined) return whole;
  const elements = new Float32Array(length);
  let at = 0;
  const walk = (part: Nested): void => {
    if (part instanceof Float32Array) {
      elements.set(part, at);
      at += part.length;
    } else for (const inner of part) walk(inner);
  };
  walk(result);
  return elements;
}

/**
 * Returns the memory of which the rows are parts, as gpu.js gives them where it computes in one
 * piece.
 */
function wholeOf(result: Nested, length: number): Float32Array | undefined {
  let [first, last] = [result, result];
  while (!(first instanceof Float32Array)) first = first[0]!;
  while (!(last instanceof Float32Array)) last = last.at(-1)!;
  const { buffer } = first;
  const isWhole = buffer === last.buffer && buffer.byteLength === length * 4 && first.byteOffset === 0;
  return isWhole ? new Float32Array(buffer) : undefined;
}
