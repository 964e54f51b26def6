/** @file Gradients of elementwise functions: the incoming gradient times the derivative. */
import { type ScalarLiteral, toNumber } from "@sconce/ir";
import type { Tensor } from "@sconce/tensor";
import { type AnyKernel, defineKernels, emptyOutput, emptyOutputs, kernel } from "../kernel.js";
import { elementwise, map2, map3, type Operand } from "./pointwise-loop.js";
import { sigmoid, softplus } from "./pointwise-math.js";
import { erf } from "./pointwise-special.js";

type Args = Readonly<Record<string, unknown>>;
type Derivative = (x: number) => number;

/** `grad * derivative(x)`, where `x` is the named argument and the derivative may depend on the others. */
const gradient = (xName: string, make: (args: Args) => Derivative, gradName = "grad_output"): AnyKernel =>
  kernel<Args>((args, context) => {
    const derivative = make(args);
    const real = map2((grad, x) => grad * derivative(x));
    return elementwise({ real }, emptyOutput(context), [args[gradName] as Tensor, args[xName] as Tensor]);
  });

/** The same where the gradient passes or is dropped: 0 times infinity must not come up. */
const gate = (passes: (args: Args) => (x: number) => boolean, gradName = "grad_output"): AnyKernel =>
  kernel<Args>((args, context) => {
    const test = passes(args);
    const real = map2((grad, x) => (test(x) ? grad : 0));
    return elementwise({ real }, emptyOutput(context), [args[gradName] as Tensor, args["self"] as Tensor]);
  });

const scalar = (args: Args, name: string): number => toNumber(args[name] as ScalarLiteral);

const siluSlope: Derivative = (x) => {
  const s = sigmoid(x);
  return s * (1 + x * (1 - s));
};

const mishSlope: Derivative = (x) => {
  const t = Math.tanh(softplus(x));
  return t + x * sigmoid(x) * (1 - t * t);
};

const geluSlope: Derivative = (x) =>
  0.5 * (1 + erf(x * Math.SQRT1_2)) + (x * Math.exp(-0.5 * x * x)) / Math.sqrt(2 * Math.PI);

const geluTanhSlope: Derivative = (x) => {
  const beta = Math.sqrt(2 / Math.PI);
  const t = Math.tanh(beta * (x + 0.044715 * x * x * x));
  return 0.5 * (1 + t) + 0.5 * x * (1 - t * t) * beta * (1 + 3 * 0.044715 * x * x);
};

function eluSlope(args: Args): Derivative {
  const [alpha, scale, input] = ["alpha", "scale", "input_scale"].map((name) => scalar(args, name)) as [
    number,
    number,
    number,
  ];
  const negative = alpha * scale;
  if (args["is_result"]) return (y) => (y <= 0 ? input * (y + negative) : scale);
  return (x) => (x <= 0 ? input * negative * Math.exp(x * input) : scale);
}

function softplusSlope(args: Args): Derivative {
  const [beta, threshold] = [scalar(args, "beta"), scalar(args, "threshold")];
  return (x) => (x * beta > threshold ? 1 : sigmoid(x * beta));
}

const logitBackward = kernel<{ grad_output: Tensor; self: Tensor; eps: number | null }>(
  ({ grad_output: grad, self, eps }, context) => {
    const [low, high] = [eps ?? 0, 1 - (eps ?? 0)];
    const outside = eps === null ? Number.NaN : 0;
    const real = map2((g, x) =>
      x < low || x > high ? outside : x === 0 || x === 1 ? g * Infinity : g / (x * (1 - x)),
    );
    return elementwise({ real }, emptyOutput(context), [grad, self]);
  },
);

type Loss = {
  readonly grad_output: Tensor;
  readonly self: Tensor;
  readonly target: Tensor;
  readonly reduction: number;
};

/** Gradient of a loss in its input; the mean (reduction 1) divides by the number of elements. */
const lossGradient = <A extends Loss>(make: (args: A) => (x: number, target: number) => number): AnyKernel =>
  kernel<A>((args, context) => {
    const slope = make(args);
    const out = emptyOutput(context);
    const scale = args.reduction === 1 ? 1 / out.numel : 1;
    const real = map3((grad, x, target) => grad * slope(x, target) * scale);
    return elementwise({ real }, out, [args.grad_output, args.self, args.target]);
  });

