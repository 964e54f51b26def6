import { isSconceError } from "@sconce/errors";
import { FakeTensor, type MetaValue } from "@sconce/ir";
import type { SymEnv } from "@sconce/symbolic";
import type { BoundArgs, OpDefinition } from "../rows/define-op.js";
import type { Emit, EmitArg } from "../rows/emit.js";
import { decompositionThrew, operatorWithoutMeta, resultKind } from "../rows/errors.js";
import { refusedCall } from "../rows/refused-call.js";
import { isOutOfMemory } from "../rows/results.js";
import { askLayout, hasReferenceView } from "../rules/view-reference.js";
import { bindArgs, type Resolve } from "./bind.js";
import type { OperatorRows } from "./operator-rows.js";

/**
 * Returns the fake result of a call: the operator's meta rule, or its decomposition run on fakes
 * when it has none.
 *
 * Arguments are as nodes hold them, with fake tensors and symbolic values in place of references
 * (or references, when `resolve` is given).
 *
 * @throws SconceError `UNKNOWN_OPERATOR`, those of binding, and those of the rule
 */
export function metaOf(
  table: OperatorRows,
  target: string,
  args: readonly unknown[],
  kwargs: Readonly<Record<string, unknown>>,
  env: SymEnv,
  resolve?: Resolve,
): MetaValue {
  const row = table.require(target);
  return metaOfBound(table, row, bindArgs(row.schema, args, kwargs, resolve), env);
}

/** As {@link metaOf}, of arguments that are bound already. */
export function metaOfBound(
  table: OperatorRows,
  row: OpDefinition,
  bound: BoundArgs,
  env: SymEnv,
  isInPlace = false,
): MetaValue {
  try {
    if (row.meta !== undefined) {
      const result = row.meta(bound, isInPlace ? { env, isInPlace } : { env });
      if (row.schema.isView && !row.tags.includes("composite")) askLayouts(result, env);
      return result;
    }
    if (row.decompose !== undefined) return row.decompose(fakeEmit(table, env), bound);
  } catch (error) {
    throw refusedCall(
      isSconceError(error) || isOutOfMemory(error) ? error : decompositionThrew(error),
      row,
      bound,
    );
  }
  throw operatorWithoutMeta(row.target);
}

/**
 * Asks for the layouts of the views that a call gives, without guards: PyTorch does when it makes
 * the entry of its cache of fake tensors, and views with sizes of data have none.
 */
function askLayouts(result: MetaValue, env: SymEnv): void {
  if (!env.askQuietly) return;
  if (Array.isArray(result)) for (const item of result as readonly MetaValue[]) askLayouts(item, env);
  else if (result instanceof FakeTensor && hasReferenceView(result, [])) askLayout(result, env);
}

/** Returns an emitter that only computes fake results. */
export function fakeEmit(table: OperatorRows, env: SymEnv): Emit {
  return emitFrom(env, (target, args, kwargs) => metaOf(table, target, args, kwargs, env));
}

/** Makes the three forms of an emitter from the general one. */
export function emitFrom(
  env: SymEnv,
  value: (target: string, args: readonly EmitArg[], kwargs: Readonly<Record<string, EmitArg>>) => MetaValue,
): Emit {
  const call = (target: string, args: readonly EmitArg[], kwargs: Readonly<Record<string, EmitArg>> = {}) =>
    value(target, args, kwargs);
  const one = (
    target: string,
    args: readonly EmitArg[],
    kwargs?: Readonly<Record<string, EmitArg>>,
  ): FakeTensor => {
    const result = call(target, args, kwargs);
    if (result instanceof FakeTensor) return result;
    throw resultKind(target, "one tensor");
  };
  const many = (target: string, args: readonly EmitArg[], kwargs?: Readonly<Record<string, EmitArg>>) => {
    const result = call(target, args, kwargs);
    if (Array.isArray(result)) return result as readonly FakeTensor[];
    throw resultKind(target, "several tensors");
  };
  return Object.assign(one, { many, value: call, env });
}
