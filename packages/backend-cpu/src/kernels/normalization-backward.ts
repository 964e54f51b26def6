/** @file Gradients of layer and group normalization. */
import type { FakeTensor } from "@sconce/ir";
import { numel, type Tensor } from "@sconce/tensor";
import { finishOutput, type NumberArray, readNumbers } from "../kernel/dense.js";
import { allocate, defineKernels, type KernelContext, kernel, type RuntimeValue } from "../kernel/kernel.js";

/** The three gradients that the mask asks for, None for the others. */
function masked(
  context: KernelContext,
  mask: readonly boolean[],
  values: readonly Float64Array[],
): RuntimeValue {
  const metas = context.meta as readonly (FakeTensor | null)[];
  return values.map((array, i) => {
    const meta = metas[i];
    return mask[i] === true && meta ? finishOutput(allocate(meta), array) : null;
  });
}

/** Gradient of `(x - mean) * rstd` over one group, given the gradient `g` of its result, added into `out`. */
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

interface LayerArgs {
  readonly grad_out: Tensor;
  readonly input: Tensor;
  readonly normalized_shape: readonly number[];
  readonly mean: Tensor;
  readonly rstd: Tensor;
  readonly weight: Tensor | null;
  readonly output_mask: readonly boolean[];
}

function layerNormBackward(args: LayerArgs, context: KernelContext): RuntimeValue {
  const size = numel(args.normalized_shape);
  const [grad, x] = [readNumbers(args.grad_out), readNumbers(args.input)];
  const [mean, rstd] = [readNumbers(args.mean), readNumbers(args.rstd)];
  const weight = args.weight && readNumbers(args.weight);
  const [dx, dw, db] = [new Float64Array(x.length), new Float64Array(size), new Float64Array(size)];
  const g = new Float64Array(size);
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
  return masked(context, args.output_mask, [dx, dw, db]);
}

interface GroupArgs {
  readonly grad_out: Tensor;
  readonly input: Tensor;
  readonly mean: Tensor;
  readonly rstd: Tensor;
  readonly weight: Tensor | null;
  readonly N: number;
  readonly C: number;
  readonly HxW: number;
  readonly group: number;
  readonly output_mask: readonly boolean[];
}

function groupNormBackward(args: GroupArgs, context: KernelContext): RuntimeValue {
  const { N, C, HxW, group } = args;
  const [grad, x] = [readNumbers(args.grad_out), readNumbers(args.input)];
  const [mean, rstd] = [readNumbers(args.mean), readNumbers(args.rstd)];
  const weight = args.weight && readNumbers(args.weight);
  const [dx, dw, db] = [new Float64Array(x.length), new Float64Array(C), new Float64Array(C)];
  const channels = C / group;
  const size = channels * HxW;
  const g = new Float64Array(size);
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
  return masked(context, args.output_mask, [dx, dw, db]);
}

export const normalizationBackwardKernels = defineKernels({
  "aten.native_layer_norm_backward.default": kernel<LayerArgs>(layerNormBackward),
  "aten.native_group_norm_backward.default": kernel<GroupArgs>(groupNormBackward),
});
