/**
 * @file Gradients of activation functions, as programs exported with their backward pass hold them.
 */
import { type FakeTensor, type IntLike, float as pythonFloat } from "@sconce/ir";
import { isComplexDType } from "@sconce/tensor";
import { defineOp, type MetaContext, type OpDefinition, type OpTag } from "../rows/define-op.js";
import type { Emit } from "../rows/emit.js";
import { Arithmetic } from "../rules/arithmetic.js";
import { mayDiffer } from "../rules/comparison.js";
import { numberOf, promoted } from "../rules/decompose.js";
import { wrapDim } from "../rules/dims.js";
import { elementwise } from "../rules/elementwise.js";
import { numelOf } from "../rules/fake.js";
import { fakeInFormatOf, suggestMemoryFormat } from "../rules/memory-format.js";
import { promoteOperands, toFloatDType } from "../rules/promote.js";
import { sizeMath } from "../rules/size-math.js";
import { halvedDim } from "./activation.js";

const POINTWISE: readonly OpTag[] = ["pointwise"];

const gradient = (context: MetaContext, grad: FakeTensor, self: FakeTensor): FakeTensor =>
  elementwise(context, [grad, self]);

type PairSchema = "aten::silu_backward(Tensor grad_output, Tensor self) -> Tensor";
type Body = (t: Arithmetic, grad: FakeTensor, x: FakeTensor) => FakeTensor;

/** Returns a gradient of `grad_output` and one more tensor, computed in float32 for halves. */
const pair = (name: string, second: string, tags: readonly OpTag[], body: Body): OpDefinition =>
  defineOp({
    schema: `aten::${name}_backward(Tensor grad_output, Tensor ${second}) -> Tensor` as PairSchema,
    tags,
    meta: (args, context) => gradient(context, args.grad_output, tensorOf(args, second)),
    decompose: (emit, args) =>
      promoted(emit, "default", [args.grad_output, tensorOf(args, second)], (g, x) =>
        body(new Arithmetic(emit), g, x),
      ),
  });

const tensorOf = (args: object, name: string): FakeTensor =>
  (args as Readonly<Record<string, FakeTensor>>)[name]!;

/** `x.conj_physical()`, which leaves real tensors as they are. */
const conjugated = (t: Arithmetic, x: FakeTensor): FakeTensor =>
  isComplexDType(x.dtype) ? t.unary("conj_physical", x) : x;

const silu: Body = (t, grad, x) => {
  const gate = t.unary("sigmoid", x);
  const scaled = t.mul(grad, gate);
  return t.mul(scaled, t.add(t.mul(x, t.minus(1, gate)), 1));
};

const mish: Body = (t, grad, x) => {
  const bent = t.unary("tanh", t.unary("softplus", x));
  const gate = t.unary("sigmoid", x);
  const rest = t.mul(t.mul(x, gate), t.minus(1, t.mul(bent, bent)));
  return t.mul(grad, t.add(bent, rest));
};

const hardsigmoid: Body = (t, grad, x) => {
  const inside = t.emit("aten.bitwise_and.Tensor", [
    t.compare("gt", x, pythonFloat(-3)),
    t.compare("lt", x, pythonFloat(3)),
  ]);
  return t.where(inside, t.mul(grad, 1 / 6), pythonFloat(0));
};

const hardswish: Body = (t, grad, x) => {
  const low = t.compare("le", x, -3);
  const middle = t.compare("lt", x, 3);
  const slope = t.mul(grad, t.add(t.div(x, 3), 0.5));
  return t.where(low, pythonFloat(0), t.where(middle, slope, grad));
};

const M_2_SQRTPI = 1.1283791670955126;

function geluTanh(t: Arithmetic, grad: FakeTensor, x: FakeTensor): FakeTensor {
  const beta = Math.SQRT2 * M_2_SQRTPI * 0.5;
  const kappa = 0.044715;
  const square = t.mul(x, x);
  const cube = t.mul(square, x);
  const bent = t.unary("tanh", t.mul(t.add(x, t.mul(cube, kappa)), beta));
  const left = t.mul(x, 0.5);
  const leftSlope = t.mul(t.add(bent, 1), 0.5);
  const bentSlope = t.minus(1, t.mul(bent, bent));
  const innerSlope = t.mul(t.add(t.mul(square, 3 * kappa), 1), beta);
  const right = t.mul(t.mul(left, bentSlope), innerSlope);
  return t.mul(grad, t.add(leftSlope, right));
}

