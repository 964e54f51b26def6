/** @file Results of calls that are decomposed. */
import type { MetaValue, Node } from "@sconce/ir";
import { metaOf, type OperatorTable, type Resolve } from "@sconce/ops";
import type { SymEnv } from "@sconce/symbolic";

/**
 * Computes what a call returns, where the operator has no shape rule and its decomposition runs on
 * fakes: it may make numbers that it does not return. Undefined for other operators.
 */
export function compositeResult(
  { target, args, kwargs }: Node,
  operators: OperatorTable,
  resolve: Resolve,
): ((env: SymEnv) => MetaValue) | undefined {
  const row = operators.get(target);
  if (row?.decompose === undefined || row.meta !== undefined) return undefined;
  return (env) => metaOf(operators, target, args, kwargs, env, resolve);
}
