/** @file The operands of bound calls: tensors, fake tensors and numbers. */
import { isSconceError } from "@sconce/errors";
import { FakeTensor } from "@sconce/ir";
import { type DType, type PromotionOperand, resultType, Tensor } from "@sconce/tensor";
import { scalarOperand } from "../rules/promote.js";
import type { ScalarArg } from "../schema/schema-types.js";

/** A tensor with values or without. */
export type AnyTensor = FakeTensor | Tensor;

/** Returns whether a value is a tensor. */
export const isTensor = (value: unknown): value is AnyTensor =>
  value instanceof Tensor || value instanceof FakeTensor;

/**
 * Returns the dtype that operands promote to. Undefined without operands, and for those that do not
 * promote, which rules refuse.
 */
export function promotedOf(operands: readonly (AnyTensor | ScalarArg)[]): DType | undefined {
  const first = operands[0];
  if (first === undefined) return undefined;
  if (isTensor(first) && operands.every((one) => isTensor(one) && one.dtype === first.dtype))
    return first.dtype;
  try {
    return resultType(operands.map(promotionOperand));
  } catch (error) {
    if (isSconceError(error)) return undefined;
    throw error;
  }
}

const promotionOperand = (operand: AnyTensor | ScalarArg): PromotionOperand =>
  isTensor(operand)
    ? { dtype: operand.dtype, rank: operand.shape.length > 0 ? "dimensioned" : "zeroDim" }
    : scalarOperand(operand);
