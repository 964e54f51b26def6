/** @file The code of a nest in known sizes. */
import type { LoopNest, LoopProgram } from "@sconce/codegen";
import type { Bindings } from "@sconce/symbolic";
import { printedKernel } from "../emit/printed-kernel.js";
import { fourierKernel } from "../fourier/code.js";
import type { KernelCode } from "../kernel-code.js";
import { matrixKernel } from "../matrix/matrix.js";
import type { MatrixOptions } from "../matrix/options.js";
import { windowKernel } from "../windows/code.js";

/**
 * Returns the code of a nest: of a Fourier transform, of windows or of a product, where it is one.
 */
export const nestCode = (
  nest: LoopNest,
  program: LoopProgram,
  sizes: Bindings,
  options: MatrixOptions,
): KernelCode =>
  fourierKernel(nest, program) ??
  windowKernel(nest, program, sizes, options) ??
  matrixKernel(nest, program, sizes, options) ??
  printedKernel(nest, program, sizes);
