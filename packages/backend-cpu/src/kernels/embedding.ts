/** @file Table look-ups. */

import { dtypeInfo, isIntegralDType, type Tensor } from "@sconce/tensor";
import {
  finishOutput,
  isBigArray,
  openOutput,
  readExact,
  readFloat64,
  readNumbers,
  writeBigInts,
} from "../kernel/dense.js";
import { indexOutOfRange, invalidArgument } from "../kernel/errors.js";
import { roundTo } from "../kernel/half.js";
import { defineKernels, emptyOutput, emptyOutputs, type KernelContext, kernel } from "../kernel/kernel.js";
import { scratch } from "../kernel/scratch.js";
import { identity } from "./pointwise-math.js";

function embedding(weight: Tensor, indices: Tensor, context: KernelContext): Tensor {
  const out = emptyOutput(context);
  const { lanes } = dtypeInfo(weight.dtype);
  const [from, to] = [weight.data, out.data];
  const [rows, width] = weight.shape;
  const [rowStep, step] = weight.strides;
  let at = 0;
  for (const index of readNumbers(indices)) {
    if (index < 0 || index >= rows) throw indexOutOfRange("index out of range in self");
    const start = weight.storageOffset + index * rowStep;
    if (step === 1) {
      to.set(from.subarray(start * lanes, (start + width) * lanes) as never, at);
    } else {
      for (let i = 0, p = start * lanes; i < width; i++, p += step * lanes) {
        for (let lane = 0; lane < lanes; lane++) to[at + i * lanes + lane] = from[p + lane]!;
      }
    }
    at += width * lanes;
  }
  return out;
}

/** Keeps the quotient of a norm finite (`Embedding.cpp`). */
const NORM_EPSILON = 1e-7;

function normOf(row: Float64Array, p: number): number {
  if (p === Infinity) return row.reduce((most, x) => Math.max(most, Math.abs(x)), 0);
  if (p === -Infinity) return row.reduce((least, x) => Math.min(least, Math.abs(x)), Infinity);
  if (p === 0) return row.reduce((count, x) => count + (x === 0 ? 0 : 1), 0);
  let sum = 0;
  for (const x of row) sum += p === 2 ? x * x : Math.abs(x) ** p;
  return p === 2 ? Math.sqrt(sum) : sum ** (1 / p);
}

/** Rows that are looked up are made no longer than `max_norm`, each once. */
const renormalized = kernel(
  "aten::embedding_renorm(Tensor self, Tensor indices, float max_norm, float norm_type) -> Tensor",
  ({ self, indices, max_norm: most, norm_type: p }, context) => {
    const out = emptyOutput(context);
    const [x, y] = [readFloat64(self), openOutput(out)];
    const [rows, width] = self.shape;
    const round = roundTo(self.dtype);
    y.set(x);
    for (const index of new Set(readNumbers(indices))) {
      if (index < 0 || index >= rows) {
        throw indexOutOfRange(
          `select(): index ${index} out of range for tensor of size [${rows}, ${width}] at dimension 0`,
        );
      }
      const row = x.subarray(index * width, (index + 1) * width);
      const norm = round(normOf(row, p));
      if (!(norm > most)) continue;
      const factor = most / (norm + NORM_EPSILON);
      row.forEach((value, i) => {
        y[index * width + i] = value * factor;
      });
    }
    return finishOutput(out, y);
  },
);

interface BagArgs {
  readonly weight: Tensor;
  readonly indices: Tensor;
  readonly offsets: Tensor;
  readonly mode: number;
  readonly per_sample_weights: Tensor | null;
  readonly include_last_offset: boolean;
  readonly padding_idx: number;
}

/** Where each bag starts, and where the last one of `bags` ends. */
function bagStarts({ offsets, indices }: BagArgs): Float64Array {
  const starts = Float64Array.from(readNumbers(offsets) as Float64Array);
  const [first = 0] = starts;
  if (first !== 0) {
    throw invalidArgument(
      "offsets[0] has to be 0, i.e., the first sequence in the mini-batch has to start from position 0. " +
        `However, got ${first}`,
    );
  }
  const last = starts.at(-1) ?? 0;
  if (last > indices.numel) {
    throw invalidArgument(
      `offsets[-1] can not be greater than input's length ${indices.numel} but got offsets[-1] of ${last}`,
    );
  }
  if (starts.some((offset, i) => offset < (starts[i - 1] ?? 0)))
    throw invalidArgument("the offsets of bags decrease");
  return starts;
}

