/** @file Activation functions and what they become. */
import type { FakeTensor, IntLike } from "@sconce/ir";
import { eq, floorDiv, le, mod, mul } from "@sconce/symbolic";
import { isIntegralDType } from "@sconce/tensor";
import { defineOp, type MetaContext, type OpDefinition } from "../rows/define-op.js";
import type { Emit } from "../rows/emit.js";
import { dtypeMismatch, invalidArgument, requireWord, shapeMismatch } from "../rows/errors.js";
import { check, isEqual } from "../rules/comparison.js";
import {
  convert,
  isFloatLiteral,
  isIntLiteral,
  knownNumber,
  numberOf,
  promoted,
} from "../rules/decompose.js";
import { describeSize } from "../rules/describe.js";
import { wrapDim } from "../rules/dims.js";
import { elementwise } from "../rules/elementwise.js";
import { numelOf, rowMajorLike } from "../rules/fake.js";
import { viewOf } from "../rules/view-geometry.js";
import { askLayout, hasReferenceView } from "../rules/view-reference.js";
import type { ScalarArg } from "../schema/schema-types.js";

/** Keeps shape and dtype. */
function same(context: MetaContext, self: FakeTensor): FakeTensor {
  return elementwise(context, [self], { dtype: self.dtype });
}

const relu = defineOp({
  schema: "aten::relu(Tensor self) -> Tensor",
  tags: ["core", "pointwise"],
  // PyTorch computes it as `where(self <= 0, 0, self)`.
  meta: ({ self }, context) =>
    context.isInPlace === true
      ? same(context, self)
      : elementwise(context, [same(context, self), self], { dtype: self.dtype }),
});

const relu6 = defineOp({
  schema: "aten::relu6(Tensor self) -> Tensor",
  tags: ["composite", "pointwise"],
  meta: ({ self }, context) => {
    if (self.dtype === "bool") throw dtypeMismatch("Bool inputs not supported for hardtanh");
    return same(context, self);
  },
  decompose: (emit, { self }) => emit("aten.hardtanh.default", [self, 0, 6]),
});

const gelu = defineOp({
  schema: 'aten::gelu(Tensor self, *, str approximate="none") -> Tensor',
  tags: ["core", "pointwise"],
  meta: ({ self, approximate }, context) => {
    requireWord(approximate, ["none", "tanh"], "approximate argument must be either none or tanh.");
    return same(context, self);
  },
});

const silu = defineOp({
  schema: "aten::silu(Tensor self) -> Tensor",
  tags: ["pointwise"],
  meta: ({ self }, context) => same(context, self),
  decompose: (emit, { self }) =>
    promoted(emit, "default", [self], (x) => emit("aten.mul.Tensor", [x, emit("aten.sigmoid.default", [x])])),
});

/** `clamp(clamp(x + 3, min=0), max=6)` */
function shiftedRelu6(emit: Emit, x: FakeTensor): FakeTensor {
  const shifted = emit("aten.add.Tensor", [x, 3]);
  return emit("aten.clamp.default", [emit("aten.clamp.default", [shifted, 0]), null, 6]);
}

const hardswish = defineOp({
  schema: "aten::hardswish(Tensor self) -> Tensor",
  meta: ({ self }, context) => same(context, self),
  decompose: (emit, { self }) =>
    promoted(emit, "default", [self], (x) =>
      emit("aten.div.Tensor", [emit("aten.mul.Tensor", [x, shiftedRelu6(emit, x)]), 6]),
    ),
});

const hardsigmoid = defineOp({
  schema: "aten::hardsigmoid(Tensor self) -> Tensor",
  tags: ["pointwise"],
  meta: ({ self }, context) => same(context, self),
  decompose: (emit, { self }) =>
    promoted(emit, "default", [self], (x) => emit("aten.div.Tensor", [shiftedRelu6(emit, x), 6])),
});

const hardtanh = defineOp({
  schema: "aten::hardtanh(Tensor self, Scalar min_val=-1, Scalar max_val=1) -> Tensor",
  tags: ["core", "pointwise"],
  meta: ({ self, min_val: min }, context) => {
    if (self.dtype === "bool") throw dtypeMismatch("Bool inputs not supported for hardtanh");
    if (!self.dtype.startsWith("uint")) return same(context, self);
    if ((knownNumber(min) ?? 0) < 0)
      throw invalidArgument("cannot do hardtanh on an unsigned type with negative limits");
    return same(context, self);
  },
});

const mish = defineOp({
  schema: "aten::mish(Tensor self) -> Tensor",
  tags: ["pointwise"],
  meta: ({ self }, context) => same(context, self),
  decompose: (emit, { self }) =>
    promoted(emit, "default", [self], (x) =>
      emit("aten.mul.Tensor", [x, emit("aten.tanh.default", [emit("aten.softplus.default", [x])])]),
    ),
});

