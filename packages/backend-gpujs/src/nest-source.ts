/** @file The kernels and the sources of nests, without a device. */
import { bindNest, type Kernel, type LoopNest, type LoopProgram, scheduleNest } from "@sconce/codegen";
import type { Bindings } from "@sconce/symbolic";
import { unknownMode } from "./device/errors.js";
import type { Mode } from "./device/mode.js";
import { dialectOf } from "./emit/dialect.js";
import { gridKernel } from "./emit/grid-kernel.js";
import { printGpujs } from "./emit/print-gpujs.js";
import { MODES } from "./modes.js";
import { wgslTarget } from "./webgpu/support.js";
import { printWgsl } from "./wgsl/print-wgsl.js";

/** A nest as a mode of gpu.js computes it. */
export interface NestSource {
  /** The nest after scheduling. */
  readonly kernel: Kernel;
  /** WGSL in mode `webgpu`, else a function in gpu.js's part of JavaScript. */
  readonly source: string;
}

/**
 * Returns the kernel and the source of a nest, to be read by people. In mode `webgpu` they are
 * those for hardware; gpu.js itself translates some pointwise nests there.
 * @param sizes values of the symbols in sizes
 * @throws SconceError `UNKNOWN_GPU_MODE`
 */
export function nestSource(
  nest: LoopNest,
  program: LoopProgram,
  mode: Mode,
  sizes: Bindings = new Map(),
): NestSource {
  if (!MODES.includes(mode)) throw unknownMode(String(mode), MODES);
  if (mode === "webgpu") {
    const { kernel } = scheduleNest(bindNest(nest, sizes), { program, sizes, target: wgslTarget(true) });
    return { kernel, source: printWgsl(kernel).source };
  }
  const dialect = dialectOf(mode);
  const kernel = gridKernel(nest, program, sizes, dialect);
  return { kernel, source: printGpujs(kernel, dialect).source };
}
