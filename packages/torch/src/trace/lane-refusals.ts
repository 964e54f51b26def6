/** @file Calls of a trace on elements of a batch that functorch refuses. */
import { FakeTensor } from "@sconce/ir";
import { ADD_LANES, type OpDefinition, REMOVE_LANES } from "@sconce/ops";
import { visitOperands } from "@sconce/trace";
import { type LaneCall, refusedInLanes } from "./lane-verdicts.js";
import type { TraceNode } from "./trace-node.js";

/**
 * Returns the reason why a call is refused in a batch; undefined for other calls.
 *
 * @param nodeOf finds the node of a tensor
 */
export function refusedLaneCall(
  { target, schema }: OpDefinition,
  { args, kwargs }: Pick<LaneCall, "args" | "kwargs">,
  nodeOf: (tensor: FakeTensor) => TraceNode | undefined,
): string | undefined {
  const isBatched = (value: unknown): boolean =>
    value instanceof FakeTensor ? isOfLane(nodeOf(value)) : Array.isArray(value) && value.some(isBatched);
  return refusedInLanes({ target, schema, args, kwargs, isBatched });
}

/** Returns whether a value depends on an element of a batch. */
function isOfLane(from: TraceNode | undefined): boolean {
  const seen = new Set<TraceNode>();
  const open = from === undefined ? [] : [from];
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    if (node.target === ADD_LANES) return true;
    if (seen.has(node) || node.target === REMOVE_LANES) continue;
    seen.add(node);
    visitOperands(node, (operand) => open.push(operand));
  }
  return false;
}
