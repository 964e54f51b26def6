/** @file Which processors weights of 4 bits were packed for. */
import { INT4_LAYOUTS, type Int4Layout } from "@sconce/ops";
import type { Storage, Tensor } from "@sconce/tensor";
import { invalidArgument } from "../kernel/errors.js";

/** The layouts of weights that this process packed, and of those that are declared. */
const LAYOUTS = new WeakMap<Storage, Int4Layout>();

/**
 * Says for which processor PyTorch packed a weight of 4 bits: `aten._weight_int4pack_mm_for_cpu`
 * and `aten._weight_int4pack_mm` refuse weights of files otherwise, because their bytes do not say
 * it.
 *
 * @param weight the packed tensor, as it lies in the state or the constants of a program
 * @param layout by vector instructions on CPUs (`avx512`, `avx2`, `plain` for neither, `neon` on
 * ARM), by vendor on graphics devices (`nvidia`, `amd`)
 * @throws SconceError `INVALID_ARGUMENT` for an unknown layout
 */
export function declareInt4Layout(weight: Tensor, layout: Int4Layout): void {
  if (!INT4_LAYOUTS.includes(layout))
    throw invalidArgument(`unknown layout "${layout}": the layouts are ${INT4_LAYOUTS.join(", ")}`);
  LAYOUTS.set(weight.storage, layout);
}

/** Returns the layout of a packed weight, where it is known. */
export const layoutOf = (weight: Tensor): Int4Layout | undefined => LAYOUTS.get(weight.storage);
