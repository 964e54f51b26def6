/** @file Code of nests that serves all sizes: it gets them when it runs. */
import {
  contractionOf,
  type LoopNest,
  type LoopProgram,
  type NestHint,
  outerReductions,
  type RowGroup,
  scheduleOpen,
  scheduleRows,
  symbolsOf,
} from "@sconce/codegen";
import { vectorCode } from "../emit/printed-kernel.js";
import { WASM } from "../emit/target.js";
import type { KernelCode } from "../kernel-code.js";
import { matrixKernel } from "../matrix/matrix.js";
import { openProduct } from "../matrix/open-product.js";
import type { MatrixOptions } from "../matrix/options.js";
import { phasesOf } from "../matrix/phases.js";
import { nestCode } from "./nest-code.js";
import { imageKernel, openImages, standInOf } from "./open-images.js";

/** What nests with separate algorithms are. */
const SPECIAL: Readonly<Record<NestHint["kind"], string>> = {
  contraction: "a product",
  scan: "a scan",
  rank: "a sort",
  place: "a sort",
  scatter: "a scatter",
  fourier: "a Fourier transform",
};

/** The value of symbols with which nests are looked at. */
const STAND_IN = 64;

/** Choices for code that serves all sizes. */
export interface OpenOptions extends MatrixOptions {
  /** Whether there is no code for each set of sizes: ordinary loops are better than none. */
  readonly isOnly?: boolean;
}

/** Returns the code of one nest, or why it is made for each set of sizes. */
export function openCode(nest: LoopNest, program: LoopProgram, options: OpenOptions): KernelCode | string {
  if (symbolsOf(nest, program).size === 0) return nestCode(nest, program, new Map(), options);
  const images = openImages(nest, program, options);
  if (images !== undefined) return images;
  const standIn = standInOf(nest, program, STAND_IN);
  const { isOnly = false } = options;
  if (!isOnly && isGuarded(nest) && imageKernel(standIn, program, options) !== undefined)
    return "its code is made for the size of images";
  if (!isOnly && phasesOf(standIn.nest) !== undefined)
    return "the phases of its strides are made for the size of images";
  const product = openProduct(nest, program, options);
  if (product !== undefined) return product;
  if (!isOnly && matrixKernel(standIn.nest, program, standIn.sizes, options) !== undefined)
    return "its code is made for the strides of its operands";
  const kernel = scheduleOpen(nest, { program, sizes: undefined, target: WASM });
  return kernel === undefined ? `${SPECIAL[nest.hint!.kind]} is made for its length` : vectorCode(kernel);
}
/**
 * Returns whether a nest has windows that reach over edges, or weights: ordinary loops are much
 * slower.
 */
const isGuarded = (nest: LoopNest): boolean =>
  contractionOf(nest) !== undefined ||
  [...outerReductions(nest.value)].some(({ when }) => when !== undefined);

/** Returns the code of nests over the same rows; undefined if separate kernels are faster. */
export function openRows(group: RowGroup, program: LoopProgram): KernelCode | undefined {
  const kernel = scheduleRows(group, { program, sizes: undefined, target: WASM });
  return kernel && vectorCode(kernel);
}
