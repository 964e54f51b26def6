/** @file Losses that compare element by element. */
import { type FakeTensor, float, type IntLike } from "@sconce/ir";
import { type DType, isComplexDType } from "@sconce/tensor";
import { defineOp, type MetaContext, type OpDefinition } from "../rows/define-op.js";
import type { Emit } from "../rows/emit.js";
import { dtypeMismatch, invalidArgument } from "../rows/errors.js";
import { convert } from "../rules/decompose.js";
import { elementwise } from "../rules/elementwise.js";
import { fake } from "../rules/fake.js";
import { REDUCTION, reduceLoss } from "../rules/loss-reduction.js";
import { castForMath, HALVES, heldNumber } from "../rules/opmath.js";

/** Returns a loss over broadcast operands: their shape without reduction, a scalar with it. */
function lossOf(
  context: MetaContext,
  operands: readonly FakeTensor[],
  reduction: IntLike,
  isFast = false,
): FakeTensor {
  const elements = elementwise(context, operands, { isFast });
  if (reduction === REDUCTION.none) return elements;
  return fake({ dtype: elements.dtype, shape: [], like: elements });
}

interface LossCall {
  readonly self: FakeTensor;
  readonly target: FakeTensor;
  readonly reduction: IntLike;
}

/**
 * Computes a loss in the dtype that PyTorch computes it in, and reduces it. PyTorch's kernels
 * reduce elements of the dtype of the result. Those of `stepwise` dtypes also round each step to
 * it, where the decompositions compute halves in float32.
 */
function inMath(
  emit: Emit,
  { self, target, reduction }: LossCall,
  stepwise: readonly DType[],
  loss: (self: FakeTensor, target: FakeTensor) => FakeTensor,
): FakeTensor {
  const { operands, result } = castForMath(emit, [self, target], stepwise);
  const elements = loss(operands[0], operands[1]);
  if (emit.runsKernels === true) return reduceLoss(emit, convert(emit, elements, result), reduction);
  return convert(emit, reduceLoss(emit, elements, reduction), result);
}

const sub = (emit: Emit, a: FakeTensor, b: FakeTensor | number): FakeTensor =>
  emit("aten.sub.Tensor", [a, typeof b === "number" ? float(b) : b]);
const mul = (emit: Emit, a: FakeTensor, b: FakeTensor | number): FakeTensor =>
  emit("aten.mul.Tensor", [a, typeof b === "number" ? float(b) : b]);
const distance = (emit: Emit, a: FakeTensor, b: FakeTensor): FakeTensor =>
  emit("aten.abs.default", [sub(emit, a, b)]);

/** Returns a limit as kernels have it, in the dtype of their steps. */
const limitOf = (emit: Emit, limit: number, { dtype }: FakeTensor): number =>
  emit.runsKernels === true ? heldNumber(limit, dtype) : limit;

const mseLoss = defineOp({
  schema: "aten::mse_loss(Tensor self, Tensor target, int reduction=1) -> Tensor",
  meta: ({ self, target, reduction }, context) => lossOf(context, [self, target], reduction),
  decompose: (emit, args) =>
    inMath(emit, args, HALVES, (x, y) => emit("aten.pow.Tensor_Scalar", [sub(emit, x, y), 2])),
});

const l1Loss = defineOp({
  schema: "aten::l1_loss(Tensor self, Tensor target, int reduction=1) -> Tensor",
  tags: ["composite"],
  decompose: (emit, { self, target, reduction }) => reduceLoss(emit, distance(emit, self, target), reduction),
});

const smoothL1Loss = defineOp({
  schema: "aten::smooth_l1_loss(Tensor self, Tensor target, int reduction=1, float beta=1.) -> Tensor",
  meta: ({ self, target, reduction, beta }, context) => {
    if (!(beta >= 0)) throw invalidArgument("smooth_l1_loss does not support negative values for beta.");
    return lossOf(context, [self, target], reduction);
  },
  decompose: (emit, args) =>
    inMath(emit, args, ["float16"], (x, y) => {
      const loss = distance(emit, x, y);
      const beta = limitOf(emit, args.beta, loss);
      const near = emit("aten.lt.Scalar", [loss, float(beta)]);
      const half =
        emit.runsKernels === true
          ? mul(emit, mul(emit, loss, 0.5), loss)
          : mul(emit, emit("aten.pow.Tensor_Scalar", [loss, 2]), 0.5);
      const quadratic = emit("aten.div.Tensor", [half, float(beta)]);
      return emit("aten.where.self", [near, quadratic, sub(emit, loss, 0.5 * beta)]);
    }),
});

const huberLoss = defineOp({
  schema: "aten::huber_loss(Tensor self, Tensor target, int reduction=1, float delta=1.) -> Tensor",
  meta: ({ self, target, reduction, delta }, context) => {
    if (!(delta > 0)) throw invalidArgument("huber_loss does not support non-positive values for delta.");
    return lossOf(context, [self, target], reduction);
  },
  decompose: (emit, args) =>
    inMath(emit, args, ["bfloat16"], (x, y) => {
      const loss = distance(emit, x, y);
      const delta = limitOf(emit, args.delta, loss);
      const near = emit("aten.lt.Scalar", [loss, float(delta)]);
      const quadratic = mul(emit, mul(emit, loss, 0.5), loss);
      const linear = mul(emit, sub(emit, loss, 0.5 * delta), delta);
      return emit("aten.where.self", [near, quadratic, linear]);
    }),
});

