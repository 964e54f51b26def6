/** @file Calls of operators: recorded while a program is traced, run at once otherwise. */
import { evaluate } from "@sconce/backend-cpu";
import type { Argument } from "@sconce/ir";
import type { Tensor } from "@sconce/tensor";
import type { SymInt } from "./sym-int.js";

/** What an operator takes: tensors, sizes, and literals as graphs hold them. */
export type OperatorArgument = Tensor | SymInt | Argument | undefined | readonly OperatorArgument[];
/** What an operator gives. */
export type OperatorResult = Tensor | SymInt | number | bigint | boolean | null | readonly OperatorResult[];
/** Keyword arguments of an operator, by the names of its schema. */
export type OperatorKeywords = Readonly<Record<string, OperatorArgument>>;

/** Records the calls of one trace. */
export interface Recorder {
  call(target: string, args: readonly OperatorArgument[], kwargs: OperatorKeywords): OperatorResult;
}

let current: Recorder | undefined;

/** The running trace; undefined when operators run at once. */
export const currentTrace = (): Recorder | undefined => current;

/** Runs something whose operator calls a recorder takes. */
export function withTrace<T>(recorder: Recorder, run: () => T): T {
  const outer = current;
  current = recorder;
  try {
    return run();
  } finally {
    current = outer;
  }
}

/**
 * Calls one overload, such as `aten.add.Tensor`, with arguments in the order of its schema;
 * `undefined` stands for a default.
 *
 * @throws SconceError `UNKNOWN_OPERATOR`, and what the operator refuses
 */
export function callOperator(
  target: string,
  args: readonly OperatorArgument[],
  kwargs: OperatorKeywords = {},
): OperatorResult {
  if (current !== undefined) return current.call(target, args, kwargs);
  return evaluate(target, args as never, kwargs as never) as OperatorResult;
}
