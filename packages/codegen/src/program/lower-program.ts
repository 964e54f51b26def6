/**
 * @file Whole programs: regions of calls that lower to loops, the rest as calls that stay with an
 * interpreter.
 */
import type { ExportedProgram } from "@sconce/ir";
import { type AskedBackend, type NotTaken, partition } from "@sconce/passes";
import type { LoopProgram } from "../ir/loop-program.js";
import { type LowerToLoopsOptions, lowerToLoops, whyNotLowered } from "../lower/lower.js";
import { blockScans } from "../transform/block-scans.js";
import { withoutProvedAssertions } from "./assertions.js";
import { withRealDTypes } from "./real-dtypes.js";

/**
 * Passes that prepare an exported program for loops; results do not change. Loops need no values of
 * state: a constant that is folded from state without values has none either.
 */
export const LOOP_PIPELINE =
  "decompose,fold-batch-norm{missing-values=keep},fold-constants{missing-values=keep},canonicalize,cse,dce";

/** A part of a program as loops. */
export interface LoweredRegion {
  /** Target of the nested graph in {@link LoweredProgram.program}. */
  readonly name: string;
  /** The loop nests of the region. */
  readonly loops: LoopProgram;
}
/** A program split into regions of loops and calls that the interpreter runs. */
export interface LoweredProgram {
  /** The program with each region behind an `invoke_subgraph`. */
  readonly program: ExportedProgram;
  /** The regions, in the order in which they run. */
  readonly regions: readonly LoweredRegion[];
  /** Calls that stay outside, with reasons. */
  readonly left: readonly NotTaken[];
}

/**
 * Lowers the calls of a program that have loops, after {@link LOOP_PIPELINE}. Scans of long rows
 * are computed in blocks.
 * @throws SconceError `NOT_FUNCTIONAL`
 */
export function lowerProgram(program: ExportedProgram, options: LowerToLoopsOptions): LoweredProgram {
  const { operators } = options;
  const checked = withoutProvedAssertions(withRealDTypes(program), operators);
  const parts = partition(checked, loopsBackend(options), operators);
  const regions = parts.regions.map(({ name, graph }) => ({
    name,
    loops: blockScans(lowerToLoops(graph, options)),
  }));
  return { program: parts.program, regions, left: parts.left };
}

/** For the partition pass: supports the calls that lower to loops. */
const loopsBackend = (options: LowerToLoopsOptions): AskedBackend => ({
  name: "loops",
  supports: (node, graph) => {
    const reason = whyNotLowered(node, graph, options);
    return reason === undefined ? true : { reason };
  },
});