const smoothL1 = lossGradient<Loss & { beta: number }>(({ beta }) => (x, target) => {
  const difference = x - target;
  return difference <= -beta ? -1 : difference >= beta ? 1 : difference / beta;
});

const huber = lossGradient<Loss & { delta: number }>(
  ({ delta }) =>
    (x, target) =>
      Math.min(Math.max(x - target, -delta), delta),
);

const softMargin = lossGradient<Loss>(() => (x, target) => -target * sigmoid(-target * x));

type Bce = Loss & { readonly weight: Tensor | null };
const binaryCrossEntropy = kernel<Bce>(({ grad_output: grad, self, target, weight, reduction }, context) => {
  const out = emptyOutput(context);
  const scale = reduction === 1 ? 1 / out.numel : 1;
  const slope = map3((g, x, t) => (g * (x - t) * scale) / Math.max((1 - x) * x, 1e-12));
  elementwise({ real: slope }, out, [grad, self, target]);
  return weight === null ? out : elementwise({ real: map2((g, w) => g * w) }, out, [out, weight]);
});

const preluBackward = kernel<{ grad_output: Tensor; self: Tensor; weight: Operand }>(
  ({ grad_output: grad, self, weight }, context) => {
    const [inputGrad, weightGrad] = emptyOutputs(context) as [Tensor, Tensor];
    elementwise({ real: map3((g, x, w) => (x > 0 ? g : w * g)) }, inputGrad, [grad, self, weight]);
    elementwise({ real: map2((g, x) => (x > 0 ? 0 : x * g)) }, weightGrad, [grad, self]);
    return [inputGrad, weightGrad];
  },
);

const dropoutBackward = kernel<{ grad_output: Tensor; mask: Tensor; scale: number }>(
  ({ grad_output: grad, mask, scale }, context) =>
    elementwise({ real: map2((g, kept) => g * kept * scale) }, emptyOutput(context), [grad, mask]),
);

export const pointwiseBackwardKernels = defineKernels({
  "aten.sigmoid_backward.default": gradient("output", () => (y) => y * (1 - y)),
  "aten.tanh_backward.default": gradient("output", () => (y) => 1 - y * y),
  "aten.silu_backward.default": gradient("self", () => siluSlope),
  "aten.mish_backward.default": gradient("self", () => mishSlope),
  "aten.gelu_backward.default": gradient("self", (args) =>
    args["approximate"] === "tanh" ? geluTanhSlope : geluSlope,
  ),
  "aten.elu_backward.default": gradient("self_or_result", eluSlope),
  "aten.leaky_relu_backward.default": gradient("self", (args) => {
    const slope = scalar(args, "negative_slope");
    return (x) => (x > 0 ? 1 : slope);
  }),
  "aten.hardswish_backward.default": gradient("self", () => (x) => (x < -3 ? 0 : x <= 3 ? x / 3 + 0.5 : 1)),
  "aten.hardsigmoid_backward.default": gradient("self", () => (x) => (x > -3 && x < 3 ? 1 / 6 : 0)),
  "aten.softplus_backward.default": gradient("self", softplusSlope),
  "aten.log_sigmoid_backward.default": gradient("self", () => (x) => sigmoid(-x)),
  "aten.hardtanh_backward.default": gate((args) => {
    const [low, high] = [scalar(args, "min_val"), scalar(args, "max_val")];
    return (x) => !(x <= low || x >= high);
  }),
  "aten.threshold_backward.default": gate((args) => {
    const limit = scalar(args, "threshold");
    return (x) => !(x <= limit);
  }),
  "aten.hardshrink_backward.default": gate((args) => {
    const l = scalar(args, "lambd");
    return (x) => !(x >= -l && x <= l);
  }, "grad_out"),
  "aten.softshrink_backward.default": gate((args) => {
    const l = scalar(args, "lambd");
    return (x) => !(x >= -l && x <= l);
  }),
  "aten.logit_backward.default": logitBackward,
  "aten.mse_loss_backward.default": lossGradient(() => (x, target) => 2 * (x - target)),
  "aten.smooth_l1_loss_backward.default": smoothL1,
  "aten.huber_loss_backward.default": huber,
  "aten.soft_margin_loss_backward.default": softMargin,
  "aten.binary_cross_entropy_backward.default": binaryCrossEntropy,
  "aten._prelu_kernel_backward.default": preluBackward,
  "aten.native_dropout_backward.default": dropoutBackward,
});
