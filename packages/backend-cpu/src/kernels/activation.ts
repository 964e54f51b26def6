/** @file Activation functions. */
import { type ScalarLiteral, toNumber } from "@sconce/ir";
import { integerOf } from "@sconce/ops";
import { isIntegralDType, type Tensor } from "@sconce/tensor";
import { stepOf } from "../kernel/half.js";
import { defineKernels, emptyOutput, emptyOutputs, type Kernel, kernel } from "../kernel/kernel.js";
import { computedLimit, elementLimit, limitIn } from "./activation-limits.js";
import { complexLoops } from "./complex-loops.js";
import { type ComplexLoop, elementwise, type LaneLoop, map1, map2, type Operand } from "./pointwise-loop.js";
import {
  geluLoop,
  geluSingleLoop,
  hardsigmoidLoop,
  hardswishLoop,
  hardswishSingleLoop,
  siluLoop,
  siluSingleLoop,
} from "./pointwise-loops.js";
import { softplus } from "./pointwise-math.js";

type Unary = { readonly self: Tensor };

const looped =
  (real: LaneLoop, complex?: ComplexLoop): Kernel<Unary> =>
  ({ self }, context) =>
    elementwise({ real, complex }, emptyOutput(context), [self]);
const activation = (f: (x: number) => number): Kernel<Unary> => looped(map1(f));
/** One loop for float64, another for what PyTorch computes in float32. */
const loopedBy =
  (double: LaneLoop, single: LaneLoop, complex?: ComplexLoop): Kernel<Unary> =>
  ({ self }, context) =>
    elementwise({ real: loopOf(self, double, single), complex }, emptyOutput(context), [self]);
const loopOf = ({ dtype }: Tensor, double: LaneLoop, single: LaneLoop): LaneLoop =>
  dtype === "float64" ? double : single;

/** Returns an activation whose function depends on arguments besides the tensor. */
const withArguments =
  <A extends Unary>(make: (args: A) => (x: number) => number): Kernel<A> =>
  (args, context) =>
    elementwise({ real: map1(make(args)) }, emptyOutput(context), [args.self]);

const SQRT_TWO_OVER_PI = Math.sqrt(2 / Math.PI);
const geluTanh = (x: number): number =>
  0.5 * x * (1 + Math.tanh(SQRT_TWO_OVER_PI * (x + 0.044715 * x * x * x)));

type Elu = Unary & {
  readonly alpha: ScalarLiteral;
  readonly scale: ScalarLiteral;
  readonly input_scale: ScalarLiteral;
};
const elu = withArguments<Elu>(({ self: { dtype }, alpha, scale, input_scale: inputScale }) => {
  const [height, positive, input] = [alpha, scale, inputScale].map((value) =>
    computedLimit(dtype, value),
  ) as [number, number, number];
  const negative = stepOf(dtype)(height * positive);
  return (x) => (x <= 0 ? negative * Math.expm1(x * input) : x * positive);
});

const celu = withArguments<Unary & { readonly alpha: ScalarLiteral }>(({ self: { dtype }, alpha }) => {
  const a = computedLimit(dtype, alpha);
  const inverse = stepOf(dtype)(1 / toNumber(alpha));
  return (x) => (x <= 0 ? a * Math.expm1(x * inverse) : x);
});

const SELU_ALPHA = 1.6732632423543772;
const SELU_SCALE = 1.0507009873554805;
const selu = (x: number): number => (x <= 0 ? SELU_SCALE * SELU_ALPHA * Math.expm1(x) : SELU_SCALE * x);

const leakyRelu = withArguments<Unary & { readonly negative_slope: ScalarLiteral }>(
  ({ self, negative_slope: slope }) => {
    const s = computedLimit(self.dtype, slope);
    return (x) => (x > 0 ? x : x * s);
  },
);

type Softplus = Unary & { readonly beta: ScalarLiteral; readonly threshold: ScalarLiteral };
const softplusKernel = withArguments<Softplus>(({ self, beta, threshold }) => {
  const [b, limit] = [computedLimit(self.dtype, beta), computedLimit(self.dtype, threshold)];
  return (x) => (x * b > limit ? x : Math.log1p(Math.exp(x * b)) / b);
});

const hardshrink = withArguments<Unary & { readonly lambd: ScalarLiteral }>(({ self, lambd }) => {
  const l = limitIn(self.dtype, lambd);
  return (x) => (x >= -l && x <= l ? 0 : x);
});

