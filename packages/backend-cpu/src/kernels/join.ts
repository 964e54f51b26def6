/** @file Joins: `cat`. */
import { wrapDimension } from "@sconce/tensor";
import { copyInto } from "../kernel/copy.js";
import { defineKernels, emptyOutput, kernel } from "../kernel/kernel.js";
import { narrowView } from "./index-elements.js";

const cat = kernel("aten::cat(Tensor[] tensors, int dim=0) -> Tensor", ({ tensors, dim }, context) => {
  const out = emptyOutput(context);
  const d = wrapDimension(dim, out.ndim);
  let start = 0;
  for (const tensor of tensors) {
    // One-dimensional empty tensors join anything.
    if (tensor.ndim === 1 && tensor.shape[0] === 0) continue;
    const length = tensor.shape[d]!;
    copyInto(narrowView(out, d, start, length), tensor);
    start += length;
  }
  return out;
});

export const joinKernels = defineKernels([cat]);
