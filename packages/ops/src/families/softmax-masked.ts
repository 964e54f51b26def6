/** @file Softmax of scores of which a mask hides some, as fused layers of attention call it. */
import { type FakeTensor, float, type IntLike } from "@sconce/ir";
import { defineOp, type OpDefinition } from "../rows/define-op.js";
import type { Emit } from "../rows/emit.js";
import { dtypeMismatch, invalidArgument, shapeMismatch } from "../rows/errors.js";
import { Arithmetic } from "../rules/arithmetic.js";
import { areOther } from "../rules/operand-sizes.js";

/** What a mask is of: each pair of positions, each key, each score. */
const PAIRS = 0;
const KEYS = 1;
const SCORES = 2;

/** Returns the mask with as many dimensions as the scores. */
function maskOf(emit: Emit, self: FakeTensor, mask: FakeTensor, type: IntLike): FakeTensor {
  if (mask.dtype !== "bool") throw dtypeMismatch("Mask should be a boolean tensor");
  if (type !== PAIRS && type !== KEYS && type !== SCORES)
    throw invalidArgument(
      "Mask Type should be 0 (src_mask) or 1 (src_key_padding_mask), or 2 (default_mask)",
    );
  if (type === SCORES && areOther(emit.env, mask.shape, self.shape))
    throw shapeMismatch("For mask_type == 2 mask shape should match input shape");
  if (type !== KEYS) return mask;
  const [batch, length] = mask.shape as readonly [IntLike, IntLike];
  return emit("aten.view.default", [mask, [batch, 1, 1, length]]);
}

const masked = defineOp({
  schema: "aten::_masked_softmax(Tensor self, Tensor mask, int? dim=None, int? mask_type=None) -> Tensor",
  tags: ["not_in_default_table"],
  decompose: (emit, { self, mask, dim, mask_type: type }) => {
    const hidden = maskOf(emit, self, mask, type ?? SCORES);
    const scores = emit("aten.masked_fill.Scalar", [self, hidden, float(Number.NEGATIVE_INFINITY)]);
    return emit("aten._softmax.default", [scores, dim ?? self.ndim - 1, false]);
  },
});

const maskedBackward = defineOp({
  schema:
    "aten::_masked_softmax_backward(Tensor grad_output, Tensor output, Tensor mask, int? dim=None) -> Tensor",
  tags: ["not_in_default_table"],
  decompose: (emit, { grad_output: grad, output, mask, dim }) => {
    const t = new Arithmetic(emit);
    const shown = emit("aten.masked_fill.Scalar", [t.mul(grad, output), mask, float(0)]);
    const sum = emit("aten.sum.dim_IntList", [shown, [dim ?? output.ndim - 1], true]);
    return emit("aten.masked_fill.Scalar", [t.sub(shown, t.mul(output, sum)), mask, float(0)]);
  },
});

export const softmaxMaskedOps: readonly OpDefinition[] = [masked, maskedBackward];
