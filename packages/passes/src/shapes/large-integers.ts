/** @file Symbolic integers that have more bits than the arguments of operators. */
import { type Argument, isRef, isSymScalar, type MetaValue, type Node, type OpSchema } from "@sconce/ir";
import { argumentAt } from "@sconce/ops";
import type { IntLike, SymEnv } from "@sconce/symbolic";

/**
 * Returns whether a symbolic integer of a call may not fit 64 bits: as a number of tensors it may
 * be unsigned.
 */
export function hasLargeInteger(
  node: Node,
  schema: OpSchema,
  env: SymEnv,
  values: (name: string) => MetaValue | undefined,
): boolean {
  return schema.args.some(({ type }, at) => {
    if (!(type.base in LIMITS)) return false;
    const given = argumentAt(node, schema, at);
    const items = Array.isArray(given) ? (given as readonly Argument[]) : [given];
    return items.some((item) => {
      const value = isRef(item) ? values(item.name) : item;
      if (!isSymScalar(value) || value.kind !== "SymInt") return false;
      const { min, max } = env.range(value.expr as IntLike);
      return min < -(2 ** 63) || max >= LIMITS[type.base]!;
    });
  });
}

/** What integers are below, by the type of the argument. */
const LIMITS: Readonly<Record<string, number>> = {
  ...{ int: 2 ** 63, SymInt: 2 ** 63 },
  ...{ Scalar: 2 ** 64, Tensor: 2 ** 64 },
};
