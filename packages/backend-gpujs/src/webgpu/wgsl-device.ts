/** @file Runs nests as generated compute shaders on a WebGPU device. */
import {
  bindNest,
  bytesOf,
  fixedValue,
  type LoopNest,
  type LoopProgram,
  multiply,
  type RowGroup,
  scheduleNest,
  scheduleRows,
  sortIterations,
  type Target,
} from "@sconce/codegen";
import type {
  CompileNestOptions,
  DeviceBuffer,
  DeviceKernel,
  GroupKernel,
  KernelDevice,
} from "@sconce/device-runtime";
import { internalError } from "@sconce/errors";
import type { Bindings } from "@sconce/symbolic";
import type { DType, Tensor } from "@sconce/tensor";
import { ELEMENT_BYTES, type Lane } from "../device/mode.js";
import { deviceLost, deviceRefused } from "../device/webgpu-errors.js";
import type { Translator } from "../gpujs/translator.js";
import { printWgsl, type Shader } from "../wgsl/print-wgsl.js";
import { laneOf } from "../wgsl/wgsl-text.js";
import { BindGroups } from "./bind-groups.js";
import { BufferPool } from "./buffer-pool.js";
import { GpuCore } from "./gpu-core.js";
import { pointwiseShader } from "./pointwise-shader.js";
import { wgslTarget, whyNoLane, whyNotWgsl } from "./support.js";
import { elementsOfTensor, tensorOfElements } from "./transfer.js";

/** Elements in a buffer of the device. */
export interface WgslBuffer extends DeviceBuffer {
  /** How elements lie in the buffer. */
  readonly lane: Lane;
  /** The buffer of WebGPU. */
  readonly gpu: GPUBuffer;
}

const STORAGE_USAGE = 0x80 | 0x04 | 0x08;
const UNIFORM_USAGE = 0x40 | 0x08;
/**
 * Whole vectors of four elements, as kernels may read them; an empty tensor has memory too, WebGPU
 * binds nothing of no bytes.
 */
const roundedBytes = (length: number): number => Math.max(16, Math.ceil(length / 4) * 16);

/** Measured on SwiftShader, which takes some 10 ns for an iteration on two cores. */
const SOFTWARE_ITERATIONS_PER_ELEMENT = 16;
/**
 * Measured on an H100 with scatters: 1.3 * 10^11 iterations a second, against 0.03 µs that the
 * interpreter takes for an element.
 */
const ITERATIONS_PER_ELEMENT = 4000;

/** An open device and how to close it. */
export interface OpenedGpu {
  readonly device: GPUDevice;
  readonly description: string;
  readonly isSoftware: boolean;
  close(): Promise<void>;
  /**
   * Makes gpu.js kernels of plain pointwise nests; WGSL of our own computes them too when left out.
   */
  readonly translator?: Translator | undefined;
}

/** A WebGPU device that runs kernels in WGSL. */
export class WgslDevice implements KernelDevice {
  /** Always `webgpu`. */
  readonly mode = "webgpu";
  /** The name of the adapter, for display. */
  readonly description: string;
  /** What its kernels can do. */
  readonly target: Target;
  readonly elementBytes = ELEMENT_BYTES;
  /** Iterations of inner loops that take about as long on the device as one element on the host. */
  readonly iterationsPerElement: number;
  readonly #opened: OpenedGpu;
  readonly #core: GpuCore;
  readonly #live = new Set<WgslBuffer>();
  readonly #pool: BufferPool;
  readonly #uniforms = new Map<string, GPUBuffer>();
  readonly #unwatch: () => void;
  #lost: string | undefined;

