/** @file What calls cost in a branch that may be computed for nothing. */
import { isFloatDType } from "@sconce/tensor";
import { COMPARE } from "../ir/scalar-functions.js";
import type { CallScalar } from "../ir/terms.js";

/** Functions of few operations. */
const CHEAP: ReadonlySet<string> = new Set([
  "add",
  "sub",
  "mul",
  "fma",
  "neg",
  "and",
  "or",
  "not",
  ...COMPARE,
]);
/** Operations of a function, as far as a branch counts them. */
const FUNCTION_COST = 4;

/** Operations of a call without its operands; infinite if it may fail. */
export function operationsOfCall(call: CallScalar): number {
  if (mayTrap(call)) return Number.POSITIVE_INFINITY;
  return CHEAP.has(call.fn) ? 1 : FUNCTION_COST;
}

const DIVISIONS: ReadonlySet<string> = new Set(["floor_div", "trunc_div", "remainder", "fmod"]);
/**
 * Returns whether it divides integers and the divisor may be zero, which a choice may have ruled
 * out.
 */
const mayTrap = ({ fn, args, dtype }: CallScalar): boolean =>
  DIVISIONS.has(fn) &&
  !isFloatDType(dtype) &&
  !(args[1]!.kind === "constant" && Number(args[1]!.value) !== 0);
