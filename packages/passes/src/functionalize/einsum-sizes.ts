/** @file What `einsum` asks of the sizes of its operands (`Linear.cpp` in ATen). */
import type { FakeTensor } from "@sconce/ir";
import type { IntLike } from "@sconce/symbolic";
import type { DroppedArithmetic } from "@sconce/trace";

type Sizes = ReadonlyMap<string, IntLike>;

/**
 * Returns the sizes of an operand by its labels; undefined where the labels do not name each
 * dimension.
 */
function labeled(labels: string, { shape }: FakeTensor): Sizes | undefined {
  if (labels.length !== shape.length || new Set(labels).size !== labels.length) return undefined;
  return new Map([...labels].map((label, dim) => [label, shape[dim]!]));
}

/**
 * Each size is compared with 1, or with the size that its label has. Two operands are compared once
 * more when they are multiplied.
 */
export function askEinsum(
  dropped: DroppedArithmetic,
  equation: string,
  tensors: readonly FakeTensor[],
): void {
  const inputs = equation.replaceAll(" ", "").split("->")[0]!.split(",");
  const operands = inputs.map((labels, i) => labeled(labels, tensors[i]!));
  const known = new Map<string, IntLike>();
  for (const operand of operands)
    for (const [label, size] of operand ?? []) {
      const before = known.get(label);
      dropped.differs(size, 1);
      if (before === undefined) dropped.compared([size], [1]);
      else dropped.compared([size, size], [before, 1]);
      known.set(label, size);
    }
  const [left, right] = operands;
  if (operands.length !== 2 || left === undefined || right === undefined) return;
  for (const label of known.keys()) {
    const [a, b] = [left.get(label), right.get(label)];
    for (const size of [a, b]) if (size !== undefined) dropped.differs(size, 1);
    if (a !== undefined && b !== undefined) dropped.compared([a], [b]);
  }
}
