/** @file The files that hold the kernels of the interpreter, for what bundles some of them. */
import { BASIC_FAMILIES } from "./basic.js";
import { COMMON_FAMILIES } from "./common.js";
import { SPECIAL_FAMILIES } from "./special.js";

/** Where a kernel is. */
export interface KernelFile {
  /** The file in `kernels`, without an ending: `unary-pointwise`. */
  readonly file: string;
  /** The name of the table in it: `unaryPointwiseKernels`. */
  readonly table: string;
}

const FAMILIES: readonly (readonly [string, object])[] = [
  ...Object.entries(BASIC_FAMILIES),
  ...Object.entries(COMMON_FAMILIES),
  ...Object.entries(SPECIAL_FAMILIES),
];

/** Returns the file that holds the kernel of a target; undefined without a kernel. */
export function kernelFile(target: string): KernelFile | undefined {
  const family = FAMILIES.find(([, table]) => Object.hasOwn(table, target))?.[0];
  if (family === undefined) return undefined;
  const file = family.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
  return { file, table: `${family}Kernels` };
}
