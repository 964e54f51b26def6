/** @file All kernels of the backend. */
import { type CoreSchema, joinTables, type TargetOf } from "@sconce/ops";
import type { AnyKernel, KernelTable } from "../kernel/kernel.js";
import { basicSet } from "./basic.js";
import { commonSet } from "./common.js";
import { specialSet } from "./special.js";

/**
 * A core overload that computes new values; the shape rule alone serves views, writes in place and
 * sizes.
 */
type Computes<S extends string> = S extends `${string} -> ${"Tensor(" | "Sym"}${string}` ? never : S;

/** Core ATen's targets that need a kernel. */
export type CoreTarget = TargetOf<Computes<CoreSchema>>;

/**
 * A kernel for each of core ATen's targets; a missing one does not compile, and the error names it.
 */
export type CoreKernels = Readonly<Record<CoreTarget, AnyKernel>>;

/** Every kernel, by target. */
export const CPU_KERNELS: KernelTable & CoreKernels = joinTables({
  basic: basicSet,
  common: commonSet,
  special: specialSet,
});
