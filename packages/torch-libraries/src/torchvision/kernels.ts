import { defineKernels } from "@sconce/backend-cpu";
import { deformConv2dKernel } from "./deform-conv2d.js";
import { nmsKernel } from "./nms.js";
import { psRoiAlignKernel } from "./ps-roi-align.js";
import { psRoiPoolKernel } from "./ps-roi-pool.js";
import { roiAlignKernel } from "./roi-align.js";
import { roiPoolKernel } from "./roi-pool.js";

export const torchvisionKernels = defineKernels([
  nmsKernel,
  roiAlignKernel,
  roiPoolKernel,
  psRoiAlignKernel,
  psRoiPoolKernel,
  deformConv2dKernel,
]);
