/** @file Nests as gpu.js source, one function for each. */
import {
  bindNest,
  elementKernel,
  guardFloats,
  type Kernel,
  type LoopNest,
  type LoopProgram,
  roundFloats,
} from "@sconce/codegen";
import type { Bindings } from "@sconce/symbolic";
import type { Dialect } from "./dialect.js";

/** Returns the kernel of a nest for fixed sizes, ready to be printed. */
export function gridKernel(nest: LoopNest, program: LoopProgram, sizes: Bindings, dialect: Dialect): Kernel {
  const kernel = elementKernel(bindNest(nest, sizes), program, sizes, dialect);
  if (dialect.isDouble) return roundFloats(kernel);
  return dialect.hasOwnFunctions ? guardFloats(kernel) : kernel;
}