const softMarginLoss = defineOp({
  schema: "aten::soft_margin_loss(Tensor self, Tensor target, int reduction=1) -> Tensor",
  meta: ({ self, target, reduction }, context) => lossOf(context, [self, target], reduction, true),
  decompose: (emit, args) =>
    inMath(emit, args, HALVES, (x, y) => {
      const exponent = mul(emit, emit("aten.neg.default", [x]), y);
      return emit("aten.log1p.default", [emit("aten.exp.default", [exponent])]);
    }),
});

const binaryCrossEntropy = defineOp({
  schema:
    "aten::binary_cross_entropy(Tensor self, Tensor target, Tensor? weight=None, int reduction=1) -> Tensor",
  meta: ({ self, target, weight, reduction }, context) =>
    lossOf(context, weight === null ? [self, target] : [self, target, weight], reduction),
  decompose: (emit, args) => {
    const {
      operands: [self, target, weight],
      result,
    } = castForMath(emit, [args.self, args.target, args.weight]);
    // Logarithms are held above -100, so that a wrong certainty costs a finite amount.
    const floored = (log: FakeTensor): FakeTensor =>
      emit("aten.maximum.default", [log, emit("aten.new_full.default", [self, [], -100])]);
    const minusOne = emit("aten.sub.Tensor", [target, 1]);
    const no = floored(emit("aten.log1p.default", [emit("aten.neg.default", [self])]));
    const left = mul(emit, minusOne, no);
    const yes = floored(emit("aten.log.default", [self]));
    let loss = sub(emit, left, mul(emit, target, yes));
    if (weight !== null) loss = mul(emit, loss, weight);
    return convert(emit, reduceLoss(emit, loss, args.reduction), result);
  },
});

const binaryCrossEntropyWithLogits = defineOp({
  schema:
    "aten::binary_cross_entropy_with_logits(Tensor self, Tensor target, Tensor? weight=None, Tensor? pos_weight=None, int reduction=1) -> Tensor",
  meta: ({ self, target, weight, pos_weight, reduction }, context) => {
    // The kernel begins with `1 - target`, whose strides the result has.
    const operands = [target, self, weight, pos_weight].filter((tensor) => tensor !== null);
    const elements = elementwise(context, operands, { dtype: target.dtype });
    return reduction === REDUCTION.none ? elements : fake({ dtype: target.dtype, shape: [], like: self });
  },
  decompose: (emit, { self, target, weight, pos_weight, reduction }) => {
    const oneMinus = (): FakeTensor => mul(emit, emit("aten.rsub.Scalar", [target, 1]), self);
    const logSigmoid = (): FakeTensor => emit("aten.log_sigmoid.default", [self]);
    let loss: FakeTensor;
    if (pos_weight === null) loss = sub(emit, oneMinus(), logSigmoid());
    else {
      const scaled = mul(emit, emit("aten.sub.Tensor", [pos_weight, 1]), target);
      const factor = emit("aten.add.Tensor", [scaled, 1]);
      loss = sub(emit, oneMinus(), mul(emit, factor, logSigmoid()));
    }
    if (weight !== null) loss = mul(emit, loss, weight);
    return reduceLoss(emit, convert(emit, loss, target.dtype), reduction);
  },
});

const klDiv = defineOp({
  schema: "aten::kl_div(Tensor self, Tensor target, int reduction=1, *, bool log_target=False) -> Tensor",
  tags: ["composite"],
  decompose: (emit, { self, target, reduction, log_target }) => {
    if (isComplexDType(self.dtype)) throw dtypeMismatch("kl_div: Complex inputs not supported.");
    if (log_target) {
      const difference = sub(emit, target, self);
      return reduceLoss(emit, mul(emit, emit("aten.exp.default", [target]), difference), reduction);
    }
    const cross = mul(emit, target, self);
    return reduceLoss(emit, sub(emit, emit("aten.xlogy.Tensor", [target, target]), cross), reduction);
  },
});

const poissonNllLoss = defineOp({
  schema:
    "aten::poisson_nll_loss(Tensor input, Tensor target, bool log_input, bool full, float eps, int reduction) -> Tensor",
  tags: ["composite"],
  decompose: (emit, { input, target, log_input, full, eps, reduction }) => {
    let loss: FakeTensor;
    if (log_input) {
      const expected = mul(emit, target, input);
      loss = sub(emit, emit("aten.exp.default", [input]), expected);
    } else {
      const log = emit("aten.log.default", [emit("aten.add.Scalar", [input, float(eps)])]);
      loss = sub(emit, input, mul(emit, target, log));
    }
    if (full) loss = emit("aten.add.Tensor", [loss, stirling(emit, target)]);
    return reduceLoss(emit, loss, reduction);
  },
});

/** Stirling's approximation of the logarithm of a factorial, for counts above 1. */
function stirling(emit: Emit, target: FakeTensor): FakeTensor {
  const circle = emit("aten.log.default", [emit("aten.mul.Scalar", [target, 2 * Math.PI])]);
  const half = emit("aten.mul.Scalar", [circle, 0.5]);
  const power = mul(emit, target, emit("aten.log.default", [target]));
  const term = emit("aten.add.Tensor", [sub(emit, power, target), half]);
  const small = emit("aten.le.Scalar", [target, 1]);
  return emit("aten.masked_fill.Scalar", [term, small, 0]);
}

/** Losses over pairs of elements. */
export const lossOps: readonly OpDefinition[] = [
  mseLoss,
  l1Loss,
  smoothL1Loss,
  huberLoss,
  softMarginLoss,
  binaryCrossEntropy,
  binaryCrossEntropyWithLogits,
  klDiv,
  poissonNllLoss,
];