function geluExact(t: Arithmetic, grad: FakeTensor, x: FakeTensor): FakeTensor {
  const cdf = t.mul(t.add(t.unary("erf", t.mul(x, Math.SQRT1_2)), 1), 0.5);
  const pdf = t.mul(t.unary("exp", t.mul(t.mul(x, x), -0.5)), M_2_SQRTPI * Math.SQRT1_2 * 0.5);
  return t.mul(grad, t.add(cdf, t.mul(x, pdf)));
}

const gelu = defineOp({
  schema: 'aten::gelu_backward(Tensor grad_output, Tensor self, *, str approximate="none") -> Tensor',
  tags: POINTWISE,
  meta: ({ grad_output: grad, self }, context) => gradient(context, grad, self),
  decompose: (emit, { grad_output: grad, self, approximate }) =>
    promoted(emit, "default", [grad, self], (g, x) =>
      (approximate === "tanh" ? geluTanh : geluExact)(new Arithmetic(emit), g, x),
    ),
});

const threshold = defineOp({
  schema: "aten::threshold_backward(Tensor grad_output, Tensor self, Scalar threshold) -> Tensor",
  tags: POINTWISE,
  meta: ({ grad_output: grad, self }, context) => elementwise(context, [self, grad]),
  decompose: (emit, { grad_output: grad, self, threshold: limit }) => {
    const t = new Arithmetic(emit);
    return t.where(t.compare("le", self, limit), 0, grad);
  },
});

const leakyRelu = defineOp({
  schema:
    "aten::leaky_relu_backward(Tensor grad_output, Tensor self, Scalar negative_slope, bool self_is_result) -> Tensor",
  meta: ({ grad_output: grad, self }, context) => gradient(context, self, grad),
  decompose: (emit, { grad_output: grad, self, negative_slope: slope }) =>
    promoted(emit, "default", [grad, self], (g, x) => {
      const t = new Arithmetic(emit);
      const positive = t.compare("gt", x, 0);
      return t.where(positive, g, t.mul(g, slope));
    }),
});

const hardtanh = defineOp({
  schema:
    "aten::hardtanh_backward(Tensor grad_output, Tensor self, Scalar min_val, Scalar max_val) -> Tensor",
  meta: ({ grad_output: grad, self }, context) => gradient(context, grad, self),
  decompose: (emit, { grad_output: grad, self, min_val: min, max_val: max }) =>
    promoted(emit, "default", [grad, self], (g, x) => {
      const t = new Arithmetic(emit);
      const outside = emit("aten.bitwise_or.Tensor", [t.compare("le", x, min), t.compare("ge", x, max)]);
      return t.where(outside, pythonFloat(0), g);
    }),
});

const softplus = defineOp({
  schema: "aten::softplus_backward(Tensor grad_output, Tensor self, Scalar beta, Scalar threshold) -> Tensor",
  meta: ({ grad_output: grad, self }, context) => gradient(context, grad, self),
  decompose: (emit, { grad_output: grad, self, beta, threshold: limit }) =>
    promoted(emit, "default", [grad, self], (g, x) => {
      const t = new Arithmetic(emit);
      const grown = t.unary("exp", t.mul(x, beta));
      const linear = t.compare("gt", t.mul(x, beta), limit);
      return t.where(linear, g, t.div(t.mul(g, grown), t.add(grown, pythonFloat(1))));
    }),
});

const elu = defineOp({
  schema:
    "aten::elu_backward(Tensor grad_output, Scalar alpha, Scalar scale, Scalar input_scale, bool is_result, Tensor self_or_result) -> Tensor",
  meta: ({ grad_output: grad, self_or_result: self }, context) => gradient(context, grad, self),
  decompose: (
    emit,
    { grad_output: grad, alpha, scale, input_scale: inner, is_result: isResult, self_or_result: self },
  ) =>
    promoted(emit, "default", [grad, self], (g, x) => {
      const t = new Arithmetic(emit);
      const whole = [alpha, scale].every((value) => typeof value === "number" && Number.isInteger(value));
      const product = numberOf(alpha) * numberOf(scale);
      const slope = whole ? product : pythonFloat(product);
      const negative = t.compare("le", x, 0);
      const steep = t.mul(g, inner);
      const curve = isResult
        ? t.mul(steep, t.add(x, slope))
        : t.mul(t.mul(steep, slope), t.unary("exp", t.mul(x, inner)));
      return t.where(negative, curve, t.mul(g, scale));
    }),
});

type ShrinkSchema = "aten::softshrink_backward(Tensor grad_output, Tensor self, Scalar lambd) -> Tensor";
const shrink = (name: string, grad: string): OpDefinition =>
  defineOp({
    schema: `aten::${name}_backward(Tensor ${grad}, Tensor self, Scalar lambd) -> Tensor` as ShrinkSchema,
    meta: (args, context) => gradient(context, tensorOf(args, grad), args.self),
  });