const softplus = defineOp({
  schema: "aten::softplus(Tensor self, Scalar beta=1, Scalar threshold=20) -> Tensor",
  tags: ["pointwise"],
  meta: ({ self }, context) => same(context, self),
  decompose: (emit, { self, beta, threshold }) =>
    promoted(emit, "default", [self], (x) => {
      // PyTorch's dispatcher drops arguments equal to their defaults, and without beta nothing is
      // scaled.
      const plain = isIntLiteral(beta, 1);
      const scaled = plain ? x : emit("aten.mul.Tensor", [x, beta]);
      const log = emit("aten.log1p.default", [emit("aten.exp.default", [scaled])]);
      const soft = plain ? log : emit("aten.true_divide.Tensor", [log, beta]);
      return emit("aten.where.self", [emit("aten.gt.Scalar", [scaled, threshold]), x, soft]);
    }),
});

const elu = defineOp({
  schema: "aten::elu(Tensor self, Scalar alpha=1, Scalar scale=1, Scalar input_scale=1) -> Tensor",
  tags: ["core", "pointwise"],
  meta: ({ self }, context) => same(context, self),
});

const selu = defineOp({
  schema: "aten::selu(Tensor self) -> Tensor",
  tags: ["composite", "pointwise"],
  meta: ({ self }, context) => same(context, self),
  decompose: (emit, { self }) => emit("aten.elu.default", [self, 1.6732632423543772, 1.0507009873554805]),
});

const celu = defineOp({
  schema: "aten::celu(Tensor self, Scalar alpha=1.) -> Tensor",
  tags: ["pointwise"],
  meta: ({ self, alpha }, context) => {
    if (numberOf(alpha) === 0) throw invalidArgument("ZeroDivisionError: alpha cannot be 0 for CELU");
    return same(context, self);
  },
  decompose: (emit, { self, alpha }) =>
    promoted(emit, "default", [self], (x) => {
      const negative = isFloatLiteral(alpha, 1)
        ? emit("aten.expm1.default", [x])
        : emit("aten.mul.Tensor", [
            emit("aten.expm1.default", [emit("aten.true_divide.Tensor", [x, alpha])]),
            alpha,
          ]);
      return emit("aten.where.self", [emit("aten.gt.Scalar", [x, 0]), x, negative]);
    }),
});

const leakyRelu = defineOp({
  schema: "aten::leaky_relu(Tensor self, Scalar negative_slope=0.01) -> Tensor",
  tags: ["core", "pointwise"],
  meta: ({ self }, context) => same(context, self),
});

const softshrink = defineOp({
  schema: "aten::softshrink(Tensor self, Scalar lambd=0.5) -> Tensor",
  tags: ["pointwise"],
  meta: ({ self, lambd }, context) => {
    if (!(numberOf(lambd) >= 0)) {
      throw invalidArgument(`lambda must be greater or equal to 0, but found to be ${numberOf(lambd)}.`);
    }
    return same(context, self);
  },
  decompose: (emit, { self, lambd }) => {
    const half = self.dtype === "bfloat16" || self.dtype === "float16";
    const bound = half
      ? emit("aten.scalar_tensor.default", [lambd], {
          dtype: self.dtype,
          device: self.device,
          pin_memory: false,
        })
      : undefined;
    const size = emit("aten.abs.default", [self]);
    const outside = bound ? emit("aten.gt.Tensor", [size, bound]) : emit("aten.gt.Scalar", [size, lambd]);
    const step = emit("aten.mul.Tensor", [emit("aten.sign.default", [self]), bound ?? lambd]);
    const moved = emit("aten.sub.Tensor", [self, step]);
    return emit("aten.where.self", [outside, moved, emit("aten.mul.Tensor", [self, 0])]);
  },
});

const hardshrink = defineOp({
  schema: "aten::hardshrink(Tensor self, Scalar lambd=0.5) -> Tensor",
  tags: ["pointwise"],
  meta: ({ self }, context) => same(context, self),
  decompose: (emit, { self, lambd }) => {
    const inside = emit("aten.le.Scalar", [emit("aten.abs.default", [self]), lambd]);
    return emit("aten.where.ScalarSelf", [inside, 0, self]);
  },
});

const threshold = defineOp({
  schema: "aten::threshold(Tensor self, Scalar threshold, Scalar value) -> Tensor",
  tags: ["pointwise"],
  meta: ({ self }, context) => same(context, self),
  decompose: (emit, { self, threshold: limit, value }) =>
    promoted(emit, "default", [self], (x) => {
      // The kernel converts the numbers to the dtype, which cuts them for integers.
      const cuts = emit.runsKernels === true && isIntegralDType(x.dtype);
      const [most, other] = cuts ? [whole(limit), whole(value)] : [limit, value];
      return emit("aten.where.ScalarSelf", [emit("aten.le.Scalar", [x, most]), other, x]);
    }),
});

function whole(value: ScalarArg): ScalarArg {
  if (typeof value === "number") return Math.trunc(value);
  return typeof value === "object" && value.kind === "float" ? Math.trunc(value.value) : value;
}

