/**
 * @file Uses gpu.js only as a compiler from JavaScript to WGSL; the pipelines run on a device of
 * Sconce.
 */

import type { KernelSource } from "../emit/print-gpujs.js";
import { addIndexHelpers } from "./helpers.js";
import type { Gpu, GpujsLibrary } from "./library.js";

/**
 * A kernel as gpu.js writes it. Binding 0 is a uniform block of the sizes of the output, the width
 * of a dispatch, and four words for each array; the arrays come after it, the result last.
 */
export interface TranslatedKernel {
  readonly wgsl: string;
  readonly workgroupSize: readonly number[];
}

/** What is used of a kernel that gpu.js made; not in its types. */
interface MadeKernel {
  build(...args: readonly unknown[]): unknown;
  readonly compiledSource?: string | null;
  readonly workgroupSize?: readonly number[];
}
type KernelClass = new (...args: never[]) => { _buildAsync(): Promise<void> };
interface Library extends GpujsLibrary {
  readonly WebGPUKernel?: KernelClass;
}

/** Translates kernels; one for a process is enough. */
export class Translator {
  readonly #gpu: Gpu;

  private constructor(gpu: Gpu) {
    this.#gpu = gpu;
  }

  /**
   * Returns a translator, where gpu.js is one that can be used so. `navigator.gpu` has to be there.
   */
  static of(library: GpujsLibrary): Translator | undefined {
    const { GPU, WebGPUKernel } = library as Library;
    if (WebGPUKernel === undefined) return undefined;
    const gpu = new GPU({ mode: "webgpu" }) as Gpu & { Kernel: KernelClass };
    // The second half of building, on gpu.js's own device, is left out.
    gpu.Kernel = class extends WebGPUKernel {
      override async _buildAsync(): Promise<void> {}
    };
    addIndexHelpers(gpu);
    return new Translator(gpu);
  }

  /** Returns the kernel in WGSL; undefined when gpu.js cannot write it. */
  translate({ source, output, reads }: KernelSource): TranslatedKernel | undefined {
    const kernel = this.#gpu.createKernel(source, { output, pipeline: true });
    try {
      const made = kernel.kernel as unknown as MadeKernel;
      made.build(...reads.map(() => new Float32Array(1)));
      const { compiledSource, workgroupSize } = made;
      if (typeof compiledSource !== "string" || workgroupSize === undefined) return undefined;
      return { wgsl: compiledSource, workgroupSize };
    } catch {
      return undefined;
    } finally {
      const { kernels } = this.#gpu;
      const at = kernels.indexOf(kernel.kernel);
      if (at >= 0) kernels.splice(at, 1);
    }
  }
}
