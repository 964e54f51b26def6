import { hasSizes, type LoopNest, type LoopProgram } from "@sconce/codegen";
import { isFloatDType } from "@sconce/tensor";
import type { Integers } from "../device.js";
import { analyseNest, hasIntegers } from "./analyse.js";
import { ANY, point, type Range } from "./interval.js";

/**
 * Why a nest cannot be exact even on the smallest of integers: constants that float32 does not hold, floats of any size that
 * become integers. Nests of symbolic sizes are looked at when those are known.
 */
export function whyNotExact(
  nest: LoopNest,
  { buffers }: LoopProgram,
  integers: Integers,
): string | undefined {
  if (!hasIntegers(nest) || hasSizes(nest)) return undefined;
  const of = (id: number): Range => (isFloatDType(buffers[id]!.dtype) ? ANY : point(0));
  return analyseNest(nest, of, integers).problem;
}
