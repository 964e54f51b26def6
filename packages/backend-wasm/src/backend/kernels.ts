/** @file Which code a nest gets. */

import type { LoopNest, LoopProgram, RowGroup } from "@sconce/codegen";
import { forEachScalar, readsOf } from "@sconce/codegen";
import type { RegionStep, RowsCode } from "@sconce/device-runtime";
import type { Bindings } from "@sconce/symbolic";
import { type DType, isComplexDType } from "@sconce/tensor";
import { printedKernel, printedRows } from "../emit/printed-kernel.js";
import type { KernelCode } from "../kernel-code.js";
import { type MatrixOptions, matrixKernel } from "../matrix/matrix.js";

/** Code of nests over the same rows. */
interface WasmRows extends RowsCode {
  readonly code: KernelCode;
}

/** Why kernels cannot compute with a dtype. */
export const whyNotHeld = (dtype: DType): string | undefined =>
  isComplexDType(dtype) || dtype.startsWith("float8")
    ? `kernels compute with integers, float16 to float64 and bools, not with ${dtype}`
    : undefined;

/** Why there is no kernel for a nest, or undefined. */
export function whyNot({ value, output }: LoopNest, { buffers }: LoopProgram): string | undefined {
  let reason: string | undefined;
  for (const id of [...readsOf(value), output]) reason ??= whyNotHeld(buffers[id]!.dtype);
  forEachScalar(value, ({ dtype }) => {
    reason ??= whyNotHeld(dtype);
  });
  return reason;
}

/** Code of nests over the same rows; undefined if separate kernels are faster. */
export function rowsCode(group: RowGroup, program: LoopProgram, sizes: Bindings): WasmRows | undefined {
  const code = printedRows(group, program, sizes);
  if (code === undefined) return undefined;
  const reads = code.memories.flatMap(({ buffer, access }) => (access === "read" ? [buffer] : []));
  return { code, reads };
}

/** The code of a step of a region. */
export function stepCode(
  { nests, rows }: RegionStep,
  program: LoopProgram,
  sizes: Bindings,
  options: MatrixOptions,
): KernelCode {
  if (rows !== undefined) return (rows as WasmRows).code;
  const nest = nests[0]!;
  return matrixKernel(nest, program, sizes, options) ?? printedKernel(nest, program, sizes);
}
