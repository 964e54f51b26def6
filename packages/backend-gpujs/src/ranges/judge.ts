/** @file Whether a device computes a stretch of a program exactly, from what its integer inputs hold. */
import type { LoopNest, LoopProgram } from "@sconce/codegen";
import type { Integers } from "../device.js";
import { analyseNest, bitsOf, hasIntegers } from "./analyse.js";
import { type Range, rangeOfDType } from "./interval.js";

export interface Verdict {
  /** What the device cannot compute exactly. */
  readonly problem: string | undefined;
  /** Ranges of buffers, those of integer inputs with those that nests write. */
  readonly ranges: ReadonlyMap<number, Range>;
}

/** Judges nests whose sizes are bound; `inputs` are ranges of integer buffers. */
export function judge(
  nests: readonly LoopNest[],
  { buffers }: LoopProgram,
  inputs: ReadonlyMap<number, Range>,
  integers: Integers,
): Verdict {
  const ranges = new Map(inputs);
  for (const { high, low } of ranges.values())
    if (high > integers.high || low < integers.low)
      return { problem: `an input holds integers beyond ${bitsOf(integers.high)}`, ranges };
  const of = (id: number): Range => ranges.get(id) ?? rangeOfDType(buffers[id]!.dtype);
  if (!nests.some(hasIntegers)) return { problem: undefined, ranges };
  for (const nest of nests) {
    const { range, problem } = analyseNest(nest, of, integers);
    if (problem !== undefined && hasIntegers(nest))
      return { problem: `${nest.nodes.join(", ")}: ${problem}`, ranges };
    ranges.set(nest.output, range);
  }
  return { problem: undefined, ranges };
}
