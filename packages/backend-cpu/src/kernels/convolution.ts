/**
 * @file Convolutions of any rank, as matrix products whose right operand is read from the padded
 * input in place.
 */

import { numel, positionsOf, type Tensor } from "@sconce/tensor";
import { finishTarget, multiplierFor, numberTarget, numberView } from "../gemm/operands.js";
import type { NumberArray } from "../kernel/dense.js";
import { readNumbers } from "../kernel/dense.js";
import { defineKernels, emptyOutput, kernel } from "../kernel/kernel.js";
import { scratchLike } from "../kernel/scratch.js";
import {
  convolveBig,
  convolveSparse,
  hasUnboundedWeight,
  outgrowsDouble,
  type WholeConvolution,
} from "./convolution-exact.js";

export interface ConvolutionArgs {
  readonly input: Tensor;
  readonly weight: Tensor;
  readonly bias: Tensor | null;
  readonly stride: readonly number[];
  readonly padding: readonly number[];
  readonly dilation: readonly number[];
  readonly transposed: boolean;
  readonly output_padding: readonly number[];
  readonly groups: number;
}

/**
 * The input with room around (and, transposed, between) its elements: row-major `[batch, channels,
 * ...sizes]`.
 */
export interface Spread {
  readonly values: NumberArray;
  readonly sizes: readonly number[];
}

/**
 * Lays element `i` of each spatial dimension at `i * step + start` of a zeroed array of these
 * sizes.
 */
export function spread(
  input: Tensor,
  sizes: readonly number[],
  start: readonly number[],
  step: readonly number[],
): Spread {
  const source = readNumbers(input);
  const [batch, channels, ...inner] = input.shape;
  if (start.every((s) => s === 0) && inner.join() === sizes.join()) return { values: source, sizes };
  const values = scratchLike(source, batch * channels * numel(sizes));
  const last = inner.length - 1;
  const rows = numel(inner.slice(0, last));
  const width = inner[last]!;
  for (let plane = 0; plane < batch * channels; plane++) {
    for (let row = 0; row < rows; row++) {
      const at = rowStart(row, inner, sizes, start, step);
      if (at < 0) continue;
      const from = (plane * rows + row) * width;
      const to = plane * numel(sizes) + at;
      for (let x = 0, p = start[last]!; x < width; x++, p += step[last]!) {
        if (p >= 0 && p < sizes[last]!) values[to + p] = source[from + x]!;
      }
    }
  }
  return { values, sizes };
}

/**
 * Position of a row (all but the last dimension) in the spread array, -1 when it is cropped away.
 */
function rowStart(
  row: number,
  inner: readonly number[],
  sizes: readonly number[],
  start: readonly number[],
  step: readonly number[],
): number {
  let rest = row;
  let position = 0;
  let scale = sizes[sizes.length - 1]!;
  for (let d = inner.length - 2; d >= 0; d--) {
    const p = (rest % inner[d]!) * step[d]! + start[d]!;
    if (p < 0 || p >= sizes[d]!) return -1;
    rest = Math.floor(rest / inner[d]!);
    position += p * scale;
    scale *= sizes[d]!;
  }
  return position;
}

export function spatialStrides(sizes: readonly number[]): number[] {
  const strides = sizes.map(() => 1);
  for (let d = sizes.length - 2; d >= 0; d--) strides[d] = strides[d + 1]! * sizes[d + 1]!;
  return strides;
}

/** One value represents all dimensions. */
export const perDimension = (values: readonly number[], rank: number): readonly number[] =>
  values.length === 1 ? new Array<number>(rank).fill(values[0]!) : values;

/** Convolves into `out`, whose sizes say how much output padding there is. */
export function convolve(args: ConvolutionArgs, out: Tensor): Tensor {
  const rank = args.weight.ndim - 2;
  const [stride, padding, dilation] = [args.stride, args.padding, args.dilation].map((values) =>
    perDimension(values, rank),
  ) as [readonly number[], readonly number[], readonly number[]];
  const whole = { ...args, stride, padding, dilation };
  if (outgrowsDouble(whole, out)) return convolveBig(whole, out);
  return hasUnboundedWeight(whole) ? convolveSparse(whole, out) : convolveDense(whole, out);
}

