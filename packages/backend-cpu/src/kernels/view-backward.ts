/**
 * @file Gradients of views and of selections: zeros, into which the gradient is written or added.
 */
import { broadcastStrides, positionsOf, wrapDimension } from "@sconce/tensor";
import { copyInto } from "../kernel/copy.js";
import { defineKernels, emptyOutput, kernel } from "../kernel/kernel.js";
import { combineAt } from "./index-combine.js";
import { narrowView } from "./index-elements.js";

const selectBackward = kernel(
  "aten::select_backward(Tensor grad_output, SymInt[] input_sizes, int dim, SymInt index) -> Tensor",
  ({ grad_output: grad, dim, index }, context) => {
    const out = emptyOutput(context);
    const d = wrapDimension(dim, out.ndim);
    const part = narrowView(out, d, index < 0 ? index + out.shape[d]! : index, 1);
    const without = (values: readonly number[]): number[] => values.filter((_, k) => k !== d);
    copyInto(out.asStrided(without(part.shape), without(part.strides), part.storageOffset), grad);
    return out;
  },
);

const sliceBackward = kernel(
  "aten::slice_backward(Tensor grad_output, SymInt[] input_sizes, int dim, SymInt start, SymInt end, SymInt step) -> Tensor",
  ({ grad_output: grad, dim, start, step }, context) => {
    const out = emptyOutput(context);
    if (grad.numel === 0) return out;
    const d = wrapDimension(dim, out.ndim);
    const size = out.shape[d]!;
    const first = Math.min(Math.max(start < 0 ? start + size : start, 0), size);
    copyInto(narrowView(out, d, first, grad.shape[d]!, step), grad);
    return out;
  },
);

const diagonalBackward = kernel(
  "aten::diagonal_backward(Tensor grad_output, SymInt[] input_sizes, int offset, int dim1, int dim2) -> Tensor",
  ({ grad_output: grad, offset, dim1, dim2 }, context) => {
    const out = emptyOutput(context);
    const [a, b] = [wrapDimension(dim1, out.ndim), wrapDimension(dim2, out.ndim)];
    const start = offset >= 0 ? offset * out.strides[b]! : -offset * out.strides[a]!;
    const strides = out.strides.filter((_, d) => d !== a && d !== b);
    copyInto(out.asStrided(grad.shape, [...strides, out.strides[a]! + out.strides[b]!], start), grad);
    return out;
  },
);

/** Gradients of windows that overlap add up; others are copied. */
const unfoldBackward = kernel(
  "aten::unfold_backward(Tensor grad_in, SymInt[] input_sizes, int dim, int size, int step) -> Tensor",
  ({ grad_in: grad, dim, size, step }, context) => {
    const out = emptyOutput(context);
    const d = wrapDimension(dim, out.ndim);
    if (out.ndim === 0) {
      copyInto(out, grad.asStrided([], []));
      return out;
    }
    const strides = out.strides.map((stride, k) => (k === d ? stride * step : stride));
    // Other dimensions of the gradient may be those of a broadcast one.
    const shape = [...out.shape.with(d, grad.shape[d]!), grad.shape.at(-1)!];
    const wide = grad.asStrided(shape, broadcastStrides(grad.shape, grad.strides, shape), grad.storageOffset);
    const layout = { strides: [...strides, out.strides[d]!], storageOffset: 0 };
    if (step >= size) {
      copyInto(out.asStrided(shape, layout.strides, 0), wide);
      return out;
    }
    const places = positionsOf(shape, layout);
    combineAt(out, places, wide, "sum");
    return out;
  },
);

export const viewBackwardKernels = defineKernels([
  selectBackward,
  sliceBackward,
  diagonalBackward,
  unfoldBackward,
]);
