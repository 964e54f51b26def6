/** @file Losses over classes: negative log likelihood and cross entropy. */
import { type FakeTensor, float, type IntLike } from "@sconce/ir";
import { isFloatDType } from "@sconce/tensor";
import { defineOp, type MetaContext, type OpDefinition } from "../rows/define-op.js";
import type { Emit } from "../rows/emit.js";
import { dtypeMismatch, invalidArgument, shapeMismatch } from "../rows/errors.js";
import { isEqual, mayDiffer } from "../rules/comparison.js";
import { describeSize, describeSizes } from "../rules/describe.js";
import { elementwiseStrides } from "../rules/elementwise.js";
import { fake, hasNoElements, numelOf } from "../rules/fake.js";
import { REDUCTION } from "../rules/loss-reduction.js";
import { productOf, quotient, sizeMath } from "../rules/size-math.js";

interface NllArgs {
  readonly self: FakeTensor;
  readonly target: FakeTensor;
  readonly weight: FakeTensor | null;
  readonly reduction: IntLike;
  readonly ignore_index: IntLike;
}

const classDim = (self: FakeTensor): number => (self.ndim < 2 ? 0 : 1);

/** Loss and total weight of the classes that were counted. */
function likelihoods(emit: Emit, args: NllArgs): readonly [FakeTensor, FakeTensor] {
  const { target, weight, reduction, ignore_index } = args;
  const dim = classDim(args.self);
  const wide = weight === null ? null : alongClasses(emit, args.self, weight);
  const self = wide === null ? args.self : emit("aten.mul.Tensor", [args.self, wide]);
  const counted = (): FakeTensor => emit("aten.ne.Scalar", [target, ignore_index]);
  const keepCounted = (tensor: FakeTensor): FakeTensor =>
    emit("aten.where.ScalarOther", [counted(), tensor, 0]);
  const at = emit("aten.unsqueeze.default", [keepCounted(target), dim]);
  const pick = (from: FakeTensor): FakeTensor =>
    emit("aten.squeeze.dim", [emit("aten.gather.default", [from, dim, at]), dim]);
  const loss = keepCounted(emit("aten.neg.default", [pick(self)]));
  if (reduction === REDUCTION.none && self.ndim > 1) {
    return [loss, emit("aten.new_full.default", [self, [], float(0)])];
  }
  const sum = (tensor: FakeTensor): FakeTensor => emit("aten.sum.default", [tensor]);
  const total =
    wide === null
      ? emit("aten.to.device", [sum(counted()), self.device, self.dtype])
      : sum(keepCounted(pick(emit("aten.expand.default", [wide, self.shape]))));
  if (reduction === REDUCTION.sum) return [sum(loss), total];
  return reduction === REDUCTION.mean ? [emit("aten.div.Tensor", [sum(loss), total]), total] : [loss, total];
}

/** Returns a weight per class, shaped to broadcast against the scores. */
function alongClasses(emit: Emit, self: FakeTensor, weight: FakeTensor): FakeTensor {
  if (self.ndim < 2) return weight;
  const shape = self.shape.map((_, d) => (d === classDim(self) ? weight.shape[0]! : 1));
  return emit("aten.view.default", [weight, shape]);
}

function likelihoodShapes(args: NllArgs, { env }: MetaContext): readonly [FakeTensor, FakeTensor] {
  const { self, target, weight, reduction } = args;
  if (self.ndim > 1 && mayDiffer(env, self.shape[0]!, target.shape[0] ?? 1)) {
    throw shapeMismatch(
      `size mismatch (got input: ${describeSizes(self.shape)}, target: ${describeSizes(target.shape)})`,
    );
  }
  const classes = self.shape[classDim(self)]!;
  if (weight !== null && (weight.ndim !== 1 || mayDiffer(env, weight.shape[0]!, classes))) {
    throw shapeMismatch(
      `weight tensor should be defined either for all ${describeSize(classes)} classes or no classes but got weight ` +
        `tensor of shape: ${describeSizes(weight.shape)}`,
    );
  }
  const shape = reduction === REDUCTION.none && self.ndim > 1 ? target.shape : [];
  // The last step selects by the target, whose layout the losses take over.
  const strides = shape === target.shape ? elementwiseStrides(env, shape, [target]) : [];
  const total = fake({ dtype: self.dtype, shape: [], like: self });
  return [fake({ dtype: self.dtype, shape, strides, like: self }), total];
}

const nllLossForward = defineOp({
  schema:
    "aten::nll_loss_forward(Tensor self, Tensor target, Tensor? weight, int reduction, SymInt ignore_index) -> (Tensor output, Tensor total_weight)",
  meta: (args, context) => {
    if (args.self.ndim < 1 || args.self.ndim > 2) throw shapeMismatch("input tensor should be 1D or 2D");
    if (args.target.ndim > 1)
      throw shapeMismatch("0D or 1D target tensor expected, multi-target not supported");
    return likelihoodShapes(args, context);
  },
  decompose: likelihoods,
});

