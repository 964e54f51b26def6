/** @file Code of nests that serves all sizes: it gets them when it runs. */
import {
  bindNest,
  type LoopNest,
  type LoopProgram,
  type RowGroup,
  scheduleOpen,
  scheduleRows,
  symbolsOf,
} from "@sconce/codegen";
import type { Bindings } from "@sconce/symbolic";
import { vectorCode } from "../emit/printed-kernel.js";
import { WASM } from "../emit/target.js";
import type { KernelCode } from "../kernel-code.js";
import { convolutionKernel } from "../matrix/matrix.js";
import { openProduct } from "../matrix/open-product.js";
import type { MatrixOptions } from "../matrix/options.js";
import { matrixPlan } from "../matrix/plan.js";
import { windowKernel } from "../windows/code.js";

/** The code of one nest, or why it is made for each set of sizes. */
export function openCode(nest: LoopNest, program: LoopProgram, options: MatrixOptions): KernelCode | string {
  if (nest.hint !== undefined && nest.hint.kind !== "contraction")
    return `a ${nest.hint.kind} has code for its length`;
  if (isImage(nest, program, options)) return "a kernel of images has code for their size";
  if (matrixPlan(nest) !== undefined)
    return openProduct(nest, program, options) ?? "a product has code for its strides";
  const kernel = scheduleOpen(nest, { program, sizes: undefined, target: WASM });
  return kernel === undefined ? "its code depends on sizes" : vectorCode(kernel);
}

/** The code of nests over the same rows; undefined if separate kernels are faster. */
export function openRows(group: RowGroup, program: LoopProgram): KernelCode | undefined {
  const kernel = scheduleRows(group, { program, sizes: undefined, target: WASM });
  return kernel && vectorCode(kernel);
}

/** Sizes with which nests are looked at. */
const STAND_IN = 64;
function isImage(nest: LoopNest, program: LoopProgram, options: MatrixOptions): boolean {
  const sizes: Bindings = new Map([...symbolsOf(nest, program)].map((name) => [name, STAND_IN]));
  const bound = bindNest(nest, sizes);
  return (
    windowKernel(bound, program, options) !== undefined ||
    convolutionKernel(bound, program, sizes, options) !== undefined
  );
}
