/**
 * @file Calls that refuse some operands without elements, which no kernel would look at, or have
 * rules of their own for them.
 */
import { FakeTensor, forEachInput, type Graph } from "@sconce/ir";
import type { Bindings, IntLike } from "@sconce/symbolic";
import { knownSize } from "../memory/sizes.js";
import type { Reasons } from "../plan/program-plan.js";

/** Why the host runs such a call: it has PyTorch's error or result. */
const NOTHING = "an operand has no elements, and the call refuses some of these or has a rule for them";
/**
 * Calls that look up places, which no tensor without elements has, statistics of elements, and
 * gradients of convolutions: of no input all are zero.
 */
const REFUSES =
  /^aten\.(_unsafe_)?(index|masked_index|index_put|index_put_accumulate|index_select|index_add|index_copy|index_fill|index_reduce|gather|take|take_along_dim|put|embedding|scatter|scatter_add|scatter_reduce|masked_scatter)\.|^aten\.(_?native_batch_norm|convolution_backward\.)/;

/** A call that refuses operands without elements, and a size of one of them. */
export interface NeededSize {
  readonly node: string;
  readonly size: IntLike;
}

/** Returns the calls of a region that the host runs where one of these sizes is 0. */
export function neededSizes(graph: Graph): readonly NeededSize[] {
  const needed: NeededSize[] = [];
  for (const node of graph.nodes()) {
    if (node.op !== "call_function" || !REFUSES.test(node.target)) continue;
    forEachInput(node, (name) => {
      const { val } = graph.node(name).meta;
      if (val instanceof FakeTensor) for (const size of val.shape) needed.push({ node: node.name, size });
    });
  }
  return needed;
}

/** Returns the calls of a region that the host runs for these sizes. */
export function refusedEmpties(graph: Graph, sizes: Bindings): Reasons {
  const refused = new Map<string, string>();
  for (const { node, size } of neededSizes(graph))
    if (knownSize(size, sizes) === 0) refused.set(node, NOTHING);
  return refused;
}
