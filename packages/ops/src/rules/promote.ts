/** @file Type promotion of operands: tensors with dimensions, 0-d tensors, Python numbers. */
import { FakeTensor } from "@sconce/ir";
import {
  complexDType,
  type DType,
  type DTypeKind,
  dtypeInfo,
  type PromotionOperand,
  realDType,
  resultType,
} from "@sconce/tensor";
import type { ScalarArg } from "../schema/schema-types.js";

/** What takes part in promotion: a tensor, or a Python number in its place. */
export type Operand = FakeTensor | ScalarArg;

const NUMBER_OF_KIND: Readonly<Record<DTypeKind, PromotionOperand>> = {
  bool: { dtype: "bool", rank: "wrappedNumber" },
  int: { dtype: "int64", rank: "wrappedNumber" },
  float: { dtype: "float64", rank: "wrappedNumber" },
  complex: { dtype: "complex128", rank: "wrappedNumber" },
};

/** Returns the kind of a Python number. */
export function scalarKind(value: ScalarArg): DTypeKind {
  if (typeof value === "boolean") return "bool";
  if (typeof value === "bigint") return "int";
  if (typeof value === "number") return Number.isInteger(value) ? "int" : "float";
  switch (value.kind) {
    case "complex":
      return "complex";
    case "SymInt":
      return "int";
    case "SymBool":
      return "bool";
    default:
      return "float";
  }
}

/** Returns the dtype that an elementwise operator computes in (`torch.result_type`). */
export function promoteOperands(operands: readonly Operand[]): DType {
  const first = operands[0];
  if (
    first instanceof FakeTensor &&
    operands.every((x) => x instanceof FakeTensor && x.dtype === first.dtype)
  ) {
    return first.dtype;
  }
  return resultType(operands.map(promotionOperand));
}

/** Returns a Python number as promotion sees it. */
export const scalarOperand = (value: ScalarArg): PromotionOperand => NUMBER_OF_KIND[scalarKind(value)];

function promotionOperand(operand: Operand): PromotionOperand {
  if (!(operand instanceof FakeTensor)) return scalarOperand(operand);
  return { dtype: operand.dtype, rank: operand.shape.length > 0 ? "dimensioned" : "zeroDim" };
}

const isWhole = (dtype: DType): boolean => dtypeInfo(dtype).kind === "int" || dtype === "bool";
/** Integers and bool become float32; others stay. */
export const toFloatDType = (dtype: DType): DType => (isWhole(dtype) ? "float32" : dtype);
/** Integers and bool become int64, as sums do; others stay. */
export const toSumDType = (dtype: DType): DType => (isWhole(dtype) ? "int64" : dtype);
/** `complex64` of `float32` and of integers; complex stays. */
export const toComplexDType = complexDType;
/** `float32` of `complex64`; others stay. */
export const toRealDType = realDType;

/** Returns the dtype that halves are computed in; others stay. */
export function computationDType(dtype: DType): DType {
  if (dtype === "float16" || dtype === "bfloat16") return "float32";
  return dtype === "complex32" ? "complex64" : dtype;
}

const KINDS: readonly DTypeKind[] = ["bool", "int", "float", "complex"];
/** Returns whether values of a dtype may be stored in another (`torch.can_cast`). */
export const canCast = (from: DType, to: DType): boolean =>
  KINDS.indexOf(dtypeInfo(from).kind) <= KINDS.indexOf(dtypeInfo(to).kind);
