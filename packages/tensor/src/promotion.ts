/**
 * @file PyTorch's type promotion (`c10/core/ScalarType.cpp`,
 * `aten/src/ATen/native/TypeProperties.cpp`).
 */
import { type DType, dtypeInfo, isComplexDType, isFloatDType } from "./dtype.js";
import { promotionError } from "./errors.js";

/** Integers that promote among themselves; the wider ones come later. */
const LATTICE: readonly DType[] = ["bool", "uint8", "int8", "int16", "int32", "int64"];
const BAREBONES: ReadonlySet<DType> = new Set<DType>(["uint16", "uint32", "uint64"]);

/** Returns the float type of a complex type's parts. */
export function realDType(dtype: DType): DType {
  if (dtype === "complex128") return "float64";
  if (dtype === "complex64") return "float32";
  return dtype === "complex32" ? "float16" : dtype;
}

/** Returns the complex type whose parts hold this type's values. */
export function complexDType(dtype: DType): DType {
  if (isComplexDType(dtype)) return dtype;
  if (dtype === "float64") return "complex128";
  return dtype === "float16" ? "complex32" : "complex64";
}

function promoteFloats(a: DType, b: DType): DType {
  const sizes = dtypeInfo(a).itemSize - dtypeInfo(b).itemSize;
  if (sizes !== 0) return sizes > 0 ? a : b;
  return a === b ? a : "float32";
}

function promoteIntegers(a: DType, b: DType): DType {
  if ((a === "uint8" && b === "int8") || (a === "int8" && b === "uint8")) return "int16";
  return LATTICE.indexOf(a) > LATTICE.indexOf(b) ? a : b;
}

/**
 * `torch.promote_types(a, b)`.
 * @throws SconceError `PROMOTION` for float8 and the barebones unsigned types, where PyTorch
 * refuses too.
 */
export function promoteTypes(a: DType, b: DType): DType {
  if (a === b) return a;
  if (a.startsWith("float8") || b.startsWith("float8")) throw promotionError(a, b, "Float8");
  if (BAREBONES.has(a) || BAREBONES.has(b)) {
    if (isFloatDType(a)) return a;
    if (isFloatDType(b)) return b;
    throw promotionError(a, b, "uint16, uint32, uint64");
  }
  if (isComplexDType(a) || isComplexDType(b)) return promoteComplex(a, b);
  if (isFloatDType(a)) return isFloatDType(b) ? promoteFloats(a, b) : a;
  return isFloatDType(b) ? b : promoteIntegers(a, b);
}

function promoteComplex(a: DType, b: DType): DType {
  // An integer takes the other's parts; bfloat16 has no complex type and counts as
  // float32.
  const parts = (dtype: DType): DType | undefined =>
    isComplexDType(dtype) || isFloatDType(dtype)
      ? dtype === "bfloat16"
        ? "float32"
        : realDType(dtype)
      : undefined;
  const [left, right] = [parts(a), parts(b)];
  if (left === undefined || right === undefined) return complexDType((left ?? right)!);
  return complexDType(promoteFloats(left, right));
}

/**
 * How much weight an operand has: dimensioned tensors beat 0-d tensors, and these beat Python
 * numbers.
 */
export type PromotionRank = "dimensioned" | "zeroDim" | "wrappedNumber";

/** An operand as dtype promotion sees it. */
export interface PromotionOperand {
  /** Of a Python number: bool, int64, float64 or complex128. */
  readonly dtype: DType;
  /** Whether it is a tensor with dimensions, one without, or a Python scalar. */
  readonly rank: PromotionRank;
}

const DEFAULT_FLOAT: DType = "float32";

function combine(higher: DType | undefined, lower: DType | undefined): DType | undefined {
  if (higher === undefined || lower === undefined) return higher ?? lower;
  if (isComplexDType(higher)) return higher;
  if (isFloatDType(higher)) {
    // The lower category only adds "complex", never precision.
    if (!isComplexDType(lower)) return higher;
    // PyTorch answers bcomplex32, a type that no program file can hold.
    if (higher === "bfloat16") throw promotionError(higher, lower, "complex bfloat16");
    return complexDType(higher);
  }
  if (isComplexDType(lower)) return lower;
  if (higher === "bool" || isFloatDType(lower)) return promoteTypes(higher, lower);
  return higher;
}

/**
 * `torch.result_type` of any number of operands.
 * @throws SconceError `PROMOTION`
 */
export function resultType(operands: Iterable<PromotionOperand>): DType {
  const ranks: Record<PromotionRank, DType | undefined> = {
    dimensioned: undefined,
    zeroDim: undefined,
    wrappedNumber: undefined,
  };
  for (const { dtype, rank } of operands) {
    let current = dtype;
    if (rank === "wrappedNumber") {
      if (isComplexDType(current)) current = complexDType(DEFAULT_FLOAT);
      else if (isFloatDType(current)) current = DEFAULT_FLOAT;
    }
    const before = ranks[rank];
    ranks[rank] = before === undefined ? current : promoteTypes(before, current);
  }
  return combine(ranks.dimensioned, combine(ranks.zeroDim, ranks.wrappedNumber)) ?? DEFAULT_FLOAT;
}
