/** @file Gradients of layer and group normalization. */

import type { FakeTensor } from "@sconce/ir";
import { numel, type Tensor } from "@sconce/tensor";
import { finishOutput, type NumberArray, readNumbers } from "../kernel/dense.js";
import { defineKernels, type KernelContext, kernel, maskedOutputs } from "../kernel/kernel.js";
import { scratch } from "../kernel/scratch.js";
import { mapTuple, type TupleOf } from "../kernel/tuple.js";

/** Returns the gradients that the output mask asks for, null for the others. */
function masked(
  context: KernelContext<readonly [FakeTensor | null, FakeTensor | null, FakeTensor | null]>,
  values: readonly [Float64Array, Float64Array, Float64Array],
): TupleOf<typeof values, Tensor | null> {
  return mapTuple(maskedOutputs(context), (out, i) => out && finishOutput(out, values[i]!));
}

/**
 * Gradient of `(x - mean) * rstd` over one group, given the gradient `g` of its result, added into
 * `out`.
 */
function groupGradient(
  x: NumberArray,
  g: Float64Array,
  out: Float64Array,
  start: number,
  size: number,
  mean: number,
  rstd: number,
): void {
  let [sum, dot] = [0, 0];
  for (let i = 0; i < size; i++) {
    sum += g[i]!;
    dot += g[i]! * (x[start + i]! - mean) * rstd;
  }
  for (let i = 0; i < size; i++) {
    const normal = (x[start + i]! - mean) * rstd;
    out[start + i] = rstd * (g[i]! - (sum + normal * dot) / size);
  }
}

const layerNormBackward = kernel(
  "aten::native_layer_norm_backward(Tensor grad_out, Tensor input, SymInt[] normalized_shape, Tensor mean, Tensor rstd, Tensor? weight, Tensor? bias, bool[3] output_mask) -> (Tensor, Tensor, Tensor)",
  (args, context) => {
    const size = numel(args.normalized_shape);
    const [grad, x] = [readNumbers(args.grad_out), readNumbers(args.input)];
    const [mean, rstd] = [readNumbers(args.mean), readNumbers(args.rstd)];
    const weight = args.weight && readNumbers(args.weight);
    const [dx, dw, db] = [
      scratch(Float64Array, x.length),
      scratch(Float64Array, size),
      scratch(Float64Array, size),
    ];
    const g = scratch(Float64Array, size);
    for (let row = 0; row < (size === 0 ? 0 : x.length / size); row++) {
      const start = row * size;
      for (let i = 0; i < size; i++) {
        const value = grad[start + i]!;
        g[i] = value * (weight ? weight[i]! : 1);
        dw[i]! += value * (x[start + i]! - mean[row]!) * rstd[row]!;
        db[i]! += value;
      }
      groupGradient(x, g, dx, start, size, mean[row]!, rstd[row]!);
    }
    return masked(context, [dx, dw, db]);
  },
);

const groupNormBackward = kernel(
  "aten::native_group_norm_backward(Tensor grad_out, Tensor input, Tensor mean, Tensor rstd, Tensor? weight, SymInt N, SymInt C, SymInt HxW, int group, bool[3] output_mask) -> (Tensor, Tensor, Tensor)",
  (args, context) => {
    const { N, C, HxW, group } = args;
    const [grad, x] = [readNumbers(args.grad_out), readNumbers(args.input)];
    const [mean, rstd] = [readNumbers(args.mean), readNumbers(args.rstd)];
    const weight = args.weight && readNumbers(args.weight);
    const [dx, dw, db] = [
      scratch(Float64Array, x.length),
      scratch(Float64Array, C),
      scratch(Float64Array, C),
    ];
    const channels = C / group;
    const size = channels * HxW;
    const g = scratch(Float64Array, size);
    for (let row = 0; row < N * group; row++) {
      const start = row * size;
      for (let i = 0; i < size; i++) {
        const channel = (row % group) * channels + Math.floor(i / HxW);
        const value = grad[start + i]!;
        g[i] = value * (weight ? weight[channel]! : 1);
        dw[channel]! += value * (x[start + i]! - mean[row]!) * rstd[row]!;
        db[channel]! += value;
      }
      groupGradient(x, g, dx, start, size, mean[row]!, rstd[row]!);
    }
    return masked(context, [dx, dw, db]);
  },
);

export const normalizationBackwardKernels = defineKernels([layerNormBackward, groupNormBackward]);
