/** @file Types of the operators that `torch.ops` has. */
import type { OperatorArgument } from "../trace/dispatch.js";
import type { Keywords } from "./parse-call.js";

/**
 * One overload: arguments in the order of its schema, with what is given by name in an object
 * behind them. The schema checks them when the operator is called.
 */
type OverloadFunction<Result> = (
  ...given: readonly (OperatorArgument | readonly unknown[] | Keywords)[]
) => Result;

/** The overloads of an operator with one type of result. */
export type Overloads<Names extends string, Result> = {
  readonly [Name in Names]: OverloadFunction<Result>;
};
