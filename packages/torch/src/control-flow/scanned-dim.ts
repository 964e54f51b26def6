/** @file The dimension along which scans run. */
import { Tensor, wrapDimension } from "@sconce/tensor";
import { callOperator } from "../trace/dispatch.js";
import { controlFlowArguments } from "./errors.js";
import { isSameSize, knownOf } from "./flow-call.js";

/** Returns the dimension counted from the start; all tensors have it, with one size. */
export function dimensionOf(leaves: readonly Tensor[], dim: number): number {
  const at = wrapDimension(dim, leaves[0]!.ndim);
  if (!Number.isInteger(at) || at < 0 || leaves.some(({ ndim }) => ndim <= at))
    throw controlFlowArguments(
      `All xs leaves must have at least 'dim + 1' dimensions, and dim is ${dim}`,
      "use a dimension that all tensors have",
    );
  const [first, ...others] = leaves.map((leaf) => knownOf(leaf).shape[at]!);
  for (const size of others) {
    if (isSameSize(first!, size)) continue;
    throw controlFlowArguments(
      `All xs leaves must have the same scan dimension size, and dimension ${at} has the sizes ${String(first)} and ${String(size)}`,
      "pass tensors with one size along the dimension",
    );
  }
  return at;
}

const flip = (tensor: Tensor): Tensor => callOperator("aten.flip.default", [tensor, [0]]) as Tensor;

const moveDim = (tensor: Tensor, from: number, to: number): Tensor =>
  callOperator("aten.movedim.int", [tensor, from, to]) as Tensor;

/** Tensors with the dimension in front; a reversed scan begins with the last item. */
export function toFront(
  leaves: readonly Tensor[],
  dim: number,
  reverse: boolean,
  moves: boolean,
): readonly Tensor[] {
  const front = moves ? leaves.map((leaf) => moveDim(leaf, dim, 0)) : leaves;
  return reverse ? front.map(flip) : front;
}

/** Results with the dimension where it was; leaves that are not tensors stay. */
export function fromFront(
  leaves: readonly unknown[],
  dim: number,
  reverse: boolean,
  moves: boolean,
): readonly unknown[] {
  const ordered = reverse ? leaves.map((leaf) => (leaf instanceof Tensor ? flip(leaf) : leaf)) : leaves;
  if (!moves) return ordered;
  return ordered.map((leaf) => (leaf instanceof Tensor && dim < leaf.ndim ? moveDim(leaf, 0, dim) : leaf));
}
