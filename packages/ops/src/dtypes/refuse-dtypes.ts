/**
 * @file Refuses calls by their dtypes and numbers, also those that composite operators are made of.
 */
import type { SymEnv } from "@sconce/symbolic";
import type { BoundArgs, OpDefinition } from "../rows/define-op.js";
import { dtypeMismatch, invalidArgument } from "../rows/errors.js";
import { bindArgs } from "../table/bind.js";
import { emitFrom, metaOfBound } from "../table/fake-emit.js";
import { otherName } from "../table/in-place-composites.js";
import type { OperatorRows } from "../table/operator-rows.js";
import { hasDTypeCheck, refusedDTypes } from "./refused-dtypes.js";
import { checksSettings, checksSizes, refusedSetting } from "./refused-settings.js";
import { convertsScalars, refusedScalar } from "./scalar-conversions.js";

/** A call whose dtypes are checked: its operator, and its arguments by schema name. */
export type CheckedCall = readonly [definition: OpDefinition, bound: BoundArgs];

/**
 * Refuses a call with dtypes that PyTorch's CPU kernels do not take. In-place overloads take what
 * their functional overloads take.
 *
 * @throws SconceError `DTYPE_MISMATCH`
 */
export function refuseDTypes(definition: OpDefinition, bound: BoundArgs): void {
  for (const name of judgedAs(definition)) {
    const message = refusedDTypes(name, bound);
    if (message !== undefined) throw dtypeMismatch(message);
  }
}

/** The targets whose checks calls have to pass. */
const JUDGED = new WeakMap<OpDefinition, readonly string[]>();

/** Aliases are other names of an operator, and in-place overloads take what others take. */
function judgedAs(definition: OpDefinition): readonly string[] {
  let names = JUDGED.get(definition);
  if (names === undefined) {
    const { target, functional } = definition;
    const own = functional === undefined ? [target] : [target, functional];
    names = own.flatMap((one) => [one, otherName(one) ?? []].flat());
    JUDGED.set(definition, names);
  }
  return names;
}

/**
 * Refuses a call with a number that PyTorch's CPU kernels convert to a dtype that cannot hold it:
 * 1e39 as float32.
 *
 * @throws SconceError `INVALID_ARGUMENT`
 */
export function refuseScalars(definition: OpDefinition, bound: BoundArgs): void {
  for (const name of judgedAs(definition)) {
    const message = refusedScalar(name, bound);
    if (message !== undefined) throw invalidArgument(message);
  }
}

/**
 * Refuses a call with settings or sizes that PyTorch's CPU kernels do not take.
 *
 * @throws SconceError `INVALID_ARGUMENT`
 */
export function refuseSettings(definition: OpDefinition, bound: BoundArgs): void {
  for (const name of judgedAs(definition)) {
    const message = refusedSetting(name, bound);
    if (message !== undefined) throw invalidArgument(message);
  }
}

/** Returns whether {@link refuseSettings} looks at settings of a call that no other check does. */
export const hasSettings = (definition: OpDefinition): boolean =>
  judgedAs(definition).some((name) => checksSettings(name));
/** Returns whether it looks at sizes of a call. */
export const hasSizes = (definition: OpDefinition, bound: BoundArgs): boolean =>
  judgedAs(definition).some((name) => checksSizes(name, bound));

/**
 * As {@link refuseDTypes} and {@link refuseScalars} for a call on fake tensors that is not run: a
 * composite operator that the tables do not know is judged by the calls that it is made of.
 *
 * @throws SconceError `DTYPE_MISMATCH`, and what decompositions and shape rules refuse
 */
export function refuseDTypesDeep(table: OperatorRows, [definition, bound]: CheckedCall, env: SymEnv): void {
  refuseDTypes(definition, bound);
  refuseScalars(definition, bound);
  refuseSettings(definition, bound);
  const { target, tags, decompose } = definition;
  if (decompose === undefined || !tags.includes("composite")) return;
  if (hasDTypeCheck(target) || convertsScalars(target)) return;
  const emit = emitFrom(env, (called, args, kwargs) => {
    const row = table.require(called);
    const inner = bindArgs(row.schema, args, kwargs);
    refuseDTypesDeep(table, [row, inner], env);
    return metaOfBound(table, row, inner, env);
  });
  decompose(emit, bound);
}