const preluKernel = defineOp({
  schema: "aten::_prelu_kernel_backward(Tensor grad_output, Tensor self, Tensor weight) -> (Tensor, Tensor)",
  meta: ({ grad_output: grad, self, weight }, context) => [
    elementwise(context, [self, weight, grad], { dtype: self.dtype }),
    elementwise(context, [self, weight, grad], { dtype: self.dtype }),
  ],
  decompose: (emit, { grad_output: grad, self, weight }) => {
    const t = new Arithmetic(emit);
    const input = t.where(t.compare("gt", self, 0), grad, t.mul(weight, grad));
    return [input, t.where(t.compare("gt", self, 0), pythonFloat(0), t.mul(self, grad))];
  },
});

const glu = defineOp({
  schema: "aten::glu_backward(Tensor grad_output, Tensor self, int dim) -> Tensor",
  meta: ({ self, dim }, context) => {
    halvedDim(self, dim);
    return fakeInFormatOf(self, self.shape, context.env);
  },
  decompose: (emit, { grad_output: grad, self, dim }) =>
    promoted(emit, "default", [grad, self], (g, x) => {
      const t = new Arithmetic(emit);
      const at = wrapDim(dim, x.ndim);
      const half = sizeMath(emit, "floordiv", x.shape[at]!, 2);
      const gated = emit("aten.narrow.default", [x, at, 0, half]);
      const gate = t.unary("sigmoid", emit("aten.narrow.default", [x, at, half, half]));
      const slope = t.mul(t.mul(t.mul(t.minus(pythonFloat(1), gate), gate), gated), g);
      return emit("aten.cat.default", [[t.mul(gate, g), slope], at]);
    }),
});

const logSigmoid = defineOp({
  schema: "aten::log_sigmoid_backward(Tensor grad_output, Tensor self, Tensor buffer) -> Tensor",
  meta: ({ grad_output: grad, self }, context) => gradient(context, grad, self),
  decompose: (emit, { grad_output: grad, self, buffer }) =>
    promoted(emit, "default", [grad, self, buffer], (g, x, kept) => {
      const t = new Arithmetic(emit);
      const negative = t.compare("lt", x, 0);
      const most = t.where(negative, 1, 0);
      const sign = t.where(negative, 1, -1);
      const saved = mayDiffer(emit.env, numelOf(kept.shape), 0);
      const z = saved ? kept : t.unary("exp", t.unary("neg", t.unary("abs", x)));
      return t.mul(g, t.sub(most, t.mul(sign, t.div(z, t.add(z, 1)))));
    }),
});

const logit = defineOp({
  schema: "aten::logit_backward(Tensor grad_output, Tensor self, float? eps=None) -> Tensor",
  tags: POINTWISE,
  meta: ({ grad_output: grad, self }, context) => gradient(context, grad, self),
  decompose: (emit, { grad_output: grad, self, eps }) =>
    promoted(emit, "default", [grad, self], (g, x) => {
      const t = new Arithmetic(emit);
      const low = t.compare("ge", x, pythonFloat(eps ?? 0));
      const high = t.compare("le", x, pythonFloat(1 - (eps ?? 0)));
      const inside = emit("aten.logical_and.default", [low, high]);
      const slope = t.div(g, t.mul(x, t.minus(pythonFloat(1), x)));
      const outside = eps === null ? emit("aten.new_full.default", [x, [], Number.NaN]) : pythonFloat(0);
      return t.where(inside, slope, outside);
    }),
});

const dropout = defineOp({
  schema: "aten::native_dropout_backward(Tensor grad_output, Tensor mask, float scale) -> Tensor",
  tags: POINTWISE,
  meta: ({ grad_output: grad, mask, scale }, context) => {
    const dtype = toFloatDType(promoteOperands([grad, mask, pythonFloat(scale)]));
    return elementwise(context, [grad, mask], { dtype });
  },
  decompose: (emit, { grad_output: grad, mask, scale }) => {
    const t = new Arithmetic(emit);
    const { dtype, layout, device } = grad;
    const cast =
      mask.dtype === dtype ? mask : emit("aten._to_copy.default", [mask], { dtype, layout, device });
    const kept = t.mul(cast, pythonFloat(scale));
    const format = suggestMemoryFormat(grad, emit.env);
    return emit("aten.clone.default", [t.mul(grad, kept)], { memory_format: format });
  },
});

