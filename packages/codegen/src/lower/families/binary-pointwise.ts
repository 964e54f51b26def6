/** @file Arithmetic of two operands. */

import type { ScalarArg } from "@sconce/ops";
import { type DType, isComplexDType, isFloatDType, isIntegralDType } from "@sconce/tensor";
import { apply, cast, complexOf, partsOfComplex, type Scalar, select } from "../../ir/scalar.js";
import type { Operand } from "../core/arguments.js";
import { cannot, type LoweringCall, outOf } from "../core/call.js";
import { LazyTensor } from "../core/lazy.js";
import { defineLowerings, operandLowering } from "../core/lowering.js";
import { checkedScalar, computeType, operandNumber } from "../core/numbers.js";
import {
  binary,
  binaryRule,
  div,
  EXPENSIVE,
  functionRule,
  hypot,
  isExact,
  mul,
  type Operands,
} from "../rules/elements.js";
import { isWide } from "../rules/pointwise.js";

interface ScaledOperands extends Operands {
  readonly alpha: ScalarArg;
}
/** PyTorch adds the negative of a factor; that of the integer 0 has no sign. */
const isIntegerZero = (alpha: ScalarArg): boolean => alpha === 0 || alpha === 0n;

/** `a + alpha b`, or less that: a factor of 1 makes NaN of infinities too, as in PyTorch. */
function complexSum(fn: "add" | "sub", a: Scalar, b: Scalar, alpha: ScalarArg): Scalar {
  const [re, im] = partsOfComplex(checkedScalar(alpha, a.dtype));
  const isReal = typeof alpha !== "object" || alpha.kind !== "complex";
  const factor = complexOf(apply("neg", re), isReal ? im : apply("neg", im));
  return apply("add", a, mul(fn === "add" || isIntegerZero(alpha) ? complexOf(re, im) : factor, b));
}

/** Returns a factor as a scalar; beside halves it is a half. */
function factorOf(alpha: ScalarArg, { dtype }: Scalar, common: DType): Scalar {
  return computeType(common) === common ? checkedScalar(alpha, dtype) : operandNumber(alpha, common);
}
/** Returns whether a product by a factor has no rounding. */
const isUnit = (factor: Scalar): boolean =>
  factor.kind === "constant" && (factor.value === 0 || Math.abs(Number(factor.value)) === 1);

/** `a + alpha b` of real numbers, or less that. PyTorch rounds it once, in float32 for halves. */
function realSum(fn: "add" | "sub", a: Scalar, b: Scalar, alpha: ScalarArg, common: DType): Scalar {
  if (alpha === 1) return apply(fn, a, b);
  const factor = factorOf(alpha, b, common);
  const sign = isIntegerZero(alpha) ? "add" : fn;
  if (a.dtype !== "float32" || isUnit(factor)) return apply(sign, a, mul(factor, b));
  return apply("fma", sign === "add" ? factor : apply("neg", factor), b, a);
}

/** `self + alpha * other`; of bools, the sum is `or` and the product is `and`. */
const scaled =
  (fn: "add" | "sub") =>
  ({ self, other, alpha }: ScaledOperands, call: LoweringCall): LazyTensor =>
    binary(call, self, other, (a, b) => {
      if (a.dtype === "bool")
        return apply("or", a, alpha === 1 ? b : apply("and", checkedScalar(alpha, "bool"), b));
      if (isComplexDType(a.dtype)) return complexSum(fn, a, b, alpha);
      return realSum(fn, a, b, alpha, outOf(call).dtype);
    });

/**
 * A division that is refused for integer divisors of zero, also where nothing reads that element:
 * all of them are computed.
 */
const dividing =
  (lower: (operands: Operands, call: LoweringCall) => LazyTensor) =>
  (operands: Operands, call: LoweringCall): LazyTensor => {
    const result = lower(operands, call);
    const isChecked = isIntegralDType(result.dtype) && operands.other instanceof LazyTensor;
    if (isChecked) call.context.materialize(result);
    return result;
  };

