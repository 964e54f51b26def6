/**
 * @file Gradients of convolutions: the input's is the transposed convolution, the weight's a
 * product over positions.
 */

import { contiguousStrides, numel, positionsOf, type Tensor } from "@sconce/tensor";
import { finishTarget, multiplierFor, numberTarget } from "../gemm/operands.js";
import { finishOutput, openOutput, readNumbers } from "../kernel/dense.js";
import { defineKernels, kernel, maskedOutputs } from "../kernel/kernel.js";
import { type ConvolutionArgs, convolve, perDimension, spatialStrides, spread } from "./convolution.js";

interface BackwardArgs extends Omit<ConvolutionArgs, "bias"> {
  readonly grad_output: Tensor;
  readonly output_mask: readonly boolean[];
}

/**
 * Sum over batch and positions of `rows[n, i, position] * windows[n, j, position * stride + tap *
 * dilation]`.
 */
function weightGradient(args: BackwardArgs, out: Tensor): Tensor {
  const { grad_output: grad, input, transposed, groups } = args;
  const rank = out.ndim - 2;
  const [stride, padding, dilation] = [args.stride, args.padding, args.dilation].map((values) =>
    perDimension(values, rank),
  ) as [readonly number[], readonly number[], readonly number[]];
  const [fixed, sliding] = transposed ? [input, grad] : [grad, input];
  const unit = padding.map(() => 1);
  const padded = spread(
    sliding,
    sliding.shape.slice(2).map((size, d) => size + 2 * padding[d]!),
    padding,
    unit,
  );
  const strides = spatialStrides(padded.sizes);
  const plane = numel(padded.sizes);
  const [batch, slidingChannels] = sliding.shape;
  const positions = fixed.shape.slice(2);
  const fixedStrides = contiguousStrides(fixed.shape);
  const fixedValues = readNumbers(fixed);
  const [rows, columns] = [fixed.shape[1]! / groups, out.shape[1]!];
  const target = numberTarget(out);
  for (let g = 0; g < groups; g++) {
    const left = {
      values: fixedValues,
      rows: positionsOf([rows], { strides: [fixedStrides[1]!], storageOffset: g * rows * fixedStrides[1]! }),
      columns: positionsOf([batch, ...positions], {
        strides: [fixedStrides[0]!, ...fixedStrides.slice(2)],
        storageOffset: 0,
      }),
    };
    const right = {
      values: padded.values,
      rows: positionsOf([batch, ...positions], {
        strides: [slidingChannels * plane, ...strides.map((s, d) => s * stride[d]!)],
        storageOffset: g * columns * plane,
      }),
      columns: positionsOf([columns, ...out.shape.slice(2)], {
        strides: [plane, ...strides.map((s, d) => s * dilation[d]!)],
        storageOffset: 0,
      }),
    };
    const outColumns = positionsOf(out.shape.slice(1), {
      strides: target.strides.slice(1),
      storageOffset: 0,
    });
    const first = target.storageOffset + g * rows * target.strides[0]!;
    multiplierFor(out.dtype)(left, right, (i, j, height, width, block, start, step) => {
      for (let y = 0; y < height; y++) {
        const to = first + (i + y) * target.strides[0]!;
        for (let x = 0; x < width; x++) target.values[to + outColumns[j + x]!] = block[start + y * step + x]!;
      }
    });
  }
  return finishTarget(out, target);
}

function biasGradient(grad: Tensor, out: Tensor): Tensor {
  const values = openOutput(out);
  const g = readNumbers(grad);
  const [batch, channels] = grad.shape;
  const inner = numel(grad.shape.slice(2));
  for (let c = 0; c < channels; c++) {
    let sum = 0;
    for (let n = 0; n < batch; n++) {
      const start = (n * channels + c) * inner;
      for (let p = start; p < start + inner; p++) sum += g[p]!;
    }
    values[c] = sum;
  }
  return finishOutput(out, values);
}

const backward = kernel(
  "aten::convolution_backward(Tensor grad_output, Tensor input, Tensor weight, SymInt[]? bias_sizes, SymInt[] stride, SymInt[] padding, SymInt[] dilation, bool transposed, SymInt[] output_padding, SymInt groups, bool[3] output_mask) -> (Tensor, Tensor, Tensor)",
  (args, context) => {
    const { grad_output: grad, transposed } = args;
    const [input, weight, bias] = maskedOutputs(context);
    if (input !== null && input.numel > 0)
      convolve({ ...args, input: grad, bias: null, transposed: !transposed }, input);
    if (weight !== null && weight.numel > 0) weightGradient(args, weight);
    // Of no images, or images of no channels, PyTorch reads no gradient.
    if (bias !== null && bias.numel > 0 && args.input.numel > 0) biasGradient(grad, bias);
    return [input, weight, bias];
  },
);

export const convolutionBackwardKernels = defineKernels([backward]);
