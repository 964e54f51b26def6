/** @file Code of nests that serves any number of places along their first axis. */
import { type LoopProgram, type RowGroup, rowGroups, scheduleOpen } from "@sconce/codegen";
import type { RegionRequest } from "@sconce/device-runtime";
import { printedRows, vectorCode } from "../emit/printed-kernel.js";
import { WASM } from "../emit/target.js";
import type { KernelCode } from "../kernel-code.js";
import { convolutionKernel, openProduct } from "../matrix/matrix.js";
import type { MatrixOptions } from "../matrix/options.js";
import { matrixPlan } from "../matrix/plan.js";
import { windowKernel } from "../windows/code.js";
import { type OpenNests, STAND_IN } from "./open-nest.js";

/** The code of one nest; undefined if other code is better or none serves all sizes. */
export function openCode(
  { nests, sizes, axes }: OpenNests,
  { loops }: Pick<RegionRequest, "loops">,
  options: MatrixOptions,
): KernelCode | undefined {
  const nest = nests[0]!;
  // Convolutions have code for the size of their image.
  const convolution = windowKernel(nest, loops, options) ?? convolutionKernel(nest, loops, sizes, options);
  if (convolution !== undefined) return undefined;
  if (matrixPlan(nest) !== undefined)
    return openProduct(nest, { program: loops, sizes, options }, { axis: axes[0]!, places: STAND_IN });
  const kernel = scheduleOpen(nest, { program: loops, sizes, target: WASM });
  return kernel && withUnits(vectorCode(kernel));
}

/** The code of nests over the same rows. */
export function openRows(
  group: RowGroup,
  { nests, sizes }: OpenNests,
  loops: LoopProgram,
): KernelCode | undefined {
  const [same, ...others] = rowGroups(nests, loops);
  if (same === undefined || others.length > 0 || same.parts.length !== group.parts.length) return undefined;
  const parts = same.parts.map((part, at) => ({ ...part, isStored: group.parts[at]!.isStored }));
  const code = printedRows({ ...same, parts }, loops, sizes);
  return code && withUnits(code);
}

/** Code whose units are as many for each place. */
function withUnits(code: KernelCode): KernelCode | undefined {
  const each = code.units / STAND_IN;
  if (!Number.isInteger(each)) return undefined;
  const { memories, units, scratchBytes, imports, emit } = code;
  return {
    memories,
    units,
    scratchBytes,
    imports,
    emit,
    open: { units: (places) => places * each, isGiven: false },
    get text() {
      return code.text;
    },
  };
}