  constructor(opened: OpenedGpu, core = new GpuCore(opened.device)) {
    this.#opened = opened;
    this.#core = core;
    const { device } = opened;
    this.description = opened.description;
    this.target = wgslTarget(!opened.isSoftware, device.limits.maxStorageBuffersPerShaderStage - 1);
    this.iterationsPerElement = opened.isSoftware ? SOFTWARE_ITERATIONS_PER_ELEMENT : ITERATIONS_PER_ELEMENT;
    this.#lost = core.lost;
    this.#pool = new BufferPool(
      (size) => device.createBuffer({ size, usage: STORAGE_USAGE }),
      (buffer) => core.queue.destroy(buffer),
    );
    this.#unwatch = core.watch((why) => {
      this.#lost ??= why;
      this.#live.clear();
      this.#pool.clear();
    });
  }

  /**
   * Another on the same GPU device, with its own memory; to dispose of it leaves the GPU device
   * open.
   */
  share(translator?: Translator): WgslDevice {
    return new WgslDevice({ ...this.#opened, translator, close: async () => undefined }, this.#core);
  }
  /** Whether the GPU device is gone, or this was disposed of. */
  get isLost(): boolean {
    return this.#lost !== undefined;
  }

  /** The most bytes that one buffer holds. */
  get maxBytes(): number {
    const { maxBufferSize, maxStorageBufferBindingSize } = this.gpu.limits;
    return Math.min(maxBufferSize, maxStorageBufferBindingSize);
  }
  /** Bytes of the buffers in use. */
  get allocated(): number {
    return this.#pool.used;
  }
  /** How many buffers were given out. */
  get buffers(): number {
    return this.#live.size;
  }
  /** Bytes of freed buffers that are kept for later ones. */
  get kept(): number {
    return this.#pool.kept;
  }
  /** The device, for others who put kernels on the same buffers. */
  get gpu(): GPUDevice {
    return this.#opened.device;
  }

  /** Returns why the device cannot hold values of a dtype; undefined when it can. */
  whyNotHeld(dtype: DType): string | undefined {
    return whyNoLane(dtype);
  }

  /** Returns why the device cannot run a nest; undefined when it can. */
  whyNot(nest: LoopNest, program: LoopProgram): string | undefined {
    return whyNotWgsl(nest, program, this.target.maxReads);
  }

  /**
   * Returns the iterations of a nest of known sizes for which the device has a special algorithm,
   * or undefined.
   */
  iterationsOf(nest: LoopNest): number | undefined {
    return sortIterations(nest, this.target);
  }

  /** Copies a tensor to the device. */
  upload(tensor: Tensor): WgslBuffer {
    this.#check();
    const { lane, elements } = elementsOfTensor(tensor);
    const buffer = this.allocate(elements.length, lane);
    if (elements.length > 0) this.#core.queue.write(buffer.gpu, elements);
    return buffer;
  }

  /** Memory for so many elements, of at least `slot` bytes. */
  allocate(length: number, lane: Lane, slot = 0): WgslBuffer {
    this.#check();
    const size = Math.max(roundedBytes(length), slot);
    if (size > this.maxBytes)
      throw deviceRefused(`a buffer of ${size} bytes; the largest is ${this.maxBytes}`);
    const buffer = { length, lane, gpu: this.#pool.take(size) };
    this.#live.add(buffer);
    return buffer;
  }

  /** Compiles a nest for given sizes. */
  async compile(
    nest: LoopNest,
    program: LoopProgram,
    { sizes, slots }: CompileNestOptions,
  ): Promise<DeviceKernel> {
    this.#check();
    const slot = slots?.(nest.output);
    const buffer = program.buffers[nest.output]!;
    const length = bytesOf(buffer, sizes, 1);
    const lane = laneOf(buffer.dtype)!;
    if (length === 0) return emptyKernel(() => this.allocate(0, lane));
    const { translator } = this.#opened;
    const shader =
      (translator && pointwiseShader(nest, program, sizes, translator)) ??
      this.#shaderOf(nest, program, sizes);
    const dispatch = await this.#dispatcher(shader, shader.scratch === undefined ? 1 : 2);
    return {
      language: shader.language ?? "wgsl",
      source: shader.source,
      run: (buffers) => {
        this.#check();
        const output = this.allocate(length, lane, slot);
        const scratch = shader.scratch === undefined ? [] : [this.allocate(shader.scratch, "i32")];
        dispatch(buffers, [output, ...scratch]);
        for (const one of scratch) this.free(one);
        return output;
      },
    };
  }

  #shaderOf(nest: LoopNest, program: LoopProgram, sizes: Bindings): Shader {
    const context = { program, sizes, target: this.target };
    const { kernel, first } = scheduleNest(bindNest(nest, sizes), context);
    return { ...printWgsl(kernel), first: first && printWgsl(first) };
  }

  /**
   * Returns the one kernel of nests over the same rows, or undefined if separate kernels are
   * faster.
   */
  rowsKernel(group: RowGroup, program: LoopProgram, sizes: Bindings): GroupKernel | undefined {
    this.#check();
    const kernel = scheduleRows(group, { program, sizes, target: this.target });
    if (kernel === undefined) return undefined;
    const shader = printWgsl(kernel);
    const { reads } = shader;
    const stored = group.parts.filter(({ isStored }) => isStored);
    if (reads.length + stored.length > this.target.maxReads + 1) return undefined;
    const outputs = stored.map(({ reduce, places, nest }) => ({
      length: fixedValue(reduce === undefined ? multiply(group.rows, places) : group.rows)!,
      lane: laneOf(program.buffers[nest.output]!.dtype)!,
      id: nest.output,
    }));
    return {
      reads,
      source: { language: "wgsl", source: shader.source },
      compile: async (slots) => {
        const dispatch = await this.#dispatcher(shader, outputs.length);
        return (buffers) => {
          this.#check();
          const made = outputs.map(({ length, lane, id }) => this.allocate(length, lane, slots(id)));
          dispatch(buffers, made);
          return made;
        };
      },
    };
  }

  /** Returns what puts a shader to work on buffers. */
  async #dispatcher(
    shader: Shader,
    writes: number,
  ): Promise<(buffers: (id: number) => DeviceBuffer, outputs: readonly WgslBuffer[]) => void> {
    const [pipeline, first] = await Promise.all([
      this.#pipeline(shader, writes),
      shader.first && this.#pipeline({ ...shader, ...shader.first }, writes),
    ]);
    const uniform = shader.uniform && this.#uniform(shader.uniform);
    const layout = this.#core.layout(shader.reads.length, uniform !== undefined, writes);
    const groups = new BindGroups(this.gpu, layout);
    return (buffers, outputs) => {
      const bound = ([...shader.reads.map(buffers), ...outputs] as WgslBuffer[]).map(({ gpu }) => gpu);
      if (uniform !== undefined) bound.unshift(uniform);
      const bindings = groups.of(bound);
      if (first !== undefined) this.#core.queue.dispatch(first, bindings, shader.first!.workgroups);
      this.#core.queue.dispatch(pipeline, bindings, shader.workgroups);
    };
  }

  /**
   * Returns a few words for kernels, which live as long as this does; those of the same words share
   * them.
   */
  #uniform(words: Uint32Array): GPUBuffer {
    const key = words.join();
    let buffer = this.#uniforms.get(key);
    if (buffer === undefined) {
      buffer = this.gpu.createBuffer({ size: Math.ceil(words.length / 4) * 16, usage: UNIFORM_USAGE });
      this.#core.queue.write(buffer, words);
      this.#uniforms.set(key, buffer);
    }
    return buffer;
  }

  #pipeline(shader: Shader, writes: number): Promise<GPUComputePipeline> {
    return this.#core.pipeline(shader.source, () => this.#build(shader, writes));
  }
  async #build({ source, reads, uniform }: Shader, writes: number): Promise<GPUComputePipeline> {
    const device = this.gpu;
    const layout = device.createPipelineLayout({
      bindGroupLayouts: [this.#core.layout(reads.length, uniform !== undefined, writes)],
    });
    device.pushErrorScope("validation");
    const module = device.createShaderModule({ code: source });
    const problem = await device.popErrorScope();
    if (problem !== null) throw internalError(`WGSL: ${problem.message.split("\n")[1] ?? problem.message}`);
    try {
      return await device.createComputePipelineAsync({ layout, compute: { module, entryPoint: "main" } });
    } catch (error) {
      this.#check();
      throw deviceRefused(error instanceof Error ? error.message : String(error));
    }
  }
  /** Copies a buffer back to a tensor of this dtype and shape. */
  async download(buffer: DeviceBuffer, dtype: DType, shape: readonly number[]): Promise<Tensor> {
    this.#check();
    const { gpu, length, lane } = buffer as WgslBuffer;
    const bytes =
      length === 0 ? new ArrayBuffer(0) : await this.#waited(this.#core.queue.read(gpu, length * 4));
    return tensorOfElements(bytes, lane, dtype, shape);
  }

  /** Gives a buffer back; it may not be used afterwards. */
  free(buffer: DeviceBuffer): void {
    const mine = buffer as WgslBuffer;
    if (this.#live.delete(mine)) this.#pool.give(mine.gpu);
  }

  /** Keeps as much memory as the kernels of a region take. */
  reserve(bytes: number): void {
    this.#pool.reserve(bytes);
  }

  /** Frees the memory that is kept for the next run beyond what this run needed. */
  trim(): void {
    this.#pool.trim();
  }

  /** Resolves when the device has done all that was submitted. */
  async finish(): Promise<void> {
    this.#check();
    await this.#waited(this.#core.queue.finish());
  }

  /** Ends with the device's own loss where that is why something failed. */
  async #waited<T>(result: Promise<T>): Promise<T> {
    try {
      const value = await result;
      this.#check();
      return value;
    } catch (error) {
      this.#check();
      throw deviceRefused(error instanceof Error ? error.message : String(error));
    }
  }
  #check(): void {
    if (this.#lost !== undefined) throw deviceLost(this.#lost);
  }

  /** Frees everything that the device holds. */
  async dispose(): Promise<void> {
    this.#lost ??= "it was disposed";
    this.#unwatch();
    for (const { gpu } of this.#live) this.#core.queue.destroy(gpu);
    for (const buffer of this.#uniforms.values()) this.#core.queue.destroy(buffer);
    this.#live.clear();
    this.#pool.clear();
    this.#core.queue.trim();
    await this.#opened.close();
  }
}

const emptyKernel = (allocate: () => WgslBuffer): DeviceKernel => ({
  language: "wgsl",
  source: "",
  run: allocate,
});
