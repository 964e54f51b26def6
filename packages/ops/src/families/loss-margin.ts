/** @file Losses that ask for a margin between scores or distances. */
import { type FakeTensor, float } from "@sconce/ir";
import { defineOp, type OpDefinition } from "../rows/define-op.js";
import type { Emit, EmitArg } from "../rows/emit.js";
import { shapeMismatch } from "../rows/errors.js";
import { reduceLoss } from "../rules/loss-reduction.js";

/** `number - tensor`, as C++ computes it: a tensor filled with the number, minus the other. */
function minusFrom(emit: Emit, value: EmitArg, tensor: FakeTensor): FakeTensor {
  const empty = emit("aten.empty_like.default", [tensor], { memory_format: "preserve_format" });
  return emit("aten.sub_.Tensor", [emit("aten.fill_.Scalar", [empty, value]), tensor]);
}

const zerosLike = (emit: Emit, tensor: FakeTensor): FakeTensor =>
  emit("aten.zeros_like.default", [tensor], { memory_format: "contiguous_format" });
/** Raises distances to 0 in place, as PyTorch's C++ does where nothing else reads them. */
const heldAtZero = (emit: Emit, tensor: FakeTensor): FakeTensor =>
  emit("aten.clamp_min_.default", [tensor, 0]);
const atLeastZero = (emit: Emit, tensor: FakeTensor): FakeTensor =>
  emit("aten.clamp_min.default", [tensor, 0]);

/** Keeps distances away from 0 under the square root; a float32 constant in PyTorch. */
const EPSILON = Math.fround(1e-12);

const cosineEmbeddingLoss = defineOp({
  schema:
    "aten::cosine_embedding_loss(Tensor input1, Tensor input2, Tensor target, float margin=0., int reduction=1) -> Tensor",
  tags: ["composite"],
  decompose: (emit, { input1, input2, target, margin, reduction }) => {
    if (target.ndim > 1) {
      throw shapeMismatch(`0D or 1D target tensor expected, multi-target not supported, got ${target.ndim}D`);
    }
    if (input1.ndim !== target.ndim + 1 || input2.ndim !== target.ndim + 1) {
      throw shapeMismatch(
        `${target.ndim}D target tensor expects ${target.ndim + 1}D input tensors, but found inputs with ` +
          `${input1.ndim}D and ${input2.ndim}D`,
      );
    }
    const dot = (a: FakeTensor, b: FakeTensor): FakeTensor =>
      emit("aten.sum.dim_IntList", [emit("aten.mul.Tensor", [a, b]), [target.ndim]]);
    const product = dot(input1, input2);
    const square1 = emit("aten.add.Scalar", [dot(input1, input1), EPSILON]);
    const square2 = emit("aten.add.Scalar", [dot(input2, input2), EPSILON]);
    const norm = emit("aten.sqrt_.default", [emit("aten.mul.Tensor", [square1, square2])]);
    const cosine = emit("aten.div.Tensor", [product, norm]);
    const zeros = zerosLike(emit, cosine);
    const alike = minusFrom(emit, 1, cosine);
    const different = heldAtZero(emit, emit("aten.sub.Scalar", [cosine, float(margin)]));
    const positive = emit("aten.where.self", [emit("aten.eq.Scalar", [target, 1]), alike, zeros]);
    const negative = emit("aten.where.self", [emit("aten.eq.Scalar", [target, -1]), different, zeros]);
    return reduceLoss(emit, emit("aten.add.Tensor", [positive, negative]), reduction);
  },
});

const hingeEmbeddingLoss = defineOp({
  schema:
    "aten::hinge_embedding_loss(Tensor self, Tensor target, float margin=1., int reduction=1) -> Tensor",
  tags: ["composite"],
  decompose: (emit, { self, target, margin, reduction }) => {
    const zeros = zerosLike(emit, self);
    const short = heldAtZero(emit, minusFrom(emit, float(margin), self));
    const different = emit("aten.where.self", [emit("aten.ne.Scalar", [target, 1]), short, zeros]);
    const alike = emit("aten.where.self", [emit("aten.ne.Scalar", [target, -1]), self, zeros]);
    return reduceLoss(emit, emit("aten.add.Tensor", [different, alike]), reduction);
  },
});

const marginRankingLoss = defineOp({
  schema:
    "aten::margin_ranking_loss(Tensor input1, Tensor input2, Tensor target, float margin=0., int reduction=1) -> Tensor",
  tags: ["composite"],
  decompose: (emit, { input1, input2, target, margin, reduction }) => {
    if (input1.ndim !== input2.ndim || input1.ndim !== target.ndim) {
      throw shapeMismatch(
        "margin_ranking_loss : All input tensors should have same dimension but got sizes: " +
          `input1: ${input1.ndim}D, input2: ${input2.ndim}D, target: ${target.ndim}D`,
      );
    }
    const difference = emit("aten.sub.Tensor", [input1, input2]);
    const wrong = emit("aten.mul.Tensor", [emit("aten.neg.default", [target]), difference]);
    return reduceLoss(emit, heldAtZero(emit, emit("aten.add.Scalar", [wrong, float(margin)])), reduction);
  },
});

const tripletMarginLoss = defineOp({
  schema:
    "aten::triplet_margin_loss(Tensor anchor, Tensor positive, Tensor negative, float margin=1., float p=2., float eps=9.9999999999999995e-07, bool swap=False, int reduction=1) -> Tensor",
  tags: ["composite"],
  decompose: (emit, { anchor, positive, negative, margin, p, eps, swap, reduction }) => {
    if (anchor.ndim !== positive.ndim || anchor.ndim !== negative.ndim) {
      throw shapeMismatch(
        "The anchor, positive, and negative tensors are expected to have the same number of dimensions, but got: " +
          `anchor ${anchor.ndim}D, positive ${positive.ndim}D, and negative ${negative.ndim}D inputs`,
      );
    }
    const distance = (a: FakeTensor, b: FakeTensor): FakeTensor =>
      emit("aten.pairwise_distance.default", [a, b, p, eps]);
    const near = distance(anchor, positive);
    let far = distance(anchor, negative);
    if (swap) far = emit("aten.min.other", [far, distance(positive, negative)]);
    const widened = emit("aten.add.Scalar", [near, float(margin)]);
    return reduceLoss(emit, atLeastZero(emit, emit("aten.sub.Tensor", [widened, far])), reduction);
  },
});

/** Losses with a margin. */
export const lossMarginOps: readonly OpDefinition[] = [
  cosineEmbeddingLoss,
  hingeEmbeddingLoss,
  marginRankingLoss,
  tripletMarginLoss,
];
