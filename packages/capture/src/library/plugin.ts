/** @file Custom operators as a plugin of a session. */
import { describeValue } from "@sconce/errors";
import { defaultOperators, type OpDefinition, type OperatorTable } from "@sconce/ops";
import { registrationOf } from "./custom-op.js";
import { notCustomOp } from "./errors.js";

/** What runs a custom operator, on its arguments by the names of its schema. */
type OperatorKernel = (args: Readonly<Record<string, unknown>>, context: never) => unknown;

/** A plugin of operators: what {@link plugin} returns. */
export interface OperatorPlugin {
  /** The name that errors and reports use. */
  readonly name: string;
  /** The operators. */
  readonly ops: readonly OpDefinition[];
  /** What runs them, by target. */
  readonly kernels: Readonly<Record<string, OperatorKernel>>;
}

function registered(what: string, ops: readonly unknown[]) {
  return ops.map((op) => {
    const registration = registrationOf(op);
    if (registration === undefined) throw notCustomOp(what, describeValue(op));
    return registration;
  });
}

/**
 * Makes a plugin of custom operators, with what is registered for them now: a session with it
 * loads, lowers and runs programs that call them. `plugin` of a plugin with more parts spreads it:
 * `{ ...library.plugin("mylib", [sin]), passes }`.
 *
 * @throws SconceError `CUSTOM_OP` for a value that is not a custom operator
 */
export function plugin(name: string, ops: readonly unknown[]): OperatorPlugin {
  const all = registered("library.plugin", ops);
  return {
    name,
    ops: all.map(({ definition }) => definition),
    kernels: Object.fromEntries(all.map((one) => [one.schema.target, (bound) => one.runBound(bound)])),
  };
}

/**
 * Returns the operators of Sconce with custom ones, for functions that take operators:
 * `runDecompositions(program, undefined, { operators: library.operators([sin]) })`.
 *
 * @throws SconceError `CUSTOM_OP` for a value that is not a custom operator
 */
export const operators = (ops: readonly unknown[]): OperatorTable =>
  defaultOperators().extend(registered("library.operators", ops).map(({ definition }) => definition));
