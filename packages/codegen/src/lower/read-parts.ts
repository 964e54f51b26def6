/** @file Calls that divide a tensor into many parts, of which few are read. */

import { FakeTensor, type Graph, isRef, type Node, type NodeRef, rebuild } from "@sconce/ir";
import { wrapDimension } from "@sconce/tensor";

/** Parts from which a call is looked at. */
const MANY_PARTS = 16;
/** How many parts there are for each that is read. */
const UNREAD = 4;

/** A dimension of a tensor, and where the parts along it start and end. */
interface Division {
  readonly self: NodeRef;
  readonly dim: number;
  /** One more than there are parts. */
  readonly bounds: readonly number[];
}

/**
 * Returns the graph with slices in place of the parts of a tensor, where few of many are read.
 * Writes to n parts are lowered to n calls with n results each, of which one is read.
 */
export function withReadParts(graph: Graph): Graph {
  const divisions = new Map<string, Division>();
  const known = new WeakMap<object, readonly number[]>();
  return rebuild(graph, (node) => {
    if (node.target === "operator.getitem") {
      const [source, at] = node.args as readonly [NodeRef, number];
      const division = divisions.get(source.name);
      return division === undefined || sliceOf(node, division, at);
    }
    const division = divisionOf(node, graph, known);
    if (division === undefined) return true;
    divisions.set(node.name, division);
    return false;
  });
}

const sliceOf = (node: Node, { self, dim, bounds }: Division, at: number): Node => ({
  ...node,
  target: "aten.slice.Tensor",
  args: [self, dim, bounds[at]!, bounds[at + 1]!],
});

function divisionOf(
  node: Node,
  graph: Graph,
  known: WeakMap<object, readonly number[]>,
): Division | undefined {
  const { name, target, args, kwargs, meta } = node;
  if (target !== "aten.split_with_sizes.default" && target !== "aten.split.Tensor") return undefined;
  const parts = meta.val;
  if (!Array.isArray(parts) || parts.length < MANY_PARTS || !fewAreRead(name, graph, parts.length))
    return undefined;
  const self = args[0] ?? kwargs["self"] ?? null;
  const dim = args[2] ?? kwargs["dim"] ?? 0;
  const base = isRef(self) ? graph.node(self.name).meta.val : undefined;
  if (!isRef(self) || typeof dim !== "number" || !(base instanceof FakeTensor)) return undefined;
  const along = wrapDimension(dim, base.ndim);
  const bounds = known.get(parts) ?? boundsOf(parts, along);
  if (bounds.at(-1) !== base.shape[along]) return undefined;
  known.set(parts, bounds);
  return { self, dim: along, bounds };
}

/** Returns whether calls read single parts alone, and few of them. */
function fewAreRead(name: string, graph: Graph, parts: number): boolean {
  const users = graph.users(name);
  return (
    users.length * UNREAD <= parts &&
    users.every(({ op, target, args: [, at], meta }) => {
      const isPick = op === "call_function" && target === "operator.getitem" && typeof at === "number";
      return isPick && at >= 0 && at < parts && meta.val instanceof FakeTensor;
    })
  );
}

/** Where parts start, and the last one ends; empty where a size is not a number. */
function boundsOf(parts: readonly unknown[], dim: number): readonly number[] {
  const bounds = [0];
  for (const part of parts) {
    const size = part instanceof FakeTensor ? part.shape[dim] : undefined;
    if (typeof size !== "number") return [];
    bounds.push(bounds.at(-1)! + size);
  }
  return bounds;
}
