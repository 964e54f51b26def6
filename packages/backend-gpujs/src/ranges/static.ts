import { hasSizes, type LoopNest, type LoopProgram } from "@sconce/codegen";
import { isFloatDType } from "@sconce/tensor";
import { analyseNest, hasIntegers } from "./analyse.js";
import { ANY, point } from "./interval.js";

/**
 * Why a nest cannot be exact even on the smallest of integers: constants that float32 does not hold, floats of any size that
 * become integers. Nests of symbolic sizes are looked at when those are known.
 */
export function whyNotExact(nest: LoopNest, { buffers }: LoopProgram): string | undefined {
  if (!hasIntegers(nest) || hasSizes(nest)) return undefined;
  return analyseNest(nest, (id) => (isFloatDType(buffers[id]!.dtype) ? ANY : point(0))).problem;
}
