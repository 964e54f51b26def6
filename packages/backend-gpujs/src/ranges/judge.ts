/** @file Whether a device computes a region exactly, judged by the values of its integer inputs. */
import type { LoopNest, LoopProgram } from "@sconce/codegen";
import { isFloatDType } from "@sconce/tensor";
import type { Integers } from "../device.js";
import { analyzeNest, hasIntegers } from "./analyze.js";
import { ANY, point, type Range, rangeOfDType } from "./interval.js";

/** Which nests a device computes exactly, and the ranges of the values. */
export interface Verdict {
  /** Nests that the device cannot compute exactly, and why. */
  readonly problems: ReadonlyMap<LoopNest, string>;
  /** Ranges of buffers, those of the inputs with those that nests write. */
  readonly ranges: ReadonlyMap<number, Range>;
}

/**
 * Judges nests whose sizes are bound. What comes after a nest with a problem is judged by the
 * smallest integers: the nest's own are known when the host has computed them.
 *
 * @param inputs ranges of buffers that are given
 */
export function judge(
  nests: readonly LoopNest[],
  { buffers }: LoopProgram,
  inputs: ReadonlyMap<number, Range>,
  integers: Integers,
): Verdict {
  const ranges = new Map(inputs);
  const problems = new Map<LoopNest, string>();
  const rangeOf = (id: number): Range => ranges.get(id) ?? rangeOfDType(buffers[id]!.dtype);
  for (const nest of nests) {
    const { range, problem } = analyzeNest(nest, rangeOf, integers);
    const isInexact = problem !== undefined && hasIntegers(nest);
    if (isInexact) problems.set(nest, problem);
    const unknown = isFloatDType(buffers[nest.output]!.dtype) ? ANY : point(0);
    ranges.set(nest.output, isInexact ? unknown : range);
  }
  return { problems, ranges };
}