/**
 * Returns how many indices the sums take. PyTorch's fast kernel stops at a last offset that ends
 * the last bag; its other kernels, and the sizes of bags, take what is behind it, too.
 */
function summedIndices(args: BagArgs, starts: Float64Array): number {
  const { weight, per_sample_weights: scales, padding_idx: padding, mode } = args;
  const isFast =
    mode !== 2 &&
    weight.dtype !== "float64" &&
    weight.strides[1] === 1 &&
    (scales === null || scales.strides[0] === 1) &&
    padding < 0;
  return isFast && args.include_last_offset ? starts.at(-1)! : args.indices.numel;
}

/**
 * Rows of each bag summed (`mode` 0), averaged (1), or their greatest elements (2); rows of
 * `padding_idx` are left out. NaN is greater than nothing.
 */
const embeddingBag = kernel(
  [
    "aten::_embedding_bag(Tensor weight, Tensor indices, Tensor offsets, bool scale_grad_by_freq=False, int mode=0, bool sparse=False, Tensor? per_sample_weights=None, bool include_last_offset=False, int padding_idx=-1) -> (Tensor, Tensor, Tensor, Tensor)",
    "aten::_embedding_bag_forward_only(Tensor weight, Tensor indices, Tensor offsets, bool scale_grad_by_freq=False, int mode=0, bool sparse=False, Tensor? per_sample_weights=None, bool include_last_offset=False, int padding_idx=-1) -> (Tensor, Tensor, Tensor, Tensor)",
  ],
  (args, context) => {
    const outputs = emptyOutputs(context);
    const [out, offsetToBag, bagSize, maxIndices] = outputs;
    const [rows, width] = args.weight.shape;
    const [table, indices] = [readNumbers(args.weight), readNumbers(args.indices)];
    const weights = args.per_sample_weights && readNumbers(args.per_sample_weights);
    const starts = bagStarts(args);
    const summed = summedIndices(args, starts);
    const bags = out.shape[0]!;
    const y = scratch(Float64Array, bags * width);
    const counts = scratch(Float64Array, bagSize.numel);
    const bagOf = scratch(Float64Array, indices.length).fill(bags === 0 ? -1 : 0);
    const chosen = scratch(Float64Array, bags * width);
    for (let bag = 0; bag < bags; bag++) {
      const end = bag + 1 < bags ? starts[bag + 1]! : indices.length;
      for (let i = starts[bag]!; i < end; i++) {
        const row = indices[i]!;
        if (row < 0 || row >= rows) throw indexOutOfRange("index out of range in self");
        bagOf[i] = bag;
        if (row === args.padding_idx) continue;
        const first = counts[bag]!++ === 0;
        if (i >= summed) continue;
        for (let c = 0; c < width; c++) {
          const at = bag * width + c;
          const value = table[row * width + c]!;
          if (args.mode !== 2) y[at]! += value * (weights ? weights[i]! : 1);
          else if (first || value > y[at]!) {
            y[at] = value;
            chosen[at] = row;
          }
        }
      }
      if (args.mode === 1 && counts[bag]! > 0)
        for (let c = 0; c < width; c++) y[bag * width + c]! /= counts[bag]!;
    }
    finishOutput(out, y);
    if (offsetToBag.numel === bagOf.length) finishOutput(offsetToBag, bagOf);
    // Sums are not counted; averages give the sizes of bags twice.
    if (args.mode !== 0) finishOutput(bagSize, counts);
    if (args.mode === 1) finishOutput(maxIndices, counts.subarray(0, bags));
    if (args.mode === 2) finishOutput(maxIndices, chosen);
    return outputs;
  },
);

const embeddingDenseBackward = kernel(
  "aten::embedding_dense_backward(Tensor grad_output, Tensor indices, SymInt num_weights, SymInt padding_idx, bool scale_grad_by_freq) -> Tensor",
  (args, context) => {
    const out = emptyOutput(context);
    const width = out.shape[1]!;
    const [grad, indices] = [readNumbers(args.grad_output), readNumbers(args.indices)];
    const counts = scratch(Float64Array, out.shape[0]!);
    for (const index of indices) counts[index]!++;
    // Integers have an integer factor.
    const cut = isIntegralDType(out.dtype) ? Math.trunc : identity;
    const scaleOf = (index: number): number => (args.scale_grad_by_freq ? cut(1 / counts[index]!) : 1);
    const exact = readExact(args.grad_output, indices.length);
    if (isBigArray(exact)) {
      const totals = scratch(BigInt64Array, out.numel);
      indices.forEach((index: number, i: number) => {
        if (index === args.padding_idx) return;
        const by = BigInt(scaleOf(index));
        for (let c = 0; c < width; c++) totals[index * width + c]! += exact[i * width + c]! * by;
      });
      writeBigInts(out, totals);
      return out;
    }
    const sums = scratch(Float64Array, out.numel);
    indices.forEach((index: number, i: number) => {
      if (index === args.padding_idx) return;
      const scale = scaleOf(index);
      for (let c = 0; c < width; c++) sums[index * width + c]! += grad[i * width + c]! * scale;
    });
    return finishOutput(out, sums);
  },
);