/** The gradient of `gelu` from functions that have gradients themselves (`Activation.cpp`). */
const differentiableGelu = defineOp({
  schema: "aten::infinitely_differentiable_gelu_backward(Tensor grad, Tensor self) -> Tensor",
  tags: ["composite"],
  decompose: (emit, { grad, self }) => {
    const by = (x: FakeTensor, value: number): FakeTensor => emit("aten.mul.Scalar", [x, pythonFloat(value)]);
    const erf = emit("aten.erf.default", [by(self, Math.SQRT1_2)]);
    const distribution = by(emit("aten.add.Scalar", [erf, pythonFloat(1)]), 0.5);
    const density = emit("aten.exp.default", [emit("aten.mul.Tensor", [by(self, -0.5), self])]);
    const slope = emit("aten.mul.Tensor", [self, 1 / Math.sqrt(2 * Math.PI)]);
    const sum = emit("aten.add.Tensor", [distribution, emit("aten.mul.Tensor", [slope, density])]);
    return emit("aten.mul.Tensor", [sum, grad]);
  },
});

type Halves = readonly [FakeTensor, FakeTensor];

/** Returns the values and the gates of a gated linear unit. */
const halvesOf = (emit: Emit, x: FakeTensor, dim: number, size: IntLike): Halves => [
  emit("aten.narrow.default", [x, dim, 0, size]),
  emit("aten.narrow.default", [x, dim, size, size]),
];

/** Returns the derivative of a sigmoid in a direction. */
const gateSlope = (t: Arithmetic, direction: FakeTensor, gate: FakeTensor): FakeTensor =>
  t.sub(direction, t.mul(direction, gate));

const gluJvp = defineOp({
  schema: "aten::glu_jvp(Tensor glu, Tensor x, Tensor dx, int dim) -> Tensor",
  doc: "The derivative of `glu` in a direction, for forward-mode differentiation.",
  tags: ["not_in_default_table"],
  decompose: (emit, { glu: y, x, dx, dim }) => {
    const at = wrapDim(dim, x.ndim);
    const size = y.shape[at]!;
    const t = new Arithmetic(emit);
    const [, b] = halvesOf(emit, x, at, size);
    const [da, db] = halvesOf(emit, dx, at, size);
    const gate = t.unary("sigmoid", b);
    return t.add(t.mul(da, gate), t.mul(y, gateSlope(t, db, gate)));
  },
});

const gluBackwardJvp = defineOp({
  schema:
    "aten::glu_backward_jvp(Tensor grad_x, Tensor grad_glu, Tensor x, Tensor dgrad_glu, Tensor dx, int dim) -> Tensor",
  doc: "The derivative of the gradient of `glu` in a direction.",
  tags: ["not_in_default_table"],
  decompose: (emit, { grad_x: gradX, grad_glu: grad, x, dgrad_glu: gradDirection, dx, dim }) => {
    const at = wrapDim(dim, x.ndim);
    const size = grad.shape[at]!;
    const t = new Arithmetic(emit);
    const [a, b] = halvesOf(emit, x, at, size);
    const [da, db] = halvesOf(emit, dx, at, size);
    const [first] = halvesOf(emit, gradX, at, size);
    const gate = t.unary("sigmoid", b);
    const y = t.mul(a, gate);
    const slope = gateSlope(t, db, gate);
    const ofValues = t.add(t.mul(gradDirection, gate), t.mul(first, slope));
    const change = t.sub(t.sub(da, t.mul(da, gate)), t.mul(y, slope));
    const ofGates = t.add(t.mul(ofValues, t.sub(a, y)), t.mul(first, change));
    return emit("aten.cat.default", [[ofValues, ofGates], at]);
  },
});

export const activationBackwardOps: readonly OpDefinition[] = [
  gluJvp,
  gluBackwardJvp,
  differentiableGelu,
  pair("silu", "self", ["composite", "pointwise", "not_in_default_table"], silu),
  pair("mish", "self", ["composite", "not_in_default_table"], mish),
  pair("sigmoid", "output", POINTWISE, (t, grad, y) => t.mul(grad, conjugated(t, t.mul(y, t.minus(1, y))))),
  pair("tanh", "output", POINTWISE, (t, grad, y) => t.mul(grad, conjugated(t, t.minus(1, t.mul(y, y))))),
  pair("hardsigmoid", "self", [], hardsigmoid),
  pair("hardswish", "self", [], hardswish),
  gelu,
  threshold,
  leakyRelu,
  hardtanh,
  softplus,
  elu,
  shrink("softshrink", "grad_output"),
  shrink("hardshrink", "grad_out"),
  preluKernel,
  glu,
  logSigmoid,
  logit,
  dropout,
];
