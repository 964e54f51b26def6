/** @file Functions of numbers, on what is known of their arguments. */
import { type Argument, isRef, isSymScalar, type MetaValue, type NodeRef, type SymScalar } from "@sconce/ir";
import { evaluateScalarFunction } from "@sconce/ops";
import type { SymEnv } from "@sconce/symbolic";

/** Returns what a function of numbers gives for the values of its arguments. */
export function scalarValue(
  target: string,
  args: readonly Argument[],
  resolve: (ref: NodeRef) => unknown,
  env: SymEnv,
): SymScalar {
  const value = (arg: Argument): unknown =>
    isRef(arg) ? resolve(arg) : Array.isArray(arg) ? (arg as readonly Argument[]).map(value) : arg;
  return evaluateScalarFunction(target, args.map(value) as SymScalar[], (size) => env.range(size));
}

/** Returns whether a power is one of an integer, and its exponent a number that is not negative. */
export function isNaturalPower(
  [base, exponent]: readonly Argument[],
  recorded: (name: string) => MetaValue | undefined,
): boolean {
  const value = isRef(base) ? recorded(base.name) : base;
  const isInteger = isSymScalar(value) ? value.kind === "SymInt" : Number.isInteger(value);
  return isInteger && Number.isInteger(exponent) && Number(exponent) >= 0;
}
