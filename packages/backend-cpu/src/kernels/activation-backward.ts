/** @file Gradients of elementwise functions: the incoming gradient times the derivative. */
import { toNumber } from "@sconce/ir";
import { integerOf } from "@sconce/ops";
import { isComplexDType, isIntegralDType, type Tensor } from "@sconce/tensor";
import { roundTo, stepOf } from "../kernel/half.js";
import {
  defineKernels,
  emptyOutput,
  emptyOutputs,
  type Kernel,
  type KernelContext,
  kernel,
} from "../kernel/kernel.js";
import { computedLimit, elementLimit, limitIn } from "./activation-limits.js";
import { type ComplexLoop, elementwise, map2, map3, type Operand } from "./pointwise-loop.js";
import { erf } from "./pointwise-special.js";

/** Rounds an intermediate value to the precision that PyTorch computes in. */
export type Round = (x: number) => number;
/**
 * The gradient of one element. Overflow of intermediate values decides the results at the ends of
 * the domain.
 */
type ElementGradient = (grad: number, x: number, round: Round) => number;

/** Returns the gradient by `x`. */
function gradient(grad: Tensor, x: Tensor, element: ElementGradient, context: KernelContext): Tensor {
  const round = stepOf(x.dtype);
  const real = map2((g, value) => element(g, value, round));
  return elementwise({ real }, emptyOutput(context), [grad, x]);
}

/** The factor of a gradient, as the derivative's conjugate. */
type ComplexSlope = (re: number, im: number, round: Round) => readonly [re: number, im: number];

/** `1 - y * y` */
const tanhSlope: ComplexSlope = (re, im, f) => [
  f(1 - f(f(re * re) - f(im * im))),
  f(f(re * im) + f(im * re)),
];
/** `(1 - y) * y` */
const sigmoidSlope: ComplexSlope = (re, im, f) => {
  const rest = f(1 - re);
  return [f(f(rest * re) + f(im * im)), -f(f(rest * im) - f(im * re))];
};

/** Returns the gradient times a slope, of complex numbers. */
function complexGradient(grad: Tensor, y: Tensor, slope: ComplexSlope, context: KernelContext): Tensor {
  const complex: ComplexLoop = (out, [g, values], count, isSingle) => {
    const f: Round = isSingle ? Math.fround : (x) => x;
    for (let i = 0; i < 2 * count; i += 2) {
      const [re, im] = slope(values![i]!, values![i + 1]!, f);
      const [a, b] = [g![i]!, g![i + 1]!];
      out[i] = f(a * re) - f(b * im);
      out[i + 1] = f(a * im) + f(b * re);
    }
  };
  return elementwise({ complex }, emptyOutput(context), [grad, y]);
}

/** Returns the same where the gradient passes or is dropped: 0 times infinity must not come up. */
function gate(grad: Tensor, x: Tensor, passes: (x: number) => boolean, context: KernelContext): Tensor {
  return elementwise({ real: map2((g, value) => (passes(value) ? g : 0)) }, emptyOutput(context), [grad, x]);
}
/** The gradient of 64-bit integers above a limit. */
const bigGate =
  (limit: bigint) =>
  (g: bigint, x: bigint): bigint =>
    x <= limit ? 0n : g;

/** `1 / (1 + exp(-x))`, which is zero where the exponential overflows. */
const logistic = (x: number, f: Round): number => f(1 / f(1 + f(Math.exp(-x))));

const silu: ElementGradient = (g, x, f) => {
  const s = logistic(x, f);
  return f(g * s) * f(1 + f(x * f(1 - s)));
};

const mish: ElementGradient = (g, x, f) => {
  const s = logistic(x, f);
  const t = f(Math.tanh(f(Math.log1p(f(Math.exp(x))))));
  return g * f(t + f(f(x * s) * f(1 - f(t * t))));
};

const gelu: ElementGradient = (g, x, f) => {
  const cdf = f(0.5 * f(1 + f(erf(x * Math.SQRT1_2))));
  const pdf = f(f(Math.exp(f(f(x * x) * -0.5))) / Math.sqrt(2 * Math.PI));
  return g * f(cdf + f(x * pdf));
};

const BETA = Math.sqrt(2 / Math.PI);
const KAPPA = 0.044715;

