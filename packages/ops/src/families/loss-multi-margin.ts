/** @file Margins between the score of the right class, or classes, and the scores of the others. */
import type { FakeTensor, IntLike } from "@sconce/ir";
import { eq } from "@sconce/symbolic";
import { defineOp, type OpDefinition } from "../rows/define-op.js";
import type { Emit } from "../rows/emit.js";
import { invalidArgument, shapeMismatch } from "../rows/errors.js";
import { check, isEqual, mayDiffer } from "../rules/comparison.js";
import { convert, numberOf } from "../rules/decompose.js";
import { describeSizes } from "../rules/describe.js";
import { REDUCTION, reduceLoss } from "../rules/loss-reduction.js";

const atLeast = (emit: Emit, rank: 1 | 2, tensor: FakeTensor): FakeTensor =>
  emit(`aten.atleast_${rank}d.default`, [tensor]);

function checkScores(emit: Emit, scores: FakeTensor, given: FakeTensor): void {
  if (scores.ndim === 2 && !isEqual(emit.env, scores.shape[1]!, 0)) return;
  throw shapeMismatch(
    `Expected non-empty vector or matrix with optional 0-dim batch size, but got: ${describeSizes(given.shape)}`,
  );
}

const multiMarginLoss = defineOp({
  schema:
    "aten::multi_margin_loss(Tensor self, Tensor target, Scalar p=1, Scalar margin=1, Tensor? weight=None, int reduction=1) -> Tensor",
  decompose: (emit, { self, target, p, margin, weight, reduction }) => {
    const scores = atLeast(emit, 2, self);
    const labels = atLeast(emit, 1, target);
    const [count, classes] = scores.shape as readonly [IntLike, IntLike];
    const power = numberOf(p);
    if (power !== 1 && power !== 2) throw invalidArgument("only p == 1 and p == 2 supported");
    checkScores(emit, scores, self);
    check(emit.env, eq(labels.shape[0]!, count), () =>
      shapeMismatch(
        `inconsistent target size, expected ${String(count)} but got ${describeSizes(labels.shape)}`,
      ),
    );
    const factors = weight === null ? null : atLeast(emit, 1, weight);
    const column = emit("aten.unsqueeze.default", [labels, 1]);
    const right = emit("aten.gather.default", [scores, 1, column]);
    let loss = emit("aten.add.Tensor", [emit("aten.rsub.Scalar", [right, margin]), scores]);
    // The kernel adds only what is above the margin: neither NaN, nor zero times an infinite
    // weight.
    const counts = emit.runsKernels === true ? emit("aten.gt.Scalar", [loss, 0]) : undefined;
    if (counts === undefined) loss = emit("aten.clamp_min.default", [loss, 0]);
    if (power === 2) loss = emit("aten.mul.Tensor", [loss, loss]);
    if (factors !== null) {
      const chosen = emit("aten.unsqueeze.default", [emit("aten.index.Tensor", [factors, [labels]]), 1]);
      loss = emit("aten.mul.Tensor", [loss, chosen]);
    }
    if (counts !== undefined) loss = emit("aten.where.ScalarOther", [counts, loss, 0]);
    const index = emit("aten.arange.default", [classes], { device: self.device });
    loss = emit("aten.where.ScalarOther", [emit("aten.ne.Tensor", [index, column]), loss, 0]);
    if (reduction === REDUCTION.mean) return emit("aten.mean.default", [loss]);
    if (reduction === REDUCTION.none) return emit("aten.mean.dim", [loss, [1]]);
    return emit("aten.div.Tensor", [emit("aten.sum.default", [loss]), classes]);
  },
});

/**
 * Returns the loss, and a mask of the classes that are targets. Labels after the first -1 do not
 * count.
 */
function multilabel(
  emit: Emit,
  self: FakeTensor,
  target: FakeTensor,
  reduction: IntLike,
): readonly FakeTensor[] {
  const scores = atLeast(emit, 2, self);
  const labels = atLeast(emit, 2, target);
  checkScores(emit, scores, self);
  if (
    target.ndim !== self.ndim ||
    target.shape.some((size, d) => mayDiffer(emit.env, size, self.shape[d]!))
  ) {
    throw shapeMismatch(
      `inconsistent target size: ${describeSizes(target.shape)} for input of size: ${describeSizes(self.shape)}`,
    );
  }
  const classes = scores.shape[1]!;
  const index = emit("aten.arange.default", [classes], { device: target.device });
  const isEnd = emit("aten.eq.Scalar", [labels, -1]);
  const end = emit("aten.amin.default", [
    emit("aten.where.ScalarOther", [isEnd, index, classes]),
    [-1],
    true,
  ]);
  const counts = emit("aten.lt.Tensor", [index, end]);
  const readable = emit("aten.where.ScalarOther", [counts, labels, 0]);
  const right = emit("aten.gather.default", [scores, -1, readable]);
  const valid = emit("aten.unsqueeze.default", [emit("aten.where.ScalarOther", [counts, labels, -1]), -1]);
  const isTarget = emit("aten.any.dim", [emit("aten.eq.Tensor", [index, valid]), 1]);
  const perLabel = (tensor: FakeTensor): FakeTensor =>
    emit("aten.unsqueeze.default", [emit("aten.permute.default", [tensor, [1, 0]]), -1]);
  let loss = emit("aten.add.Tensor", [
    emit("aten.rsub.Scalar", [perLabel(right), { kind: "float", value: 1 }]),
    scores,
  ]);
  loss = emit("aten.div.Tensor", [emit("aten.clamp_min.default", [loss, 0]), classes]);
  loss = emit("aten.where.ScalarSelf", [isTarget, 0, loss]);
  loss = emit("aten.where.ScalarOther", [perLabel(counts), loss, 0]);
  if (reduction === REDUCTION.sum) loss = emit("aten.sum.default", [loss]);
  else loss = reduceLoss(emit, emit("aten.sum.dim_IntList", [loss, [0, -1]]), reduction);
  return [loss, emit("aten.reshape.default", [convert(emit, isTarget, self.dtype), target.shape])];
}

const multilabelForward = defineOp({
  schema:
    "aten::multilabel_margin_loss_forward(Tensor self, Tensor target, int reduction) -> (Tensor output, Tensor is_target)",
  decompose: (emit, { self, target, reduction }) => multilabel(emit, self, target, reduction),
});

const multilabelMarginLoss = defineOp({
  schema: "aten::multilabel_margin_loss(Tensor self, Tensor target, int reduction=1) -> Tensor",
  tags: ["composite"],
  decompose: (emit, { self, target, reduction }) =>
    emit.many("aten.multilabel_margin_loss_forward.default", [self, target, reduction])[0]!,
});

/** Losses over the classes of a sample. */
export const lossMultiMarginOps: readonly OpDefinition[] = [
  multiMarginLoss,
  multilabelForward,
  multilabelMarginLoss,
];
