/** @file Which code a nest gets. */

import type { LoopNest, LoopProgram, RowGroup } from "@sconce/codegen";
import { forEachScalar, readsOf } from "@sconce/codegen";
import type { RegionRequest, RegionStep, RowsCode } from "@sconce/device-runtime";
import type { Bindings } from "@sconce/symbolic";
import { type DType, isComplexDType } from "@sconce/tensor";
import type { Kernels } from "../device/device.js";
import { printedKernel, printedRows } from "../emit/printed-kernel.js";
import type { KernelCode } from "../kernel-code.js";
import { matrixKernel } from "../matrix/matrix.js";
import type { MatrixOptions } from "../matrix/options.js";
import { windowKernel } from "../windows/code.js";

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
function whyNot({ value, output }: LoopNest, { buffers }: LoopProgram): string | undefined {
  let reason: string | undefined;
  for (const id of [...readsOf(value), output]) reason ??= whyNotHeld(buffers[id]!.dtype);
  forEachScalar(value, ({ dtype }) => {
    reason ??= whyNotHeld(dtype);
  });
  return reason;
}

/** Code of nests over the same rows; undefined if separate kernels are faster. */
function rowsCode(group: RowGroup, program: LoopProgram, sizes: Bindings): WasmRows | undefined {
  const code = printedRows(group, program, sizes);
  if (code === undefined) return undefined;
  const reads = code.memories.flatMap(({ buffer, access }) => (access === "read" ? [buffer] : []));
  return { code, reads };
}

/** What the engine has, and what was asked for. */
type Choices = Required<Pick<MatrixOptions, "relaxed" | "winograd">>;

/** The code of a step of a region: of a product in blocks where it is one. */
function stepCode({ nests, rows }: RegionStep, request: RegionRequest, choices: Choices): KernelCode {
  const { loops, sizes, constants } = request;
  if (rows !== undefined) return (rows as WasmRows).code;
  const nest = nests[0]!;
  const options = { ...choices, isConstant: (id: number) => constants.has(id) };
  return (
    windowKernel(nest, loops, options) ??
    matrixKernel(nest, loops, sizes, options) ??
    printedKernel(nest, loops, sizes)
  );
}

/** What makes kernels for an engine. */
export const kernelsFor = ({ relaxed, winograd }: Choices): Kernels => ({
  whyNotHeld,
  whyNot,
  rowsCode,
  make: (step, request) => stepCode(step, request, { relaxed, winograd }),
});