const geluTanh: ElementGradient = (g, x, f) => {
  const square = f(x * x);
  const t = f(Math.tanh(f(BETA * f(x + f(KAPPA * f(square * x))))));
  const innerSlope = f(BETA * f(1 + f(3 * KAPPA * square)));
  const right = f(f(f(0.5 * x) * f(1 - f(t * t))) * innerSlope);
  return g * f(f(0.5 * f(1 + t)) + right);
};

const eluBackward = kernel(
  "aten::elu_backward(Tensor grad_output, Scalar alpha, Scalar scale, Scalar input_scale, bool is_result, Tensor self_or_result) -> Tensor",
  ({ grad_output: grad, alpha, scale, input_scale, is_result: isResult, self_or_result: x }, context) => {
    const [factor, input] = [toNumber(scale), toNumber(input_scale)];
    const negative = toNumber(alpha) * factor;
    const byResult: ElementGradient = (g, y, f) => (y <= 0 ? f(g * input) * f(y + negative) : g * factor);
    const byInput: ElementGradient = (g, value, f) =>
      value <= 0 ? f(f(g * input) * negative) * f(Math.exp(f(value * input))) : g * factor;
    return gradient(grad, x, isResult ? byResult : byInput, context);
  },
);

function softplus(beta: number, threshold: number): ElementGradient {
  return (g, x, f) => {
    const inner = f(x * beta);
    if (inner > threshold) return g;
    const z = f(Math.exp(inner));
    return f(g * z) / f(z + 1);
  };
}

/** From the buffer of the forward pass, `exp(-|x|)`. */
const logSigmoidBackward = kernel(
  "aten::log_sigmoid_backward(Tensor grad_output, Tensor self, Tensor buffer) -> Tensor",
  ({ grad_output: grad, self, buffer }, context) => {
    const f = stepOf(self.dtype);
    const real = map3((g, x, z) => {
      const [most, sign] = x < 0 ? [1, 1] : [0, -1];
      return f(most - f(sign * f(z / f(1 + z)))) * g;
    });
    return elementwise({ real }, emptyOutput(context), [grad, self, buffer]);
  },
);

const logitBackward = kernel(
  "aten::logit_backward(Tensor grad_output, Tensor self, float? eps=None) -> Tensor",
  ({ grad_output: grad, self, eps }, context) => {
    const out = emptyOutput(context);
    const f = stepOf(self.dtype);
    const slope = (g: number, x: number): number => g / f(x * f(1 - x));
    // A negative margin is none.
    if (eps === null || eps < 0) {
      const whole = map2((g, x) =>
        x < 0 || x > 1 ? Number.NaN : x === 0 || x === 1 ? g * Infinity : slope(g, x),
      );
      return elementwise({ real: whole }, out, [grad, self]);
    }
    const rounded = roundTo(self.dtype);
    const low = rounded(eps);
    const high = rounded(1 - low);
    const clamped = map2((g, x) =>
      x < low || x > high ? 0 : x === 0 || x === 1 ? g * Infinity : slope(g, x),
    );
    return elementwise({ real: clamped }, out, [grad, self]);
  },
);

const preluBackward: Kernel<
  { grad_output: Tensor; self: Tensor; weight: Operand },
  readonly [Tensor, Tensor]
> = ({ grad_output: grad, self, weight }, context) => {
  const [inputGrad, weightGrad] = emptyOutputs(context);
  elementwise({ real: map3((g, x, w) => (x > 0 ? g : w * g)) }, inputGrad, [grad, self, weight]);
  elementwise({ real: map2((g, x) => (x > 0 ? 0 : x * g)) }, weightGrad, [grad, self]);
  return [inputGrad, weightGrad];
};

const dropoutBackward = kernel(
  "aten::native_dropout_backward(Tensor grad_output, Tensor mask, float scale) -> Tensor",
  ({ grad_output: grad, mask, scale }, context) =>
    elementwise({ real: map2((g, kept) => g * kept * scale) }, emptyOutput(context), [grad, mask]),
);

/** A float32 constant in PyTorch's kernel, whatever the dtype. */
const ONE_SIXTH = Math.fround(1 / 6);

