/** @file What guards of the built-in rules ask. */
import { FakeTensor } from "@sconce/ir";
import type { EmitArg } from "@sconce/ops";
import { isFloatDType } from "@sconce/tensor";
import type { Match } from "../../rewrite/rule.js";

export const isFloating = (value: EmitArg): boolean =>
  value instanceof FakeTensor && isFloatDType(value.dtype);

/**
 * Whether `$x` may take the place of the root. The caller must not be given its own input, or a weight, as a result: what
 * it does to the result would change the other.
 */
export function mayStandFor({ root, source, graph }: Match, name = "x"): true | string {
  if (source(name)?.op !== "placeholder") return true;
  const isResult = graph.users(root.name).some((user) => user.op === "output");
  return isResult ? "an output would be the input itself" : true;
}
