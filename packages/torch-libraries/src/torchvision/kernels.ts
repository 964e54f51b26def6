import type { KernelTable } from "@sconce/backend-cpu";
import { deformConv2dKernel } from "./deform-conv2d.js";
import { nmsKernel } from "./nms.js";
import { psRoiAlignKernel } from "./ps-roi-align.js";
import { psRoiPoolKernel } from "./ps-roi-pool.js";
import { roiAlignKernel } from "./roi-align.js";
import { roiPoolKernel } from "./roi-pool.js";
import { deformConv2d, nms, psRoiAlign, psRoiPool, roiAlign, roiPool } from "./rows.js";

export const torchvisionKernels: KernelTable = {
  [nms.target]: nmsKernel,
  [roiAlign.target]: roiAlignKernel,
  [roiPool.target]: roiPoolKernel,
  [psRoiAlign.target]: psRoiAlignKernel,
  [psRoiPool.target]: psRoiPoolKernel,
  [deformConv2d.target]: deformConv2dKernel,
};