export const activationBackwardKernels = defineKernels([
  kernel(
    "aten::sigmoid_backward(Tensor grad_output, Tensor output) -> Tensor",
    ({ grad_output: grad, output }, context) =>
      isComplexDType(context.meta.dtype)
        ? complexGradient(grad, output, sigmoidSlope, context)
        : gradient(grad, output, (g, y, f) => f(g * f(1 - y)) * y, context),
  ),
  kernel(
    "aten::tanh_backward(Tensor grad_output, Tensor output) -> Tensor",
    ({ grad_output: grad, output }, context) =>
      isComplexDType(context.meta.dtype)
        ? complexGradient(grad, output, tanhSlope, context)
        : gradient(grad, output, (g, y, f) => g * f(1 - f(y * y)), context),
  ),
  kernel(
    "aten::silu_backward(Tensor grad_output, Tensor self) -> Tensor",
    ({ grad_output: grad, self }, context) => gradient(grad, self, silu, context),
  ),
  kernel(
    "aten::mish_backward(Tensor grad_output, Tensor self) -> Tensor",
    ({ grad_output: grad, self }, context) => gradient(grad, self, mish, context),
  ),
  kernel(
    'aten::gelu_backward(Tensor grad_output, Tensor self, *, str approximate="none") -> Tensor',
    ({ grad_output: grad, self, approximate }, context) =>
      gradient(grad, self, approximate === "tanh" ? geluTanh : gelu, context),
  ),
  eluBackward,
  kernel(
    "aten::leaky_relu_backward(Tensor grad_output, Tensor self, Scalar negative_slope, bool self_is_result) -> Tensor",
    ({ grad_output: grad, self, negative_slope }, context) => {
      const slope = computedLimit(self.dtype, negative_slope);
      return gradient(grad, self, (g, x) => (x > 0 ? g : g * slope), context);
    },
  ),
  kernel(
    "aten::hardswish_backward(Tensor grad_output, Tensor self) -> Tensor",
    ({ grad_output: grad, self }, context) =>
      gradient(grad, self, (g, x, f) => (x <= -3 ? 0 : x < 3 ? g * f(f(x / 3) + 0.5) : g), context),
  ),
  kernel(
    "aten::hardsigmoid_backward(Tensor grad_output, Tensor self) -> Tensor",
    ({ grad_output: grad, self }, context) =>
      gradient(grad, self, (g, x) => (x > -3 && x < 3 ? g * ONE_SIXTH : 0), context),
  ),
  kernel(
    "aten::softplus_backward(Tensor grad_output, Tensor self, Scalar beta, Scalar threshold) -> Tensor",
    ({ grad_output: grad, self, beta, threshold }, context) =>
      gradient(grad, self, softplus(toNumber(beta), toNumber(threshold)), context),
  ),
  logSigmoidBackward,
  kernel(
    "aten::hardtanh_backward(Tensor grad_output, Tensor self, Scalar min_val, Scalar max_val) -> Tensor",
    ({ grad_output: grad, self, min_val, max_val }, context) => {
      const [low, high] = [computedLimit(self.dtype, min_val), computedLimit(self.dtype, max_val)];
      return gate(grad, self, (x) => !(x <= low || x >= high), context);
    },
  ),
  kernel(
    "aten::threshold_backward(Tensor grad_output, Tensor self, Scalar threshold) -> Tensor",
    ({ grad_output: grad, self, threshold }, context) => {
      const limit = elementLimit(self.dtype, threshold);
      const real = map2((g, x) => (x <= limit ? 0 : g));
      const big = isIntegralDType(self.dtype) ? bigGate(integerOf(threshold)) : undefined;
      return elementwise({ real, big }, emptyOutput(context), [grad, self]);
    },
  ),
  kernel(
    "aten::hardshrink_backward(Tensor grad_out, Tensor self, Scalar lambd) -> Tensor",
    ({ grad_out: grad, self, lambd }, context) => {
      const l = limitIn(self.dtype, lambd);
      return gate(grad, self, (x) => !(x >= -l && x <= l), context);
    },
  ),
  kernel(
    "aten::softshrink_backward(Tensor grad_output, Tensor self, Scalar lambd) -> Tensor",
    ({ grad_output: grad, self, lambd }, context) => {
      const l = limitIn(self.dtype, lambd);
      return gate(grad, self, (x) => !(x >= -l && x <= l), context);
    },
  ),
  logitBackward,
  kernel(
    "aten::_prelu_kernel_backward(Tensor grad_output, Tensor self, Tensor weight) -> (Tensor, Tensor)",
    preluBackward,
  ),
  dropoutBackward,
]);
