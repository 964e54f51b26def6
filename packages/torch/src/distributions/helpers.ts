/** @file Parameters of distributions over few values, memory for draws, and writes. */
import { float } from "@sconce/ir";
import type { Tensor } from "@sconce/tensor";
import { torch } from "../functions/torch.js";
import { functional as F } from "../nn/functional.js";
import type { Size } from "../trace/sym-int.js";

/** Probabilities of logits; `isBinary` for those of two values. */
export const logitsToProbs = (logits: Tensor, isBinary = false): Tensor =>
  isBinary ? logits.sigmoid() : F.softmax(logits, { dim: -1 });

/** Logits of probabilities, which are held above 0 and below 1. */
export function probsToLogits(probs: Tensor, isBinary = false): Tensor {
  const { eps } = torch.finfo(probs.dtype);
  const clamped = probs.clamp({ min: eps, max: 1 - eps });
  return isBinary ? clamped.log().sub(torch.log1p(clamped.neg())) : clamped.log();
}

/** Memory of a shape, of a tensor's dtype (`x.new(shape)`). */
export const emptyLike = (like: Tensor, shape: readonly Size[]): Tensor =>
  torch.ops.aten.empty.memory_format(shape, {
    dtype: like.dtype,
    layout: "strided",
    device: "cpu",
  });

/** `1 - x` in floats. */
export const oneMinus = (x: Tensor): Tensor => torch.rsub(x, float(1));

/** Writes a number where a condition holds (`t[where] = value`), and returns the tensor. */
export const write = (tensor: Tensor, where: Tensor, value: number): Tensor => {
  tensor.setAt([where], value);
  return tensor;
};
