/** @file What no integers that a run may bring make exact. */
import { hasSizes, type LoopNest, type LoopProgram } from "@sconce/codegen";
import { isFloatDType } from "@sconce/tensor";
import type { Integers } from "../device.js";
import { analyseNest, hasIntegers } from "./analyse.js";
import { ANY, point, type Range } from "./interval.js";

/**
 * Nests that cannot be exact even on the smallest of integers, and why: constants that float32 does not hold, floats of any
 * size that become integers. Floats that the program makes of nothing (places on a grid) have the sizes that follow.
 * Nests of symbolic sizes are looked at when those are known.
 */
export function inexactNests(
  { nests, buffers }: LoopProgram,
  integers: Integers,
): ReadonlyMap<LoopNest, string> {
  const problems = new Map<LoopNest, string>();
  if (!nests.some(hasIntegers)) return problems;
  const floats = new Map<number, Range>();
  const of = (id: number): Range => (isFloatDType(buffers[id]!.dtype) ? (floats.get(id) ?? ANY) : point(0));
  for (const nest of nests) {
    if (hasSizes(nest)) continue;
    const { range, problem } = analyseNest(nest, of, integers);
    if (problem !== undefined && hasIntegers(nest)) problems.set(nest, problem);
    floats.set(nest.output, range);
  }
  return problems;
}
