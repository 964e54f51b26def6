/** @file Calls on numbers of a batch that functorch refuses, though one number takes them. */
import { FakeTensor } from "@sconce/ir";
import { ADD_LANES, REMOVE_LANES, type UnboundArg } from "@sconce/ops";
import { visitOperands } from "@sconce/trace";
import type { TraceNode } from "./trace-node.js";

/** Returns why functorch refuses a call on a number; undefined for other calls. */
function reasonOf(target: string, [, dims]: readonly UnboundArg[]): string | undefined {
  const given = (Array.isArray(dims) ? dims : [dims]) as readonly unknown[];
  const range = "out of range (expected to be in range of [-1, 0], but got";
  if (target === "aten.flip.default") return given.length > 0 ? `Dimension ${range} 1)` : undefined;
  return /^aten\.squeeze\.dims?$/.test(target) && given.includes(-1)
    ? `Dimension is ${range} [-1])`
    : undefined;
}

/**
 * Returns the reason why a call is refused in a batch; undefined for other calls.
 *
 * @param nodeOf finds the node of a tensor
 */
export function refusedInLanes(
  target: string,
  args: readonly UnboundArg[],
  nodeOf: (tensor: FakeTensor) => TraceNode | undefined,
): string | undefined {
  const [self] = args;
  if (!(self instanceof FakeTensor) || self.ndim > 0) return undefined;
  const reason = reasonOf(target, args);
  return reason !== undefined && isOfLane(nodeOf(self)) ? reason : undefined;
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