const softshrink = withArguments<Unary & { readonly lambd: ScalarLiteral }>(({ self, lambd }) => {
  const l = limitIn(self.dtype, lambd);
  // As PyTorch does it: zeros keep the sign, and NaN stays.
  return (x) => (x > l ? x - l : x < -l ? x + l : x * 0);
});

type Threshold = Unary & { readonly threshold: ScalarLiteral; readonly value: ScalarLiteral };
const threshold: Kernel<Threshold> = ({ self, threshold: limit, value }, context) => {
  const l = elementLimit(self.dtype, limit);
  const v = toNumber(value);
  const real = map1((x) => (x <= l ? v : x));
  const big = isIntegralDType(self.dtype) ? bigThreshold(integerOf(limit), integerOf(value)) : undefined;
  return elementwise({ real, big }, emptyOutput(context), [self]);
};
const bigThreshold =
  (limit: bigint, value: bigint) =>
  (x: bigint): bigint =>
    x <= limit ? value : x;

const prelu: Kernel<{ self: Tensor; weight: Operand }> = ({ self, weight }, context) =>
  elementwise({ real: map2((x, w) => (x > 0 ? x : x * w)) }, emptyOutput(context), [self, weight]);

const gelu = kernel(
  'aten::gelu(Tensor self, *, str approximate="none") -> Tensor',
  ({ self, approximate }, context) => {
    // Infinities are NaN in PyTorch's float32, and in bfloat16, which it computes in float32.
    const exact = self.dtype === "float16" ? geluLoop : loopOf(self, geluLoop, geluSingleLoop);
    return elementwise({ real: approximate === "tanh" ? map1(geluTanh) : exact }, emptyOutput(context), [
      self,
    ]);
  },
);

/** What is too small is a positive zero: it is a difference of zeros. */
const logSigmoid = map1((x) => -softplus(-x) + 0);
const logSigmoidSingle = map1((x) => Math.fround(-softplus(-x)) + 0);

/** The second result, a buffer for the backward pass, is empty on the CPU's vectorized path. */
const logSigmoidForward = kernel(
  "aten::log_sigmoid_forward(Tensor self) -> (Tensor output, Tensor buffer)",
  ({ self }, context) => {
    const [out, buffer] = emptyOutputs(context);
    elementwise({ real: loopOf(self, logSigmoid, logSigmoidSingle) }, out, [self]);
    if (buffer.numel > 0) elementwise({ real: map1((x) => Math.exp(-Math.abs(x))) }, buffer, [self]);
    return [out, buffer];
  },
);

const relu6 = (x: number): number => (x < 0 ? 0 : x > 6 ? 6 : x);

export const activationKernels = defineKernels([
  gelu,
  kernel("aten::silu(Tensor self) -> Tensor", loopedBy(siluLoop, siluSingleLoop, complexLoops.silu)),
  kernel(
    "aten::mish(Tensor self) -> Tensor",
    activation((x) => x * Math.tanh(softplus(x))),
  ),
  kernel("aten::hardswish(Tensor self) -> Tensor", loopedBy(hardswishLoop, hardswishSingleLoop)),
  kernel("aten::hardsigmoid(Tensor self) -> Tensor", looped(hardsigmoidLoop)),
  kernel("aten::relu6(Tensor self) -> Tensor", activation(relu6)),
  kernel("aten::elu(Tensor self, Scalar alpha=1, Scalar scale=1, Scalar input_scale=1) -> Tensor", elu),
  kernel("aten::celu(Tensor self, Scalar alpha=1.) -> Tensor", celu),
  kernel("aten::selu(Tensor self) -> Tensor", activation(selu)),
  kernel("aten::leaky_relu(Tensor self, Scalar negative_slope=0.01) -> Tensor", leakyRelu),
  kernel("aten::softplus(Tensor self, Scalar beta=1, Scalar threshold=20) -> Tensor", softplusKernel),
  kernel("aten::hardshrink(Tensor self, Scalar lambd=0.5) -> Tensor", hardshrink),
  kernel("aten::softshrink(Tensor self, Scalar lambd=0.5) -> Tensor", softshrink),
  kernel("aten::threshold(Tensor self, Scalar threshold, Scalar value) -> Tensor", threshold),
  kernel("aten::_prelu_kernel(Tensor self, Tensor weight) -> Tensor", prelu),
  kernel("aten::log_sigmoid(Tensor self) -> Tensor", loopedBy(logSigmoid, logSigmoidSingle)),
  logSigmoidForward,
]);
