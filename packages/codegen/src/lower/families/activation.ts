/** @file Activations (`aten/src/ATen/native/cpu/Activation.cpp`). */
import type { DType } from "@sconce/tensor";
import { apply, type Scalar, select } from "../../ir/scalar.js";
import { defineLowerings, lowering } from "../core/lowering.js";
import { numberScalar } from "../core/numbers.js";
import { add, clamped, constantLike, div, EXPENSIVE, mul, unary } from "../rules/elements.js";

const sixth = (x: Scalar): Scalar =>
  clamped(add(x, constantLike(3, x)), constantLike(0, x), constantLike(6, x));

/** Both forms of `gelu`, of elements of a dtype. */
function gelu(x: Scalar, approximate: string, dtype: DType): Scalar {
  const half = mul(x, constantLike(0.5, x));
  if (approximate === "tanh") {
    const inner = add(x, mul(constantLike(0.044715, x), mul(mul(x, x), x)));
    const beta = constantLike(Math.SQRT2 / Math.sqrt(Math.PI), x);
    return mul(half, add(constantLike(1, x), apply("tanh", mul(beta, inner))));
  }
  const exact = mul(half, add(constantLike(1, x), apply("erf", mul(x, constantLike(Math.SQRT1_2, x)))));
  // PyTorch gives NaN at infinity in float32, and in bfloat16, which it computes in float32.
  return dtype === "float64" || dtype === "float16"
    ? exact
    : select(apply("isinf", x), constantLike(Number.NaN, x), exact);
}

export const ACTIVATIONS = defineLowerings([
  // NaN stays NaN: it is not `<= 0`.
  lowering("aten::relu(Tensor self) -> Tensor", ({ self }, call) =>
    unary(call, self, (x) => apply("max", x, constantLike(0, x))),
  ),
  lowering('aten::gelu(Tensor self, *, str approximate="none") -> Tensor', ({ self, approximate }, call) =>
    unary(call, self, (x) => gelu(x, approximate, self.dtype), EXPENSIVE * 2),
  ),
  lowering("aten::silu(Tensor self) -> Tensor", ({ self }, call) =>
    unary(call, self, (x) => mul(x, apply("sigmoid", x)), EXPENSIVE),
  ),
  lowering(
    "aten::elu(Tensor self, Scalar alpha=1, Scalar scale=1, Scalar input_scale=1) -> Tensor",
    ({ self, alpha, scale, input_scale }, call) =>
      unary(
        call,
        self,
        (x) => {
          const [slope, height] = [numberScalar(alpha, x.dtype), numberScalar(scale, x.dtype)];
          const steep = mul(x, numberScalar(input_scale, x.dtype));
          const negative = mul(mul(slope, height), apply("expm1", steep));
          return select(apply("le", x, constantLike(0, x)), negative, mul(x, height));
        },
        EXPENSIVE,
      ),
  ),
  lowering(
    "aten::leaky_relu(Tensor self, Scalar negative_slope=0.01) -> Tensor",
    ({ self, negative_slope }, call) =>
      unary(call, self, (x) => {
        const isPositive = apply("gt", x, constantLike(0, x));
        return select(isPositive, x, mul(x, numberScalar(negative_slope, x.dtype)));
      }),
  ),
  lowering(
    "aten::hardtanh(Tensor self, Scalar min_val=-1, Scalar max_val=1) -> Tensor",
    ({ self, min_val, max_val }, call) =>
      unary(call, self, (x) => clamped(x, numberScalar(min_val, x.dtype), numberScalar(max_val, x.dtype))),
  ),
  lowering("aten::hardsigmoid(Tensor self) -> Tensor", ({ self }, call) =>
    unary(call, self, (x) => div(sixth(x), constantLike(6, x))),
  ),
  lowering("aten::hardswish(Tensor self) -> Tensor", ({ self }, call) =>
    unary(call, self, (x) => div(mul(x, sixth(x)), constantLike(6, x))),
  ),
  lowering(
    "aten::softplus(Tensor self, Scalar beta=1, Scalar threshold=20) -> Tensor",
    ({ self, beta, threshold }, call) =>
      unary(
        call,
        self,
        (x) => {
          const slope = numberScalar(beta, x.dtype);
          const steep = mul(x, slope);
          const soft = div(apply("log1p", apply("exp", steep)), slope);
          return select(apply("gt", steep, numberScalar(threshold, x.dtype)), x, soft);
        },
        EXPENSIVE * 2,
      ),
  ),
]);
