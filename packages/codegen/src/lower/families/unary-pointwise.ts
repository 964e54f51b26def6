/** @file Functions of one element. */
import { isComplexDType, isFloatDType } from "@sconce/tensor";
import { apply, constantScalar, FALSE, FLOAT_UNARY, type Scalar, type UnaryFn } from "../../ir/scalar.js";
import { cannot, type LoweringCall } from "../core/call.js";
import type { LazyTensor } from "../core/lazy.js";
import { defineLowerings, lowering } from "../core/lowering.js";
import { constantLike, div, EXPENSIVE, isExact, mul, truth, unary, unaryRule } from "../rules/elements.js";
import { pointwise } from "../rules/pointwise.js";
import { modulus } from "./complex.js";

/** Functions that cost about as much as an addition. */
const CHEAP: ReadonlySet<UnaryFn> = new Set<UnaryFn>(["reciprocal", "sqrt", "rsqrt"]);

interface OneTensor {
  readonly self: LazyTensor;
}
/** A function of floats; integers stay as they are. */
const rounding =
  (fn: UnaryFn) =>
  ({ self }: OneTensor, call: LoweringCall): LazyTensor =>
    unary(call, self, (x) => (isFloatDType(x.dtype) ? apply(fn, x) : x));
/** A bool from the operand's own dtype. */
const test =
  (body: (x: Scalar) => Scalar) =>
  ({ self }: OneTensor, call: LoweringCall): LazyTensor =>
    pointwise(call, [self], ([x]) => body(x!), { common: self.dtype });

function rounded(x: Scalar, decimals: number): Scalar {
  if (isExact(x)) return decimals >= 0 ? x : cannot("rounding integers to tens");
  if (decimals === 0) return apply("round", x);
  const ten = constantLike(10 ** Math.abs(decimals), x);
  return decimals > 0 ? div(apply("round", mul(x, ten)), ten) : mul(apply("round", div(x, ten)), ten);
}

export const UNARY_OPERATORS = defineLowerings([
  ...FLOAT_UNARY.map((fn) =>
    lowering(`aten::${fn}(Tensor self) -> Tensor`, unaryRule(fn, CHEAP.has(fn) ? 1 : EXPENSIVE)),
  ),
  lowering("aten::neg(Tensor self) -> Tensor", unaryRule("neg")),
  lowering("aten::abs(Tensor self) -> Tensor", ({ self }, call) =>
    isComplexDType(self.dtype)
      ? modulus({ self }, call)
      : unary(call, self, (x) => (x.dtype === "bool" ? x : apply("abs", x))),
  ),
  lowering("aten::sign(Tensor self) -> Tensor", ({ self }, call) =>
    unary(call, self, (x) => (x.dtype === "bool" ? x : apply("sign", x))),
  ),
  lowering("aten::floor(Tensor self) -> Tensor", rounding("floor")),
  lowering("aten::ceil(Tensor self) -> Tensor", rounding("ceil")),
  lowering("aten::round(Tensor self) -> Tensor", rounding("round")),
  lowering("aten::trunc(Tensor self) -> Tensor", rounding("trunc")),
  lowering("aten::round.decimals(Tensor self, *, int decimals) -> Tensor", ({ self, decimals }, call) =>
    unary(call, self, (x) => rounded(x, decimals), EXPENSIVE),
  ),
  lowering("aten::square(Tensor self) -> Tensor", ({ self }, call) => unary(call, self, (x) => mul(x, x))),
  lowering("aten::bitwise_not(Tensor self) -> Tensor", ({ self }, call) =>
    unary(call, self, (x) => apply(x.dtype === "bool" ? "not" : "bitwise_not", x)),
  ),
  lowering(
    "aten::logical_not(Tensor self) -> Tensor",
    test((x) => apply("not", truth(x))),
  ),
  lowering(
    "aten::isnan(Tensor self) -> Tensor",
    test((x) => (isExact(x) ? FALSE : apply("isnan", x))),
  ),
  lowering(
    "aten::isinf(Tensor self) -> Tensor",
    test((x) => (isExact(x) ? FALSE : apply("isinf", x))),
  ),
  lowering(
    "aten::isfinite(Tensor self) -> Tensor",
    test((x) =>
      isExact(x)
        ? constantScalar(true, "bool")
        : apply("not", apply("or", apply("isnan", x), apply("isinf", x))),
    ),
  ),
]);
