import { INDEX_HELPERS } from "../emit/index-text.js";
import type { Gpu } from "./library.js";

/**
 * Makes the functions that generated kernels call known to gpu.js, with types that keep integers
 * integers.
 */
export function addIndexHelpers(gpu: Gpu): void {
  for (const { source, parameters, type = "Integer" } of INDEX_HELPERS) {
    const argumentTypes = Object.fromEntries([...parameters].map((name) => [name, type]));
    gpu.addFunction(source, { argumentTypes, returnType: "Integer" });
  }
}
