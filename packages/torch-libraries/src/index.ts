/** @file Operators of the libraries around PyTorch, as a plugin. */
import { defineKernels } from "@sconce/backend-cpu";
import { joinTables } from "@sconce/ops";
import type { Plugin } from "@sconce/passes";
import { torchvisionKernels } from "./torchvision/kernels.js";
import { torchvisionOps } from "./torchvision/rows.js";
import { groupedMm, groupedMmKernel } from "./transformers/grouped-mm.js";

/**
 * Operators of torchvision (`nms`, `roi_align`, `roi_pool`, `ps_roi_align`, `ps_roi_pool`,
 * `deform_conv2d`) and transformers (`grouped_mm_fallback`): schemas, shape rules and kernels. Give
 * it to `createSconce({ plugins: [torchLibraries] })`.
 */
export const torchLibraries: Plugin = Object.freeze({
  name: "torch-libraries",
  ops: [...torchvisionOps, groupedMm],
  kernels: joinTables({ torchvision: torchvisionKernels, transformers: defineKernels([groupedMmKernel]) }),
});

export default torchLibraries;
