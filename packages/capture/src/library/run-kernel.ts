/**
 * @file Runs the kernel of a custom operator on tensors with values, and checks what it returns.
 */

import type { OpSchema } from "@sconce/ir";
import { type BoundArgs, resultProblem } from "@sconce/ops";
import { Tensor } from "@sconce/tensor";
import { tensorsIn, withTrace } from "@sconce/torch";
import { kernelAliasing, kernelResult } from "./errors.js";

/** A function of the user's: arguments by position, then those by name in an object. */
export type UserFunction = (...args: readonly never[]) => unknown;

/** Bound arguments as functions of the user's take them. */
export function callArguments(
  { args }: OpSchema,
  bound: BoundArgs,
  value: (bound: unknown) => unknown = (one) => one,
): unknown[] {
  const given: unknown[] = [];
  const keywords: Record<string, unknown> = {};
  for (const { name, kwargOnly } of args)
    if (kwargOnly) keywords[name] = value(bound[name]);
    else given.push(value(bound[name]));
  return Object.keys(keywords).length > 0 ? [...given, keywords] : given;
}

/**
 * Runs a kernel on bound arguments.
 *
 * @throws SconceError `KERNEL_RESULT`, `KERNEL_ALIASING`, and what the kernel throws
 */
export function runKernel(name: string, schema: OpSchema, kernel: UserFunction, bound: BoundArgs): unknown {
  const result = withTrace(undefined, () => kernel(...(callArguments(schema, bound) as never[]))) ?? null;
  const problem = resultProblem(schema, result, (value) =>
    value instanceof Tensor ? undefined : `a ${typeof value}`,
  );
  if (problem !== undefined) throw kernelResult(name, problem);
  refuseAliases(name, schema, bound, result);
  return result;
}

/**
 * Results have separate memory, unless the schema says otherwise (`check_aliasing_constraint`).
 */
function refuseAliases(name: string, { args, returns }: OpSchema, bound: BoundArgs, result: unknown): void {
  const taken = new Set<object>();
  for (const arg of args) for (const { storage } of tensorsIn(bound[arg.name])) taken.add(storage);
  const results: readonly unknown[] = returns.length === 1 ? [result] : ((result ?? []) as unknown[]);
  returns.forEach(({ alias }, i) => {
    if (alias !== undefined) return;
    for (const { storage } of tensorsIn(results[i])) {
      if (taken.has(storage)) throw kernelAliasing(name);
      taken.add(storage);
    }
  });
}
