/** @file Types of the parts of gpu.js that Sconce uses, and its loader. */
import { isSconceError } from "@sconce/errors";
import { noGpujs } from "../device/errors.js";

/** A compiled kernel. */
export interface Kernel {
  (...args: readonly unknown[]): unknown;
  destroy(removeCanvas?: boolean): void;
  readonly kernel: { readonly constructor: { readonly mode?: string } };
}
export interface KernelSettings {
  readonly output: readonly number[];
  readonly pipeline?: boolean;
  readonly immutable?: boolean;
  readonly tactic?: "precision";
  readonly loopMaxIterations?: number;
  /** Text of the shading language that comes before the kernel. */
  readonly injectedNative?: string;
}
export interface Gpu {
  createKernel(source: string, settings: KernelSettings): Kernel;
  addFunction(
    source: string,
    settings: { readonly argumentTypes: Readonly<Record<string, string>>; readonly returnType: string },
  ): unknown;
  addNativeFunction(
    name: string,
    source: string,
    settings: { readonly argumentTypes: Readonly<Record<string, string>>; readonly returnType: string },
  ): unknown;
  destroy(): Promise<void> | void;
  /** All kernels that were made and not taken out again. */
  readonly kernels: unknown[];
}
/** The package. */
export interface GpujsLibrary {
  readonly GPU: {
    new (settings: { readonly mode: string; readonly canvas?: unknown; readonly context?: unknown }): Gpu;
    readonly isWebGL2Supported: boolean;
    readonly isHeadlessGLSupported: boolean;
  };
}

/** Loads gpu.js. @throws SconceError `NO_GPUJS` */
export async function loadGpujs(
  load: () => Promise<unknown> = () => import("gpu.js"),
): Promise<GpujsLibrary> {
  try {
    const module = (await load()) as GpujsLibrary & { readonly default?: GpujsLibrary };
    const library = module.GPU === undefined ? module.default : module;
    if (library?.GPU === undefined) throw noGpujs(undefined);
    return library;
  } catch (error) {
    throw isSconceError(error) ? error : noGpujs(error);
  }
}