interface BagBackwardArgs {
  readonly grad: Tensor;
  readonly indices: Tensor;
  readonly offsets: Tensor;
  readonly offset2bag: Tensor;
  readonly bag_size: Tensor;
  readonly maximum_indices: Tensor;
  readonly scale_grad_by_freq: boolean;
  readonly mode: number;
  readonly per_sample_weights: Tensor | null;
  readonly padding_idx: number;
}

/** The bag of each index: as the forward pass noted it, or counted from where bags start. */
function bagOfEach({
  indices,
  offsets,
  offset2bag,
}: Pick<BagBackwardArgs, "indices" | "offsets" | "offset2bag">) {
  if (offset2bag.numel > 0 || indices.numel === 0) return readNumbers(offset2bag);
  const starts = readNumbers(offsets);
  const bags = scratch(Float64Array, indices.numel);
  let bag = 0;
  for (let i = 0; i < bags.length; i++) {
    while (bag + 1 < starts.length && starts[bag + 1]! <= i) bag++;
    bags[i] = bag;
  }
  return bags;
}

const embeddingBagBackward = kernel(
  "aten::_embedding_bag_backward(Tensor grad, Tensor indices, Tensor offsets, Tensor offset2bag, Tensor bag_size, Tensor maximum_indices, SymInt num_weights, bool scale_grad_by_freq, int mode, bool sparse, Tensor? per_sample_weights, int padding_idx=-1) -> Tensor",
  (args, context) => {
    const out = emptyOutput(context);
    const width = out.shape[1]!;
    const sums = scratch(Float64Array, out.numel);
    const grad = readNumbers(args.grad);
    if (args.mode === 2) {
      const sizes = readNumbers(args.bag_size);
      readNumbers(args.maximum_indices).forEach((row: number, at: number) => {
        if (sizes[Math.floor(at / width)]! > 0) sums[row * width + (at % width)]! += grad[at]!;
      });
      return finishOutput(out, sums);
    }
    const [indices, bags, sizes] = [readNumbers(args.indices), bagOfEach(args), readNumbers(args.bag_size)];
    const weights = args.per_sample_weights && readNumbers(args.per_sample_weights);
    const counts = scratch(Float64Array, out.shape[0]!);
    for (const index of indices) counts[index]!++;
    indices.forEach((index: number, i: number) => {
      if (index === args.padding_idx) return;
      const bag = bags[i]!;
      let scale = weights ? weights[i]! : 1;
      if (args.scale_grad_by_freq) scale /= counts[index]!;
      if (args.mode === 1) scale /= sizes[bag]!;
      for (let c = 0; c < width; c++) sums[index * width + c]! += grad[bag * width + c]! * scale;
    });
    return finishOutput(out, sums);
  },
);

const perSampleWeightsBackward = kernel(
  "aten::_embedding_bag_per_sample_weights_backward(Tensor grad, Tensor weight, Tensor indices, Tensor offsets, Tensor offset2bag, int mode, int padding_idx=-1) -> Tensor",
  (args, context) => {
    const out = emptyOutput(context);
    const width = args.weight.shape[1]!;
    const [grad, weight] = [readNumbers(args.grad), readNumbers(args.weight)];
    const bags = bagOfEach(args);
    const products = Float64Array.from(readNumbers(args.indices) as Float64Array, (index, i) => {
      let sum = 0;
      if (index !== args.padding_idx) {
        for (let c = 0; c < width; c++) sum += grad[bags[i]! * width + c]! * weight[index * width + c]!;
      }
      return sum;
    });
    return finishOutput(out, products);
  },
);

export const embeddingKernels = defineKernels([
  renormalized,
  kernel(
    "aten::embedding(Tensor weight, Tensor indices, SymInt padding_idx=-1, bool scale_grad_by_freq=False, bool sparse=False) -> Tensor",
    ({ weight, indices }, context) => embedding(weight, indices, context),
  ),
  embeddingBag,
  embeddingDenseBackward,
  embeddingBagBackward,
  perSampleWeightsBackward,
]);
