/** @file All kernels, loaded with the module. */
import { CPU_KERNELS } from "./all.js";
import type { KernelSet } from "./kernel-set.js";

/** The set of all kernels. */
export const ALL_KERNELS: KernelSet = {
  table: CPU_KERNELS,
  has: () => true,
  load: () => Promise.resolve(),
};
