/** @file Which code a nest gets. */
import type { DType } from "@sconce/tensor";
import { isComplexDType } from "@sconce/tensor";
import type { Features } from "@sconce/wasm";
import type { Kernels } from "../device/device.js";

export const whyNotHeld = (dtype: DType): string | undefined =>
  isComplexDType(dtype) ? `kernels have no ${dtype}` : undefined;

export const kernelsFor = (features: Features): Kernels => ({
  whyNotHeld,
  whyNot: () => undefined,
  make: () => {
    throw new Error(`no printer ${features}`);
  },
});
