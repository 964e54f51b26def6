/** @file Refuses calls by their dtypes, also those that composite operators are made of. */
import type { SymEnv } from "@sconce/symbolic";
import type { BoundArgs, OpDefinition } from "../rows/define-op.js";
import { dtypeMismatch } from "../rows/errors.js";
import { bindArgs } from "../table/bind.js";
import { emitFrom, metaOfBound } from "../table/fake-emit.js";
import type { OperatorRows } from "../table/operator-rows.js";
import { hasDTypeCheck, refusedDTypes } from "./refused-dtypes.js";

/** A call whose dtypes are checked: its operator, and its arguments by schema name. */
export type CheckedCall = readonly [definition: OpDefinition, bound: BoundArgs];

/**
 * Refuses a call with dtypes that PyTorch's CPU kernels do not take. In-place overloads take what
 * their functional overloads take.
 *
 * @throws SconceError `DTYPE_MISMATCH`
 */
export function refuseDTypes({ target, functional }: OpDefinition, bound: BoundArgs): void {
  const message =
    refusedDTypes(target, bound) ?? (functional === undefined ? undefined : refusedDTypes(functional, bound));
  if (message !== undefined) throw dtypeMismatch(message);
}

/**
 * As {@link refuseDTypes} for a call on fake tensors that is not run: a composite operator that the
 * table does not know is judged by the calls that it is made of.
 *
 * @throws SconceError `DTYPE_MISMATCH`, and what decompositions and shape rules refuse
 */
export function refuseDTypesDeep(table: OperatorRows, [definition, bound]: CheckedCall, env: SymEnv): void {
  refuseDTypes(definition, bound);
  const { target, tags, decompose } = definition;
  if (decompose === undefined || !tags.includes("composite") || hasDTypeCheck(target)) return;
  const emit = emitFrom(env, (called, args, kwargs) => {
    const row = table.require(called);
    const inner = bindArgs(row.schema, args, kwargs);
    refuseDTypesDeep(table, [row, inner], env);
    return metaOfBound(table, row, inner, env);
  });
  decompose(emit, bound);
}