/** Division: true, or rounded as Python or C does. */
function quotient(call: LoweringCall, self: Operand, other: Operand, mode: string | null): LazyTensor {
  const { dtype } = outOf(call);
  return binary(
    call,
    self,
    other,
    (a, b) => {
      if (mode === null) return div(a, b);
      if (mode === "floor") return apply("floor_div", a, b);
      // Quotients of halves by more than one number are rounded before they are cut.
      const isHalf = dtype !== a.dtype && !isWide(other);
      return isHalf ? apply("trunc", cast(cast(div(a, b), dtype), a.dtype)) : apply("trunc_div", a, b);
    },
    { keepsSecond: true },
  );
}

/**
 * Integer and bool operands are converted by the result's dtype, which is a float. PyTorch takes no
 * roots of float16, where the powers of -inf and -0 are others.
 */
function raised(x: Scalar, exponent: Scalar, hasRoots: boolean): Scalar {
  if (exponent.kind === "constant" && isFloatDType(x.dtype)) {
    if (exponent.value === 2) return mul(x, x);
    if (exponent.value === 3) return mul(mul(x, x), x);
    if (exponent.value === 1) return x;
    if (hasRoots && exponent.value === 0.5) return apply("sqrt", x);
    if (hasRoots && exponent.value === -0.5) return apply("rsqrt", x);
    if (exponent.value === -1) return apply("reciprocal", x);
  }
  return apply("pow", x, exponent);
}

/** `fmax`, `fmin`: the other one when one is NaN. */
const ignoringNaN = (fn: "max" | "min") =>
  binaryRule((a, b) => {
    if (isExact(a)) return apply(fn, a, b);
    return select(apply("isnan", a), b, select(apply("isnan", b), a, apply(fn, a, b)));
  });

/** Floats are multiplied by powers of two (`__lshift__`). */
const shift = (fn: "shift_left" | "shift_right") =>
  binaryRule((a, b) => {
    if (isExact(a)) return apply(fn, a, b);
    return apply(fn === "shift_left" ? "mul" : "div", a, apply("exp2", b));
  });
const bitwise = (fn: "and" | "or" | "xor") =>
  binaryRule((a, b) => apply(a.dtype === "bool" ? fn : `bitwise_${fn}`, a, b));

