/**
 * @file Guards of the built-in rules. A value that is not a tensor has no dtype, and fails them.
 */
import { FakeTensor } from "@sconce/ir";
import type { EmitArg } from "@sconce/ops";
import { type DType, isComplexDType, isFloatDType, Tensor } from "@sconce/tensor";
import type { Captures, Match } from "../../rewrite/rule.js";

export type Guard = (captures: Captures, match: Match) => true | string;

const dtypeOf = (value: EmitArg): DType | undefined =>
  value instanceof FakeTensor ? value.dtype : undefined;

export const isFloating = (value: EmitArg): boolean => {
  const dtype = dtypeOf(value);
  return dtype !== undefined && isFloatDType(dtype);
};

/** Returns a guard that asks for the dtype of `$x`. */
export const dtypeThat =
  (allows: (dtype: DType) => boolean, refusal: string): Guard =>
  ({ x }) => {
    const dtype = dtypeOf(x);
    return dtype !== undefined && allows(dtype) ? true : `x is ${dtype ?? "no tensor"}, ${refusal}`;
  };

/**
 * Arithmetic of complex numbers multiplies and adds whole pairs, so that `x * 1` makes NaN of an
 * infinity and `x - 0` loses the sign of a zero: identities of real numbers keep no bits there.
 */
export const isReal = dtypeThat((dtype) => !isComplexDType(dtype), "not a real tensor");

/**
 * Real operands of which those that are named may be negated later. Floats only change their sign.
 * Integers wrap, so theirs must happen in the dtype of the result: -128 as int8 is itself, and -5
 * as uint8 is 251.
 */
export const negatedLater =
  (...names: readonly ("x" | "y")[]): Guard =>
  ({ x, y }, { root }) => {
    const operands = { x: dtypeOf(x), y: dtypeOf(y) };
    const result = dtypeOf(root.meta.val as EmitArg);
    for (const [name, dtype] of Object.entries(operands))
      if (dtype === undefined || isComplexDType(dtype)) return `${name} is not a real tensor`;
    const wrapped = names.find((name) => !isFloatDType(operands[name]!) && operands[name] !== result);
    return wrapped === undefined
      ? true
      : `-${wrapped} wraps as ${operands[wrapped]}, where the result is ${result}`;
  };

/** Returns whether a number is one of a dtype, to the last bit. */
export const isExactly = (number: number, dtype: DType): boolean =>
  Object.is(Number(Tensor.from([number], [1], dtype).toArray()[0]), number);
