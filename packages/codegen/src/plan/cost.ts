/** @file What nests cost, counted from their expressions. */
import type { Bindings } from "@sconce/symbolic";
import { sizeOf } from "../evaluate/evaluate.js";
import type { LoopNest, LoopProgram } from "../ir/loop-program.js";
import { partsOf, type Scalar } from "../ir/scalar.js";
import { readsOf } from "../ir/traverse.js";
import { bytesOf } from "./memory-plan.js";

/** What a nest costs to run. */
export interface NestCost {
  /**
   * Arithmetic on values, one for each function; index arithmetic, comparisons of indices and
   * copies are not counted.
   */
  readonly flops: number;
  /** Buffers read and written, each once. */
  readonly bytes: number;
}

/** Returns the cost of one nest for these sizes. */
export function costOf(program: LoopProgram, nest: LoopNest, sizes: Bindings = new Map()): NestCost {
  const elements = nest.axes.reduce((total, { extent }) => total * sizeOf(extent, sizes), 1);
  const buffers = [nest.output, ...readsOf(nest.value)];
  return {
    flops: elements * operationsOf(nest.value, sizes),
    bytes: buffers.reduce((total, id) => total + bytesOf(program.buffers[id]!, sizes), 0),
  };
}

/** Returns the cost of several nests. */
export function totalCost(program: LoopProgram, nests: readonly LoopNest[], sizes?: Bindings): NestCost {
  let [flops, bytes] = [0, 0];
  for (const nest of nests) {
    const cost = costOf(program, nest, sizes);
    flops += cost.flops;
    bytes += cost.bytes;
  }
  return { flops, bytes };
}

/** Operations of one element; what is shared is counted once. */
function operationsOf(root: Scalar, sizes: Bindings): number {
  const seen = new Set<Scalar>();
  const isOfIndices = ofIndices();
  const count = (scalar: Scalar): number => {
    if (seen.has(scalar)) return 0;
    seen.add(scalar);
    const parts = partsOf(scalar).reduce((total, part) => total + count(part), 0);
    if (scalar.kind === "reduce") {
      const times = scalar.axes.reduce((total, { extent }) => total * sizeOf(extent, sizes), 1);
      return times * (parts + 1);
    }
    return parts + (scalar.kind === "call" && !scalar.args.every(isOfIndices) ? 1 : 0);
  };
  return count(root);
}
/** Returns whether a value depends on where the element is and on nothing that is computed. */
function ofIndices(): (scalar: Scalar) => boolean {
  const known = new Map<Scalar, boolean>();
  const isOfIndices = (scalar: Scalar): boolean => {
    if (scalar.kind !== "call") return scalar.kind === "index" || scalar.kind === "constant";
    let found = known.get(scalar);
    if (found === undefined) {
      found = scalar.args.every(isOfIndices);
      known.set(scalar, found);
    }
    return found;
  };
  return isOfIndices;
}
