import { FakeTensor, type Node } from "@sconce/ir";
import type { OperatorTable } from "@sconce/ops";

/**
 * Recognizes calls that compute each element of one tensor from the elements at the same place, so
 * that they may be moved and fused: no random numbers, no effects, no views. Conversions of the
 * dtype count. Copies (`clone`) do not count: programs ask for them because of their memory layout.
 */
export function pointwiseCalls(operators: OperatorTable): (node: Node) => boolean {
  const known = new Map<string, boolean>();
  return (node) => {
    if (node.op !== "call_function" || !(node.meta.val instanceof FakeTensor)) return false;
    let allowed = known.get(node.target);
    if (allowed === undefined) {
      allowed = isPointwise(node.target, operators);
      known.set(node.target, allowed);
    }
    return allowed && (node.kwargs["memory_format"] ?? null) === null;
  };
}

function isPointwise(target: string, operators: OperatorTable): boolean {
  if (target === "aten._to_copy.default") return true;
  const row = operators.get(target);
  if (row === undefined || target === "aten.clone.default") return false;
  const { tags, schema } = row;
  if (!tags.includes("pointwise") || schema.isMutable) return false;
  if (tags.some((tag) => /^(nondeterministic_seeded|effect|maybe_aliasing_or_mutating)$/.test(tag)))
    return false;
  return schema.args.every((parameter) => parameter.alias === undefined);
}