export const BINARY_OPERATORS = defineLowerings([
  operandLowering(
    [
      "aten::add.Tensor(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor",
      "aten::add.Scalar(Tensor self, Scalar other, Scalar alpha=1) -> Tensor",
    ],
    scaled("add"),
  ),
  operandLowering(
    [
      "aten::sub.Tensor(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor",
      "aten::sub.Scalar(Tensor self, Scalar other, Scalar alpha=1) -> Tensor",
    ],
    scaled("sub"),
  ),
  operandLowering(
    ["aten::rsub.Scalar(Tensor self, Scalar other, Scalar alpha=1) -> Tensor"],
    ({ self, other, alpha }, call) =>
      binary(call, self, other, (a, b) =>
        isComplexDType(a.dtype)
          ? complexSum("sub", b, a, alpha)
          : realSum("sub", b, a, alpha, outOf(call).dtype),
      ),
  ),
  operandLowering(
    [
      "aten::mul.Tensor(Tensor self, Tensor other) -> Tensor",
      "aten::mul.Scalar(Tensor self, Scalar other) -> Tensor",
    ],
    binaryRule((a, b) => (a.dtype === "bool" ? apply("and", a, b) : mul(a, b)), { keepsSecond: true }),
  ),
  operandLowering(
    [
      "aten::div.Tensor(Tensor self, Tensor other) -> Tensor",
      "aten::div.Scalar(Tensor self, Scalar other) -> Tensor",
    ],
    ({ self, other }, call) => quotient(call, self, other, null),
  ),
  operandLowering(
    [
      "aten::div.Tensor_mode(Tensor self, Tensor other, *, str? rounding_mode) -> Tensor",
      "aten::div.Scalar_mode(Tensor self, Scalar other, *, str? rounding_mode) -> Tensor",
    ],
    ({ self, other, rounding_mode: mode }, call) =>
      dividing((operands) => quotient(call, operands.self, operands.other, mode))({ self, other }, call),
  ),
  operandLowering(
    [
      "aten::remainder.Tensor(Tensor self, Tensor other) -> Tensor",
      "aten::remainder.Scalar(Tensor self, Scalar other) -> Tensor",
      "aten::remainder.Scalar_Tensor(Scalar self, Tensor other) -> Tensor",
    ],
    dividing(functionRule("remainder", EXPENSIVE)),
  ),
  operandLowering(
    [
      "aten::fmod.Tensor(Tensor self, Tensor other) -> Tensor",
      "aten::fmod.Scalar(Tensor self, Scalar other) -> Tensor",
    ],
    dividing(functionRule("fmod", EXPENSIVE)),
  ),
  operandLowering(
    [
      "aten::pow.Tensor_Scalar(Tensor self, Scalar exponent) -> Tensor",
      "aten::pow.Tensor_Tensor(Tensor self, Tensor exponent) -> Tensor",
      "aten::pow.Scalar(Scalar self, Tensor exponent) -> Tensor",
    ],
    ({ self, exponent }, call) => {
      const hasRoots = outOf(call).dtype !== "float16";
      return binary(call, self, exponent, (x, power) => raised(x, power, hasRoots), {
        operations: EXPENSIVE,
      });
    },
  ),
  operandLowering(["aten::maximum(Tensor self, Tensor other) -> Tensor"], functionRule("max")),
  operandLowering(["aten::minimum(Tensor self, Tensor other) -> Tensor"], functionRule("min")),
  operandLowering(["aten::fmax(Tensor self, Tensor other) -> Tensor"], ignoringNaN("max")),
  operandLowering(["aten::fmin(Tensor self, Tensor other) -> Tensor"], ignoringNaN("min")),
  operandLowering(["aten::atan2(Tensor self, Tensor other) -> Tensor"], functionRule("atan2", EXPENSIVE)),
  operandLowering(
    ["aten::hypot(Tensor self, Tensor other) -> Tensor"],
    binaryRule((a, b) => (isExact(a) ? cannot("hypot is defined for floats") : hypot(a, b)), {
      operations: EXPENSIVE * 2,
    }),
  ),
  operandLowering(
    [
      "aten::__lshift__.Tensor(Tensor self, Tensor other) -> Tensor",
      "aten::__lshift__.Scalar(Tensor self, Scalar other) -> Tensor",
      "aten::bitwise_left_shift.Tensor(Tensor self, Tensor other) -> Tensor",
      "aten::bitwise_left_shift.Tensor_Scalar(Tensor self, Scalar other) -> Tensor",
      "aten::bitwise_left_shift.Scalar_Tensor(Scalar self, Tensor other) -> Tensor",
    ],
    shift("shift_left"),
  ),
  operandLowering(
    [
      "aten::__rshift__.Tensor(Tensor self, Tensor other) -> Tensor",
      "aten::__rshift__.Scalar(Tensor self, Scalar other) -> Tensor",
      "aten::bitwise_right_shift.Tensor(Tensor self, Tensor other) -> Tensor",
      "aten::bitwise_right_shift.Tensor_Scalar(Tensor self, Scalar other) -> Tensor",
      "aten::bitwise_right_shift.Scalar_Tensor(Scalar self, Tensor other) -> Tensor",
    ],
    shift("shift_right"),
  ),
  operandLowering(
    [
      "aten::bitwise_and.Tensor(Tensor self, Tensor other) -> Tensor",
      "aten::bitwise_and.Scalar(Tensor self, Scalar other) -> Tensor",
    ],
    bitwise("and"),
  ),
  operandLowering(
    [
      "aten::bitwise_or.Tensor(Tensor self, Tensor other) -> Tensor",
      "aten::bitwise_or.Scalar(Tensor self, Scalar other) -> Tensor",
    ],
    bitwise("or"),
  ),
  operandLowering(
    [
      "aten::bitwise_xor.Tensor(Tensor self, Tensor other) -> Tensor",
      "aten::bitwise_xor.Scalar(Tensor self, Scalar other) -> Tensor",
    ],
    bitwise("xor"),
  ),
]);
