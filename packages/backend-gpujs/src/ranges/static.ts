/** @file Finds nests that are inexact or out of bounds for every integer input. */
import { bindNest, hasSizes, type LoopNest, type LoopProgram } from "@sconce/codegen";
import { eachInPieces, isSconceError, type Work } from "@sconce/errors";
import type { Bindings } from "@sconce/symbolic";
import { isFloatDType } from "@sconce/tensor";
import type { Integers } from "../device.js";
import { analyzeNest, hasIntegers } from "./analyze.js";
import { ANY, point, type Range } from "./interval.js";

/**
 * Nests that cannot be exact even on the smallest of integers, and why: constants that float32 does
 * not hold, floats of any size that become integers. Floats that the program makes of nothing
 * (places on a grid) have the sizes that follow. Nests of symbolic sizes are looked at for the
 * sizes of the example, and those without one when sizes are known.
 */
export function* inexactNests(
  { nests, buffers }: LoopProgram,
  integers: Integers,
  examples: Bindings,
): Work<ReadonlyMap<LoopNest, string>> {
  const problems = new Map<LoopNest, string>();
  if (!nests.some(hasIntegers)) return problems;
  const floats = new Map<number, Range>();
  const rangeOf = (id: number): Range =>
    isFloatDType(buffers[id]!.dtype) ? (floats.get(id) ?? ANY) : point(0);
  yield* eachInPieces(nests, (nest) => {
    const bound = boundTo(nest, examples);
    if (bound === undefined) return;
    const { range, problem } = analyzeNest(bound, rangeOf, integers);
    if (problem !== undefined && hasIntegers(nest)) problems.set(nest, problem);
    floats.set(nest.output, range);
  });
  return problems;
}

/** The nest for these sizes; undefined where it has others. */
function boundTo(nest: LoopNest, sizes: Bindings): LoopNest | undefined {
  if (!hasSizes(nest)) return nest;
  try {
    return bindNest(nest, sizes);
  } catch (error) {
    if (isSconceError(error, "SYM_UNBOUND")) return undefined;
    throw error;
  }
}
