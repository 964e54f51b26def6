/** @file Arithmetic of elements, and pointwise rules of one and two operands. */
import { type DType, isFloatDType, type PromotionOperand, resultType } from "@sconce/tensor";
import {
  apply,
  type BinaryFn,
  cast,
  constantScalar,
  type Scalar,
  select,
  type UnaryFn,
} from "../../ir/scalar.js";
import type { Operand } from "../core/arguments.js";
import { type LoweringCall, outOf } from "../core/call.js";
import { LazyTensor } from "../core/lazy.js";
import { computeType, numberScalar, operandNumber } from "../core/numbers.js";
import { isWide, pointwise } from "./pointwise.js";

/** The cost of functions that take more than a few additions. */
export const EXPENSIVE = 3;

export const add = (a: Scalar, b: Scalar): Scalar => apply("add", a, b);
export const sub = (a: Scalar, b: Scalar): Scalar => apply("sub", a, b);
export const mul = (a: Scalar, b: Scalar): Scalar => apply("mul", a, b);
export const div = (a: Scalar, b: Scalar): Scalar => apply("div", a, b);
/** Returns a constant in the dtype of a scalar. */
export const constantLike = (value: number, { dtype }: Scalar): Scalar => constantScalar(value, dtype);
/** Returns whether an element is nonzero. */
export const truth = (x: Scalar): Scalar => cast(x, "bool");
/** Returns whether a scalar has no NaN and infinities. */
export const isExact = (x: Scalar): boolean => !isFloatDType(x.dtype);
/** `min(max(x, low), high)`, NaN kept, as `clamp` computes it. */
export function clamped(x: Scalar, low: Scalar | undefined, high: Scalar | undefined): Scalar {
  const floored = low === undefined ? x : apply("max", x, low);
  return high === undefined ? floored : apply("min", floored, high);
}

/** Returns a function of the elements of one tensor, in the compute dtype of the result. */
export const unary = (
  call: LoweringCall,
  self: LazyTensor,
  body: (x: Scalar) => Scalar,
  operations = 1,
): LazyTensor => pointwise(call, [self], ([x]) => body(x!), { operations });

/** Returns the weight of an operand in type promotion. */
function promotionOf(value: Operand): PromotionOperand {
  if (value instanceof LazyTensor)
    return { dtype: value.dtype, rank: value.shape.length > 0 ? "dimensioned" : "zeroDim" };
  const tag = (value as { kind?: string }).kind;
  if (tag === "float" || tag === "SymFloat") return { dtype: "float64", rank: "wrappedNumber" };
  if (typeof value === "boolean" || tag === "SymBool") return { dtype: "bool", rank: "wrappedNumber" };
  if (typeof value === "number" && !Number.isInteger(value))
    return { dtype: "float64", rank: "wrappedNumber" };
  if (tag === "complex") return { dtype: "complex128", rank: "wrappedNumber" };
  return { dtype: "int64", rank: "wrappedNumber" };
}
/** Returns the dtype that two operands are promoted to. */
export const commonType = (a: Operand, b: Operand): DType => resultType([promotionOf(a), promotionOf(b)]);

/** Returns the elements of two operands, numbers as constants, converted to the dtype `common`. */
export function binary(
  call: LoweringCall,
  a: Operand,
  b: Operand,
  body: (a: Scalar, b: Scalar) => Scalar,
  { operations = 1, common = outOf(call).dtype, keepsSecond = false }: BinaryOptions = {},
): LazyTensor {
  const isKept = keepsSecond && isWide(b);
  const tensors = [a, b].filter((value) => value instanceof LazyTensor);
  return pointwise(
    call,
    tensors,
    (elements) => {
      const rest = [...elements];
      const scalarOf = (value: Operand, isRounded: boolean): Scalar => {
        if (value instanceof LazyTensor) return rest.shift()!;
        return isRounded ? operandNumber(value, common) : numberScalar(value, computeType(common));
      };
      const first = scalarOf(a, true);
      return body(first, scalarOf(b, !isKept));
    },
    { operations, common, wide: isKept && b instanceof LazyTensor ? b : undefined },
  );
}
export interface BinaryOptions {
  /** The cost of one element, in additions. */
  readonly operations?: number;
  /** The dtype that operands are converted to; the result's by default. */
  readonly common?: DType;
  /** Whether the second operand keeps its value beside halves where it is one number. */
  readonly keepsSecond?: boolean;
}

/** A rule that applies a function to the elements of one tensor. */
export const unaryRule =
  (fn: UnaryFn, operations = 1) =>
  ({ self }: { readonly self: LazyTensor }, call: LoweringCall): LazyTensor =>
    unary(call, self, (x) => apply(fn, x), operations);

/** The operands of most binary operators. */
export interface Operands {
  readonly self: Operand;
  readonly other: Operand;
}
/** A rule that computes an element from those of `self` and `other`. */
export const binaryRule =
  (body: (a: Scalar, b: Scalar) => Scalar, options: BinaryOptions = {}) =>
  ({ self, other }: Operands, call: LoweringCall): LazyTensor =>
    binary(call, self, other, body, options);
/** The same by a function of loops. */
export const functionRule = (fn: BinaryFn, operations = 1) =>
  binaryRule((a, b) => apply(fn, a, b), { operations });

/** Scaled by the greater of the two, so that squares do not overflow. */
export function hypot(a: Scalar, b: Scalar): Scalar {
  const [x, y] = [apply("abs", a), apply("abs", b)];
  const [most, least] = [apply("max", x, y), apply("min", x, y)];
  const ratio = div(least, most);
  const length = mul(most, apply("sqrt", add(constantLike(1, x), mul(ratio, ratio))));
  const isInfinite = apply("or", apply("isinf", x), apply("isinf", y));
  const plain = select(apply("eq", most, constantLike(0, x)), most, length);
  return select(isInfinite, constantLike(Number.POSITIVE_INFINITY, x), plain);
}