function convolveDense(args: WholeConvolution, out: Tensor): Tensor {
  const { input, weight, bias, stride, padding, dilation, transposed, groups } = args;
  const kernelShape = weight.shape.slice(2);
  const outSizes = out.shape.slice(2);
  const unit = kernelShape.map(() => 1);
  const reach = kernelShape.map((size, d) => dilation[d]! * (size - 1));
  // A transposed convolution is a convolution of step 1 over the input with zeros between its
  // elements.
  const step = transposed ? unit : stride;
  const padded = transposed
    ? spread(
        input,
        outSizes.map((size, d) => size + reach[d]!),
        reach.map((r, d) => r - padding[d]!),
        stride,
      )
    : spread(
        input,
        input.shape.slice(2).map((size, d) => size + 2 * padding[d]!),
        padding,
        unit,
      );
  const strides = spatialStrides(padded.sizes);
  const plane = numel(padded.sizes);
  const channels = input.shape[1]! / groups;
  const outChannels = out.shape[1]! / groups;
  const taps = [channels, ...kernelShape];
  const columns = positionsOf(outSizes, { strides: strides.map((s, d) => s * step[d]!), storageOffset: 0 });
  const tapStrides = [plane, ...strides.map((s, d) => s * dilation[d]!)];
  const target = numberTarget(out);
  const biases = bias === null ? undefined : readNumbers(bias);
  const outColumns = positionsOf(outSizes, { strides: target.strides.slice(2), storageOffset: 0 });
  for (let n = 0; n < input.shape[0]!; n++) {
    for (let g = 0; g < groups; g++) {
      const first = (n * groups + g) * channels * plane;
      const right = {
        values: padded.values,
        rows: positionsOf(taps, { strides: tapStrides, storageOffset: first }),
        columns,
      };
      const outAt = target.storageOffset + n * target.strides[0]! + g * outChannels * target.strides[1]!;
      multiplierFor(out.dtype)(
        weightMatrix(weight, g, groups, transposed),
        right,
        (i, j, height, width, block, start, stride) => {
          for (let y = 0; y < height; y++) {
            const to = outAt + (i + y) * target.strides[1]!;
            const from = start + y * stride;
            const add = biases?.[g * outChannels + i + y] ?? 0;
            for (let x = 0; x < width; x++) target.values[to + outColumns[j + x]!] = block[from + x]! + add;
          }
        },
      );
    }
  }
  return finishTarget(out, target);
}

/** Rows are output channels, columns (input channel, tap); transposed weights are read mirrored. */
function weightMatrix(weight: Tensor, group: number, groups: number, transposed: boolean) {
  const { values, shape, strides, storageOffset } = numberView(weight);
  const kernelShape = shape.slice(2);
  const spatial = strides.slice(2);
  const [outAxis, inAxis] = transposed ? [1, 0] : [0, 1];
  const outChannels = transposed ? shape[1]! : shape[0]! / groups;
  const inChannels = transposed ? shape[0]! / groups : shape[1]!;
  const groupOffset = group * (transposed ? inChannels : outChannels) * strides[0]!;
  const mirror = transposed ? kernelShape.reduce((sum, size, d) => sum + (size - 1) * spatial[d]!, 0) : 0;
  const tapStrides = [strides[inAxis]!, ...spatial.map((s) => (transposed ? -s : s))];
  return {
    values,
    rows: positionsOf([outChannels], {
      strides: [strides[outAxis]!],
      storageOffset: storageOffset + groupOffset + mirror,
    }),
    columns: positionsOf([inChannels, ...kernelShape], { strides: tapStrides, storageOffset: 0 }),
  };
}

export const convolutionKernels = defineKernels([
  kernel(
    "aten::convolution(Tensor input, Tensor weight, Tensor? bias, SymInt[] stride, SymInt[] padding, SymInt[] dilation, bool transposed, SymInt[] output_padding, SymInt groups) -> Tensor",
    (args, context) => {
      const out = emptyOutput(context);
      return out.numel === 0 ? out : convolve(args, out);
    },
  ),
]);
