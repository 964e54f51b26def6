/**
 * @file Gradients of the margins between the classes of a sample, and of leaky units with random
 * slopes.
 */
import { type FakeTensor, float, type IntLike } from "@sconce/ir";
import type { SymEnv } from "@sconce/symbolic";
import { defineOp, type OpDefinition } from "../rows/define-op.js";
import { dtypeMismatch, invalidArgument, shapeMismatch } from "../rows/errors.js";
import { mayDiffer } from "../rules/comparison.js";
import { numberOf } from "../rules/decompose.js";
import { describeSizes } from "../rules/describe.js";
import { sizesEqual } from "../rules/dims.js";
import { rowMajorLike } from "../rules/fake.js";

function checkScores(self: FakeTensor, target: FakeTensor, kernel: string): void {
  if (self.dtype !== "float32" && self.dtype !== "float64") {
    throw dtypeMismatch(`"${kernel}" not implemented for '${self.dtype}'`);
  }
  if (target.dtype !== "int64") throw dtypeMismatch(`expected scalar type Long but found ${target.dtype}`);
}

/** Samples and classes; a vector is one sample. */
const matrixOf = ({ shape }: FakeTensor): readonly [IntLike, IntLike] =>
  shape.length < 2 ? [1, shape[0] ?? 1] : [shape[0]!, shape[1]!];

function checkTarget(self: FakeTensor, target: FakeTensor, env: SymEnv): void {
  const [count] = matrixOf(self);
  if (target.ndim <= 1 && !mayDiffer(env, target.shape[0] ?? 1, count)) return;
  throw shapeMismatch(
    "multi_margin_loss: target tensor should be 1-D with size equal to the number of input samples (batch size). " +
      `Expected target size [${String(count)}], but got ${describeSizes(target.shape)}. ` +
      `Input has shape ${describeSizes(self.shape)}.`,
  );
}

const multiMargin = defineOp({
  schema:
    "aten::multi_margin_loss_backward(Tensor grad_output, Tensor self, Tensor target, Scalar p, Scalar margin, Tensor? weight=None, int reduction=1) -> Tensor",
  meta: ({ self, target, p, weight }, { env }) => {
    const power = numberOf(p);
    if (power !== 1 && power !== 2) throw invalidArgument("only p == 1 and p == 2 supported");
    checkTarget(self, target, env);
    const [, classes] = matrixOf(self);
    if (weight !== null && (weight.ndim > 1 || mayDiffer(env, weight.shape[0] ?? 1, classes))) {
      throw shapeMismatch(
        `inconsistent weight size, expected ${String(classes)} but got ${describeSizes(weight.shape)}`,
      );
    }
    checkScores(self, target, "multi_margin_loss_backward_cpu_kernel");
    return rowMajorLike(self);
  },
});

const multilabelMargin = defineOp({
  schema:
    "aten::multilabel_margin_loss_backward(Tensor grad_output, Tensor self, Tensor target, int reduction, Tensor is_target) -> Tensor",
  meta: ({ self, target, is_target }, { env }) => {
    if (!sizesEqual(self.shape, target.shape, env)) {
      throw shapeMismatch(
        `inconsistent target size: ${describeSizes(target.shape)} for input of size: ${describeSizes(self.shape)}`,
      );
    }
    if (!sizesEqual(target.shape, is_target.shape, env)) {
      throw shapeMismatch(
        "Expected tensor for argument #3 'target' to have same size as tensor for argument #5 'is_target'; but " +
          `${describeSizes(target.shape)} does not equal ${describeSizes(is_target.shape)}`,
      );
    }
    checkScores(self, target, "multilabel_margin_loss_backward_out_frame");
    return rowMajorLike(self);
  },
});

/** Below this the slopes are all the same, and no noise was drawn (`Activation.cpp`). */
const LEAST_SPREAD = 1e-6;

const randomSlopes = defineOp({
  schema:
    "aten::rrelu_with_noise_backward(Tensor grad_output, Tensor self, Tensor noise, Scalar lower, Scalar upper, bool training, bool self_is_result) -> Tensor",
  tags: ["not_in_default_table"],
  decompose: (emit, { grad_output, self, noise, lower, upper, training, self_is_result }) => {
    const [low, high] = [numberOf(lower), numberOf(upper)];
    if (training && high - low > LEAST_SPREAD) return emit("aten.mul.Tensor", [grad_output, noise]);
    const slope = float((low + high) / 2);
    return emit("aten.leaky_relu_backward.default", [grad_output, self, slope, self_is_result]);
  },
});

export const lossMarginBackwardOps: readonly OpDefinition[] = [multiMargin, multilabelMargin, randomSlopes];
