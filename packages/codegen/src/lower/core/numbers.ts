/** @file Numbers among the arguments of a call, as scalars. */
import type { IntLike } from "@sconce/ir";
import type { ScalarArg } from "@sconce/ops";
import { SymExpr } from "@sconce/symbolic";
import { type DType, dtypeInfo, isComplexDType } from "@sconce/tensor";
import { heldNumber } from "../../ir/held-number.js";
import { type Index, size } from "../../ir/index-expr.js";
import { cast, complexOf, constantScalar, indexScalar, partDType, type Scalar } from "../../ir/scalar.js";
import { cannot } from "./call.js";

/** Returns a Python number, or a size, as a scalar of a dtype. */
export function numberScalar(value: ScalarArg | IntLike, dtype: DType): Scalar {
  if (isComplexDType(dtype)) return complexScalar(value, dtype);
  if (value instanceof SymExpr) return cast(indexScalar(size(value)), dtype);
  if (typeof value === "object") {
    if (value.kind === "float") return numberScalar(value.value, dtype);
    if (value.kind === "SymInt") return cast(indexScalar(size(value.expr)), dtype);
    if (value.kind === "complex") return cannot(`${dtype} does not hold complex numbers`);
    return cannot("a symbolic float or bool is not lowered to loops");
  }
  const { kind } = dtypeInfo(dtype);
  // NaN is true.
  if (kind === "bool") return constantScalar(Number(value) !== 0, dtype);
  return kind === "int" ? integerScalar(value, dtype) : constantScalar(Number(value), dtype);
}

function complexScalar(value: ScalarArg | IntLike, dtype: DType): Scalar {
  const part = partDType(dtype);
  if (typeof value !== "object" || !("kind" in value) || value.kind !== "complex")
    return cast(numberScalar(value, part), dtype);
  return complexOf(constantScalar(value.re, part), constantScalar(value.im, part));
}

/**
 * Integers beyond what the dtype holds wrap, as those of scalar tensors do that PyTorch makes of
 * such arguments.
 */
function integerScalar(value: number | bigint | boolean, dtype: DType): Scalar {
  const whole = typeof value === "bigint" ? value : Math.trunc(Number(value));
  if (!Number.isFinite(Number(whole))) return constantScalar(Number(whole), dtype);
  const { itemSize, signed } = dtypeInfo(dtype);
  const held = (signed ? BigInt.asIntN : BigInt.asUintN)(8 * itemSize, BigInt(whole));
  return constantScalar(
    typeof whole === "number" && BigInt(whole) === held ? whole : exactNumber(held),
    dtype,
  );
}
const exactNumber = (value: bigint): number | bigint =>
  Number.isSafeInteger(Number(value)) ? Number(value) : value;

/**
 * Returns the same for arguments that PyTorch refuses where the dtype does not hold them: unsigned
 * ones hold what is not less than their greatest value below zero (`c10::overflows`).
 */
export function checkedScalar(value: ScalarArg | IntLike, dtype: DType): Scalar {
  const { kind, value: inner } = (value ?? {}) as { readonly kind?: string; readonly value?: unknown };
  const given = kind === "float" ? inner : value;
  if ((typeof given === "number" || typeof given === "bigint") && overflows(Number(given), dtype))
    return cannot(`${given} is more than ${dtype} holds`);
  return numberScalar(value, dtype);
}
const LARGEST: Partial<Record<DType, number>> = {
  float16: 65504,
  bfloat16: 3.3895313892515355e38,
  float32: 3.4028234663852886e38,
};
function overflows(value: number, dtype: DType): boolean {
  const { kind, itemSize, signed } = dtypeInfo(dtype);
  if (kind !== "int") return Number.isFinite(value) && Math.abs(value) > (LARGEST[dtype] ?? Number.MAX_VALUE);
  const most = 2 ** (8 * itemSize - (signed ? 1 : 0));
  return value >= most || value < (signed ? -most : 1 - most);
}

/**
 * Returns the type that arithmetic on a dtype is done in: halves compute as float32
 * (`at::opmath_type`).
 */
export const computeType = (dtype: DType): DType =>
  dtype === "float16" || dtype === "bfloat16" ? "float32" : dtype;

/**
 * Returns an element as an operation computes with it that converts its operand to a dtype first,
 * as `sum(dtype=...)` does: rounded to halves where it is wider.
 */
export const convertedElement = (element: Scalar, dtype: DType): Scalar =>
  cast(cast(element, dtype), computeType(dtype));

/**
 * Returns a number that is converted to the dtype of an operation, as the scalar to compute with:
 * beside halves it is rounded to them.
 */
export function operandNumber(value: ScalarArg | IntLike, dtype: DType): Scalar {
  const compute = computeType(dtype);
  const scalar = numberScalar(value, compute);
  if (compute === dtype) return scalar;
  if (scalar.kind !== "constant") return cast(cast(scalar, dtype), compute);
  return constantScalar(heldNumber(scalar.value, dtype), compute);
}

/** Returns an index as a number of another dtype. */
export const numberOf = (index: Index, dtype: DType): Scalar =>
  index.terms.length === 0 ? constantScalar(index.constant, dtype) : cast(indexScalar(index), dtype);
