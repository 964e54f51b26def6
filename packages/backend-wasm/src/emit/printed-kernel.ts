/** @file Nests whose sizes are bound as code of kernels. */
import {
  type Kernel,
  type LoopNest,
  type LoopProgram,
  type RowGroup,
  scheduleNest,
  scheduleRows,
  type Vectors,
  vectorize,
} from "@sconce/codegen";
import type { Bindings } from "@sconce/symbolic";
import type { KernelCode } from "../kernel-code.js";
import { codeOf } from "./function.js";
import { withNonpositive } from "./nonpositive.js";
import { withOffsets } from "./offsets.js";
import { WASM } from "./target.js";
import { holdsFour } from "./vector/four-elements.js";
import { computesFour } from "./vector/operations.js";

const VECTORS: Vectors = { holds: holdsFour, computes: computesFour };

/** Returns the code of a kernel that computes four elements at once where it can. */
export const vectorCode = (kernel: Kernel): KernelCode =>
  codeOf(withOffsets(vectorize(withNonpositive(kernel), VECTORS)));

/** Returns the code of one nest. */
export function printedKernel(nest: LoopNest, program: LoopProgram, sizes: Bindings): KernelCode {
  const { kernel } = scheduleNest(nest, { program, sizes, target: WASM });
  return vectorCode(kernel);
}

/** Returns the code of nests over the same rows; it writes the stored parts, in order. */
export function printedRows(group: RowGroup, program: LoopProgram, sizes: Bindings): KernelCode | undefined {
  const kernel = scheduleRows(group, { program, sizes, target: WASM });
  return kernel && vectorCode(kernel);
}
