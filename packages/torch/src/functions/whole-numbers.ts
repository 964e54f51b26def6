/**
 * @file Whole numbers that alone decide the dtype of a result. Python distinguishes `-1e9` from
 * `-1000000000`, and JavaScript does not: such a call would be int64 where PyTorch's is float32.
 */
import { isIntegralDType, Tensor } from "@sconce/tensor";
import type { OperatorArgument } from "../trace/dispatch.js";
import { ambiguousNumber } from "./errors.js";

/**
 * From here on float32 does not hold all integers. Counts, ids and sizes are less; larger numbers
 * are mostly fillers of masks, which Python's users write as floats.
 */
const LARGE = 2 ** 24;

/** Returns whether a number may be a float of Python; those beyond int64 are floats in any case. */
const isAmbiguous = (value: unknown): value is number =>
  typeof value === "number" && Number.isInteger(value) && Math.abs(value) >= LARGE && isInt64(value);

const isInt64 = (value: number): boolean => value >= -(2 ** 63) && value < 2 ** 63;

/** Refuses a large whole number that decides the dtype of a tensor. */
export function refuseAmbiguous(name: string, value: unknown): void {
  if (isAmbiguous(value)) throw ambiguousNumber(name, value);
}

/**
 * Refuses a call of `torch.full` or `torch.where` whose dtype such a number decides.
 *
 * @param operator the operator's name: `full`
 * @param values the arguments by the names of its schema
 */
export function refuseAmbiguousCall(
  name: string,
  operator: string,
  values: ReadonlyMap<string, OperatorArgument>,
): void {
  if (operator === "full" && (values.get("dtype") ?? null) === null)
    refuseAmbiguous(name, values.get("fill_value"));
  if (operator !== "where") return;
  const operands = [values.get("self"), values.get("other")];
  if (operands.every(isInteger)) for (const operand of operands) refuseAmbiguous(name, operand);
}

const isInteger = (value: unknown): boolean =>
  value instanceof Tensor
    ? isIntegralDType(value.dtype, true)
    : typeof value === "bigint" || (typeof value === "number" && Number.isInteger(value));
