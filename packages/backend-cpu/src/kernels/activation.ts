/** @file Activation functions. */
import { type ScalarLiteral, toNumber } from "@sconce/ir";
import { dtypeInfo, type Tensor } from "@sconce/tensor";
import { type AnyKernel, defineKernels, emptyOutput, emptyOutputs, kernel } from "../kernel/kernel.js";
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

const looped = (real: LaneLoop, complex?: ComplexLoop): AnyKernel =>
  kernel<Unary>(({ self }, context) => elementwise({ real, complex }, emptyOutput(context), [self]));
const activation = (f: (x: number) => number): AnyKernel => looped(map1(f));
/** One loop for float64, another for what PyTorch computes in float32. */
const loopedBy = (double: LaneLoop, single: LaneLoop, complex?: ComplexLoop): AnyKernel =>
  kernel<Unary>(({ self }, context) =>
    elementwise({ real: loopOf(self, double, single), complex }, emptyOutput(context), [self]),
  );
const loopOf = ({ dtype }: Tensor, double: LaneLoop, single: LaneLoop): LaneLoop =>
  dtype === "float64" ? double : single;

/** An activation whose function depends on arguments besides the tensor. */
const withArguments = <A extends Unary>(make: (args: A) => (x: number) => number): AnyKernel =>
  kernel<A>((args, context) => elementwise({ real: map1(make(args)) }, emptyOutput(context), [args.self]));

const SQRT_TWO_OVER_PI = Math.sqrt(2 / Math.PI);
const geluTanh = (x: number): number =>
  0.5 * x * (1 + Math.tanh(SQRT_TWO_OVER_PI * (x + 0.044715 * x * x * x)));

type Elu = Unary & {
  readonly alpha: ScalarLiteral;
  readonly scale: ScalarLiteral;
  readonly input_scale: ScalarLiteral;
};
const elu = withArguments<Elu>(({ alpha, scale, input_scale: inputScale }) => {
  const [negative, positive, input] = [
    toNumber(alpha) * toNumber(scale),
    toNumber(scale),
    toNumber(inputScale),
  ];
  return (x) => (x <= 0 ? negative * Math.expm1(x * input) : x * positive);
});

const celu = withArguments<Unary & { readonly alpha: ScalarLiteral }>(({ alpha }) => {
  const a = toNumber(alpha);
  return (x) => (x <= 0 ? a * Math.expm1(x / a) : x);
});

const SELU_ALPHA = 1.6732632423543772;
const SELU_SCALE = 1.0507009873554805;
const selu = (x: number): number => (x <= 0 ? SELU_SCALE * SELU_ALPHA * Math.expm1(x) : SELU_SCALE * x);

const leakyRelu = withArguments<Unary & { readonly negative_slope: ScalarLiteral }>(
  ({ negative_slope: slope }) => {
    const s = toNumber(slope);
    return (x) => (x > 0 ? x : x * s);
  },
);

type Softplus = Unary & { readonly beta: ScalarLiteral; readonly threshold: ScalarLiteral };
const softplusKernel = withArguments<Softplus>(({ beta, threshold }) => {
  const [b, limit] = [toNumber(beta), toNumber(threshold)];
  return (x) => (x * b > limit ? x : Math.log1p(Math.exp(x * b)) / b);
});

const hardshrink = withArguments<Unary & { readonly lambd: ScalarLiteral }>(({ lambd }) => {
  const l = toNumber(lambd);
  return (x) => (x >= -l && x <= l ? 0 : x);
});

const softshrink = withArguments<Unary & { readonly lambd: ScalarLiteral }>(({ lambd }) => {
  const l = toNumber(lambd);
  // As PyTorch does it: zeros keep the sign, and NaN stays.
  return (x) => (x > l ? x - l : x < -l ? x + l : x * 0);
});

type Threshold = Unary & { readonly threshold: ScalarLiteral; readonly value: ScalarLiteral };
const threshold = kernel<Threshold>(({ self, threshold: limit, value }, context) => {
  // PyTorch compares with the limit in float32, but for doubles and integers.
  const isExact = self.dtype === "float64" || dtypeInfo(self.dtype).kind !== "float";
  const l = isExact ? toNumber(limit) : Math.fround(toNumber(limit));
  const v = toNumber(value);
  return elementwise({ real: map1((x) => (x <= l ? v : x)) }, emptyOutput(context), [self]);
});

const prelu = kernel<{ self: Tensor; weight: Operand }>(({ self, weight }, context) =>
  elementwise({ real: map2((x, w) => (x > 0 ? x : x * w)) }, emptyOutput(context), [self, weight]),
);

const gelu = kernel<Unary & { approximate: string }>(({ self, approximate }, context) => {
  const exact = loopOf(self, geluLoop, geluSingleLoop);
  return elementwise({ real: approximate === "tanh" ? map1(geluTanh) : exact }, emptyOutput(context), [self]);
});

/** What is too small is a positive zero: it is a difference of zeros. */
const logSigmoid = map1((x) => -softplus(-x) + 0);
const logSigmoidSingle = map1((x) => Math.fround(-softplus(-x)) + 0);

/** The second result, a buffer for the backward pass, is empty on the CPU's vectorized path. */
const logSigmoidForward = kernel<Unary>(({ self }, context) => {
  const [out, buffer] = emptyOutputs(context) as [Tensor, Tensor];
  elementwise({ real: loopOf(self, logSigmoid, logSigmoidSingle) }, out, [self]);
  if (buffer.numel > 0) elementwise({ real: map1((x) => Math.exp(-Math.abs(x))) }, buffer, [self]);
  return [out, buffer];
});

const relu6 = (x: number): number => Math.min(Math.max(x, 0), 6);

export const activationKernels = defineKernels({
  "aten.gelu.default": gelu,
  "aten.silu.default": loopedBy(siluLoop, siluSingleLoop, complexLoops.silu),
  "aten.mish.default": activation((x) => x * Math.tanh(softplus(x))),
  "aten.hardswish.default": loopedBy(hardswishLoop, hardswishSingleLoop),
  "aten.hardsigmoid.default": looped(hardsigmoidLoop),
  "aten.relu6.default": activation(relu6),
  "aten.elu.default": elu,
  "aten.celu.default": celu,
  "aten.selu.default": activation(selu),
  "aten.leaky_relu.default": leakyRelu,
  "aten.softplus.default": softplusKernel,
  "aten.hardshrink.default": hardshrink,
  "aten.softshrink.default": softshrink,
  "aten.threshold.default": threshold,
  "aten._prelu_kernel.default": prelu,
  "aten.log_sigmoid.default": loopedBy(logSigmoid, logSigmoidSingle),
  "aten.log_sigmoid_forward.default": logSigmoidForward,
});