/** Returns the dimension, counted from the front, that `glu` splits in two gates of equal size. */
export function halvedDim(self: FakeTensor, dim: IntLike): number {
  if (self.ndim === 0) throw invalidArgument("glu does not support 0-dimensional tensors");
  const at = wrapDim(dim, self.ndim);
  const size = self.shape[at]!;
  if (typeof size === "number" && size % 2 !== 0) throw unevenDim(at, size);
  return at;
}

const unevenDim = (dim: number, size: IntLike): Error =>
  shapeMismatch(`Halving dimension must be even, but dimension ${dim} is size ${describeSize(size)}`);

const glu = defineOp({
  schema: "aten::glu(Tensor self, int dim=-1) -> Tensor",
  meta: ({ self, dim }, context) => {
    const at = halvedDim(self, dim);
    const size = self.shape[at]!;
    const { env } = context;
    check(env, eq(mod(size, 2), 0), () => unevenDim(at, size));
    const half = floorDiv(size, 2);
    for (const end of [half, mul(2, half)]) check(env, le(end, size), () => unevenDim(at, size));
    const halves = viewOf(self, self.shape.with(at, half), self.strides);
    if (hasReferenceView(halves, [])) askLayout(halves, env);
    isEqual(env, half, 1);
    return same(context, halves);
  },
  decompose: (emit, { self, dim }) =>
    promoted(emit, "default", [self], (x) => {
      const [gated, gate] = emit.many("aten.tensor_split.sections", [x, 2, wrapDim(dim, self.ndim)]);
      return emit("aten.mul.Tensor", [gated, emit("aten.sigmoid.default", [gate])]);
    }),
});

const logSigmoid = defineOp({
  schema: "aten::log_sigmoid(Tensor self) -> Tensor",
  tags: ["composite"],
  meta: ({ self }, context) => rowMajorLike(same(context, self)),
  decompose: (emit, { self }) => emit.many("aten.log_sigmoid_forward.default", [self])[0]!,
});

const logSigmoidForward = defineOp({
  schema: "aten::log_sigmoid_forward(Tensor self) -> (Tensor output, Tensor buffer)",
  meta: ({ self }, context) => [rowMajorLike(same(context, self)), rowMajorLike(self)],
  decompose: (emit, { self }) => {
    let buffer = self;
    const output = promoted(emit, "default", [self], (x) => {
      const low = emit("aten.minimum.default", [
        emit("aten.new_zeros.default", [x, []], { pin_memory: false }),
        x,
      ]);
      buffer = emit("aten.exp.default", [emit("aten.neg.default", [emit("aten.abs.default", [x])])]);
      return emit("aten.sub.Tensor", [low, emit("aten.log1p.default", [buffer])]);
    });
    return [output, convert(emit, buffer, self.dtype)];
  },
});

const prelu = defineOp({
  schema: "aten::prelu(Tensor self, Tensor weight) -> Tensor",
  tags: ["composite"],
  meta: ({ self, weight }, context) => {
    checkPrelu(self, weight);
    return elementwise(context, [self], { dtype: self.dtype });
  },
  decompose: (emit, { self, weight }) => {
    checkPrelu(self, weight);
    const channels = self.shape.map((_, d) => (d === 1 ? numelOf(weight.shape) : 1));
    const reshaped = self.ndim === weight.ndim ? weight : emit("aten.reshape.default", [weight, channels]);
    return emit("aten._prelu_kernel.default", [self, reshaped]);
  },
});

function checkPrelu(self: FakeTensor, weight: FakeTensor): void {
  if (self.dtype !== weight.dtype) {
    throw dtypeMismatch(`prelu: Type promoting not supported. Got ${self.dtype} and ${weight.dtype}`);
  }
  const count = numelOf(weight.shape);
  const channels = self.ndim > 1 ? self.shape[1]! : 1;
  if (weight.ndim > 1) {
    throw shapeMismatch(
      `prelu: Expected \`weight\` to be a scalar or 1D tensor, but got: ndim = ${weight.ndim}`,
    );
  }
  if (count === 1) return;
  if (self.ndim === 0) throw shapeMismatch("Not allow zero-dim input tensor.");
  if (typeof channels === "number" && channels !== count) {
    throw shapeMismatch(
      `Mismatch of parameter numbers and input channel size. Found parameter numbers = ${count} and channel size = ${channels}.`,
    );
  }
}

const preluKernel = defineOp({
  schema: "aten::_prelu_kernel(Tensor self, Tensor weight) -> Tensor",
  meta: ({ self, weight }, context) => elementwise(context, [self, weight], { dtype: self.dtype }),
  decompose: (emit, { self, weight }) => {
    const positive = emit("aten.gt.Scalar", [self, 0]);
    return emit("aten.where.self", [positive, self, emit("aten.mul.Tensor", [weight, self])]);
  },
});

export const activationOps: readonly OpDefinition[] = [
  relu,
  relu6,
  gelu,
  silu,
  hardswish,
  hardsigmoid,
  hardtanh,
  mish,
  softplus,
  elu,
  selu,
  celu,
  leakyRelu,
  softshrink,
  hardshrink,
  threshold,
  glu,
  logSigmoid,
  logSigmoidForward,
  prelu,
  preluKernel,
];