const nllLoss2dForward = defineOp({
  schema:
    "aten::nll_loss2d_forward(Tensor self, Tensor target, Tensor? weight, int reduction, SymInt ignore_index) -> (Tensor output, Tensor total_weight)",
  meta: (args, context) => {
    if (args.target.ndim !== 3) {
      throw shapeMismatch(
        `only batches of spatial targets supported (3D tensors) but got targets of dimension: ${args.target.ndim}`,
      );
    }
    if (args.self.ndim !== 4) {
      throw shapeMismatch(
        `only batches of spatial inputs supported (4D tensors), but got input of dimension: ${args.self.ndim}`,
      );
    }
    return likelihoodShapes(args, context);
  },
  decompose: likelihoods,
});

const forward =
  (target: string) =>
  (emit: Emit, args: NllArgs): FakeTensor =>
    emit.many(target, [args.self, args.target, args.weight, args.reduction, args.ignore_index])[0]!;

const nllLoss = defineOp({
  schema:
    "aten::nll_loss(Tensor self, Tensor target, Tensor? weight=None, int reduction=1, SymInt ignore_index=-100) -> Tensor",
  tags: ["composite"],
  decompose: forward("aten.nll_loss_forward.default"),
});

const nllLoss2d = defineOp({
  schema:
    "aten::nll_loss2d(Tensor self, Tensor target, Tensor? weight=None, int reduction=1, SymInt ignore_index=-100) -> Tensor",
  tags: ["composite"],
  decompose: forward("aten.nll_loss2d_forward.default"),
});

const nllLossNd = defineOp({
  schema:
    "aten::nll_loss_nd(Tensor self, Tensor target, Tensor? weight=None, int reduction=1, SymInt ignore_index=-100) -> Tensor",
  tags: ["composite"],
  decompose: (emit, args) => {
    const { self, target, weight, reduction, ignore_index } = args;
    if (self.ndim < 1) throw shapeMismatch(`Expected 1 or more dimensions (got ${self.ndim})`);
    if (self.ndim !== 1 && mayDiffer(emit.env, self.shape[0]!, target.shape[0] ?? 1)) {
      throw shapeMismatch(
        `Expected input batch_size (${describeSize(self.shape[0])}) to match target batch_size (${describeSize(target.shape[0])}).`,
      );
    }
    const rest = [weight, reduction, ignore_index];
    if (self.ndim <= 2) return emit("aten.nll_loss.default", [self, target, ...rest]);
    if (self.ndim === 4) return emit("aten.nll_loss2d.default", [self, target, ...rest]);
    return asImages(emit, args);
  },
});

/** Scores of other ranks are laid out as images of height 1. */
function asImages(emit: Emit, { self, target, weight, reduction, ignore_index }: NllArgs): FakeTensor {
  const [batch, classes, ...spatial] = self.shape as readonly [IntLike, IntLike, ...IntLike[]];
  const shape = [batch, ...spatial];
  if (shape.length !== target.ndim || shape.some((size, d) => mayDiffer(emit.env, size, target.shape[d]!))) {
    throw shapeMismatch(`Expected target size ${describeSizes(shape)}, got ${describeSizes(target.shape)}`);
  }
  const flatten = (tensor: FakeTensor, lead: readonly IntLike[]): FakeTensor => {
    const dense = emit("aten.contiguous.default", [tensor]);
    const empty = isEqual(emit.env, numelOf(tensor.shape), 0);
    return emit("aten.view.default", [dense, empty ? [...lead, 0, 0] : [...lead, 1, -1]]);
  };
  const scores = flatten(self, [batch, classes]);
  const loss = emit("aten.nll_loss2d.default", [
    scores,
    flatten(target, [batch]),
    weight,
    reduction,
    ignore_index,
  ]);
  return reduction === REDUCTION.none ? emit("aten.view.default", [loss, shape]) : loss;
}

interface EntropyArgs extends NllArgs {
  readonly label_smoothing: number;
}

const crossEntropyLoss = defineOp({
  schema:
    "aten::cross_entropy_loss(Tensor self, Tensor target, Tensor? weight=None, int reduction=1, SymInt ignore_index=-100, float label_smoothing=0.) -> Tensor",
  tags: ["composite"],
  decompose: (emit, args) => {
    const { self, target, label_smoothing } = args;
    if (label_smoothing < 0 || label_smoothing > 1) {
      throw invalidArgument(`label_smoothing must be between 0.0 and 1.0. Got: ${label_smoothing}`);
    }
    const soft =
      self.ndim === target.ndim && self.shape.every((size, d) => isEqual(emit.env, size, target.shape[d]!));
    if (soft) return softTargetEntropy(emit, args);
    const scores = logScores(emit, self);
    return label_smoothing > 0 ? smoothedEntropy(emit, args, scores) : likelihoodLoss(emit, scores, args);
  },
});

const logScores = (emit: Emit, self: FakeTensor): FakeTensor =>
  emit("aten.log_softmax.int", [self, classDim(self), self.dtype]);

const likelihoodLoss = (
  emit: Emit,
  scores: FakeTensor,
  { target, weight, reduction, ignore_index }: NllArgs,
) => emit("aten.nll_loss_nd.default", [scores, target, weight, reduction, ignore_index]);

/** Targets are probabilities of classes. */
function softTargetEntropy(emit: Emit, args: EntropyArgs): FakeTensor {
  const { self, target, weight, reduction, ignore_index, label_smoothing } = args;
  if (!isFloatDType(target.dtype)) {
    throw dtypeMismatch(
      `Expected floating point type for target with class probabilities, got ${target.dtype}`,
    );
  }
  if (typeof ignore_index === "number" && ignore_index >= 0) {
    throw invalidArgument("ignore_index is not supported for floating point target");
  }
  const dim = classDim(self);
  const classes = self.shape[dim]!;
  const scores = logScores(emit, self);
  let wanted = target;
  if (label_smoothing > 0) {
    const share = quotient(emit, label_smoothing, classes);
    const kept = emit("aten.mul.Scalar", [target, float(1 - label_smoothing)]);
    wanted = emit("aten.add.Scalar", [kept, share]);
  }
  const rows = reduction === REDUCTION.mean ? rowCount(emit, self, classes) : 1;
  const wide = weight === null ? null : alongClasses(emit, self, weight);
  let product = emit("aten.mul.Tensor", [scores, wanted]);
  if (wide !== null) product = emit("aten.mul.Tensor", [product, wide]);
  const negate = (tensor: FakeTensor): FakeTensor => emit("aten.neg.default", [tensor]);
  if (reduction === REDUCTION.none) return negate(emit("aten.sum.dim_IntList", [product, [dim]]));
  const sum = negate(emit("aten.sum.default", [product]));
  if (reduction === REDUCTION.sum) return sum;
  hasNoElements(emit.env, self);
  return emit("aten.div.Scalar", [sum, rows]);
}

/** `self.numel() / classes`, which C++ computes before the sum. */
const rowCount = (emit: Emit, self: FakeTensor, classes: IntLike): IntLike =>
  sizeMath(emit, "floordiv", productOf(emit, self.shape), classes);

/** Mixes in the mean over all classes. */
function smoothedEntropy(emit: Emit, args: EntropyArgs, scores: FakeTensor): FakeTensor {
  const { target, weight, ignore_index, label_smoothing } = args;
  const dim = classDim(scores);
  const likelihood = likelihoodLoss(emit, scores, args);
  const weighted =
    weight === null ? scores : emit("aten.mul.Tensor", [scores, alongClasses(emit, scores, weight)]);
  const negative = emit("aten.neg.default", [emit("aten.sum.dim_IntList", [weighted, [dim]])]);
  const ignored = emit("aten.eq.Scalar", [target, ignore_index]);
  const loss = emit("aten.masked_fill_.Scalar", [negative, ignored, float(0)]);
  const smooth = reduceSmoothed(emit, loss, ignored, args);
  const share = emit("aten.mul.Scalar", [smooth, quotient(emit, label_smoothing, scores.shape[dim]!)]);
  return emit("aten.add.Tensor", [emit("aten.mul.Scalar", [likelihood, float(1 - label_smoothing)]), share]);
}

function reduceSmoothed(emit: Emit, loss: FakeTensor, ignored: FakeTensor, args: EntropyArgs): FakeTensor {
  const { target, weight, reduction } = args;
  const sum = (tensor: FakeTensor): FakeTensor => emit("aten.sum.default", [tensor]);
  if (reduction === REDUCTION.none) return loss;
  if (reduction === REDUCTION.sum) return sum(loss);
  if (weight === null) {
    const count = sum(emit("aten.bitwise_not.default", [ignored]));
    return emit("aten.div.Tensor", [sum(loss), count]);
  }
  const flatten = (tensor: FakeTensor): FakeTensor => emit("aten.flatten.using_ints", [tensor]);
  const valid = emit("aten.masked_fill.Scalar", [target, ignored, 0]);
  const weights = emit("aten.gather.default", [weight, 0, flatten(valid)]);
  const total = sum(emit("aten.masked_fill_.Scalar", [weights, flatten(ignored), 0]));
  return emit("aten.div.Tensor", [sum(loss), total]);
}

/** Losses over classes. */
export const lossClassificationOps: readonly OpDefinition[] = [
  nllLossForward,
  nllLoss2dForward,
  nllLoss,
  nllLoss2d,
  nllLossNd,
  crossEntropyLoss,
];
