/** @file Attention as one operator, forward and backward. */

import type { Tensor } from "@sconce/tensor";
import { type GatherMatrix, multiply, multiplyFloat32, stepped } from "../gemm/gemm.js";
import { finishOutput, readFloat64 } from "../kernel/dense.js";
import { invalidArgument } from "../kernel/errors.js";
import { isHalf, roundTo } from "../kernel/half.js";
import { defineKernels, emptyOutputs, kernel } from "../kernel/kernel.js";
import { scratch } from "../kernel/scratch.js";
import { mapTuple } from "../kernel/tuple.js";

interface AttentionArgs {
  readonly query: Tensor;
  readonly key: Tensor;
  readonly value: Tensor;
  readonly is_causal: boolean;
  readonly attn_mask: Tensor | null;
  readonly scale: number | null;
}

/** The operands of one call, dense, with their sizes. Several query heads may share a key head. */
interface Heads {
  readonly count: number;
  readonly rows: number;
  readonly keys: number;
  readonly width: number;
  readonly valueWidth: number;
  readonly scale: number;
  readonly query: Float64Array;
  readonly key: Float64Array;
  readonly value: Float64Array;
  readonly mask: Float64Array | undefined;
  readonly causal: boolean;
  readonly shared: (head: number) => number;
  /** PyTorch computes halves in float32. */
  readonly multiply: typeof multiplyFloat32;
  readonly round: (value: number) => number;
  /** Weights of halves are halves. */
  readonly roundWeight: (value: number) => number;
}

function headsOf({ query, key, value, is_causal: causal, attn_mask: mask, scale }: AttentionArgs): Heads {
  const [batch, heads, rows, width] = query.shape;
  const [, keyHeads, keys] = key.shape;
  const group = heads / keyHeads;
  const isWide = query.dtype === "float64";
  const added = mask === null ? undefined : readFloat64(mask, [batch, heads, rows, keys]);
  return {
    count: batch * heads,
    rows,
    keys,
    width,
    valueWidth: value.shape[3]!,
    scale: scale ?? 1 / Math.sqrt(width),
    query: readFloat64(query),
    key: readFloat64(key),
    value: readFloat64(value),
    causal,
    mask: mask?.dtype === "bool" ? added!.map((on) => (on !== 0 ? 0 : Number.NEGATIVE_INFINITY)) : added,
    multiply: isWide ? multiply : multiplyFloat32,
    round: isWide ? (value) => value : Math.fround,
    roundWeight: isHalf(query.dtype) ? roundTo(query.dtype) : (value) => value,
    shared: (head) => Math.floor(head / heads) * keyHeads + Math.floor((head % heads) / group),
  };
}

/** Rows of a dense matrix from `offset`, or of its transpose. */
function matrix(
  values: Float64Array,
  offset: number,
  rows: number,
  columns: number,
  transposed = false,
): GatherMatrix {
  const [down, across] = [stepped(rows, columns, offset), stepped(columns, 1)];
  return transposed
    ? { values, rows: stepped(columns, 1, offset), columns: stepped(rows, columns) }
    : { values, rows: down, columns: across };
}

/** A product into (or, adding, onto) a dense matrix at `offset`. */
function multiplyDense(
  heads: Heads,
  out: Float64Array,
  offset: number,
  a: GatherMatrix,
  b: GatherMatrix,
  add = false,
): void {
  const columns = b.columns.length;
  heads.multiply(a, b, (i, j, height, width, block, start, stride) => {
    for (let y = 0; y < height; y++) {
      const to = offset + (i + y) * columns + j;
      for (let x = 0; x < width; x++) out[to + x] = block[start + y * stride + x]! + (add ? out[to + x]! : 0);
    }
  });
}

/** Scaled, masked scores of one head. */
function scoresOf(heads: Heads, head: number): Float64Array {
  const { rows, keys, width, scale, mask, causal, round } = heads;
  const scores = scratch(Float64Array, rows * keys);
  const keyAt = heads.shared(head) * keys * width;
  multiplyDense(
    heads,
    scores,
    0,
    matrix(heads.query, head * rows * width, rows, width),
    matrix(heads.key, keyAt, keys, width, true),
  );
  for (let i = 0; i < rows; i++) {
    for (let j = 0; j < keys; j++) {
      const at = i * keys + j;
      scores[at] =
        causal && j > i
          ? Number.NEGATIVE_INFINITY
          : round(round(round(scores[at]!) * scale) + (mask ? mask[head * rows * keys + at]! : 0));
    }
  }
  return scores;
}

/**
 * Converts scores to weights, row by row, and writes the logarithms of their sums to `logs`. The
 * sums divide the products later, which may so overflow. A masked row gives zeros, also for its
 * logarithm.
 *
 * A row with NaN gives NaN. PyTorch's kernel gives that, other numbers or zeros instead: which one
 * depends on the number of keys and on the processor.
 */
function exponentiateRows(
  scores: Float64Array,
  { rows, keys, roundWeight }: Heads,
  sums: Float64Array,
  logs: Float64Array,
  at: number,
): void {
  for (let i = 0; i < rows; i++) {
    const row = scores.subarray(i * keys, (i + 1) * keys);
    let max = Number.NEGATIVE_INFINITY;
    for (let j = 0; j < keys; j++) if (row[j]! > max || Number.isNaN(row[j])) max = row[j]!;
    if (max === Number.NEGATIVE_INFINITY) {
      row.fill(0);
      sums[i] = 1;
      continue;
    }
    let sum = 0;
    for (let j = 0; j < keys; j++) {
      const weight = Math.exp(row[j]! - max);
      sum += weight;
      row[j] = roundWeight(weight);
    }
    sums[i] = sum;
    logs[at + i] = max + Math.log(sum);
  }
}

const attention = kernel(
  "aten::_scaled_dot_product_flash_attention_for_cpu(Tensor query, Tensor key, Tensor value, float dropout_p=0., bool is_causal=False, *, Tensor? attn_mask=None, float? scale=None) -> (Tensor output, Tensor logsumexp)",
  (args, context) => {
    if (args.dropout_p !== 0)
      throw invalidArgument(
        "scaled_dot_product_attention_flash_attention: Currently do not support dropout > 0",
      );
    const [out, logSums] = emptyOutputs(context);
    const heads = headsOf(args);
    const { count, rows, keys, valueWidth, round } = heads;
    const [result, logs] = [scratch(Float64Array, out.numel), scratch(Float64Array, count * rows)];
    const sums = scratch(Float64Array, rows);
    for (let head = 0; head < count; head++) {
      const weights = scoresOf(heads, head);
      exponentiateRows(weights, heads, sums, logs, head * rows);
      const values = matrix(heads.value, heads.shared(head) * keys * valueWidth, keys, valueWidth);
      const at = head * rows * valueWidth;
      multiplyDense(heads, result, at, matrix(weights, 0, rows, keys), values);
      for (let i = 0; i < rows * valueWidth; i++)
        result[at + i] = round(result[at + i]!) / sums[Math.floor(i / valueWidth)]!;
    }
    return [finishOutput(out, result), finishOutput(logSums, logs)];
  },
);

const attentionBackward = kernel(
  "aten::_scaled_dot_product_flash_attention_for_cpu_backward(Tensor grad_out, Tensor query, Tensor key, Tensor value, Tensor out, Tensor logsumexp, float dropout_p, bool is_causal, *, Tensor? attn_mask=None, float? scale=None) -> (Tensor grad_query, Tensor grad_key, Tensor grad_value)",
  (args, context) => {
    const outputs = emptyOutputs(context);
    const heads = headsOf(args);
    const { count, rows, keys, width, valueWidth, scale } = heads;
    const [grad, out, logs] = [
      readFloat64(args.grad_out),
      readFloat64(args.out),
      readFloat64(args.logsumexp),
    ];
    const sums = mapTuple(outputs, (tensor) => scratch(Float64Array, tensor.numel));
    for (let head = 0; head < count; head++) {
      const [shared, at] = [heads.shared(head), head * rows * valueWidth];
      const weights = scoresOf(heads, head).map((score, p) => {
        const log = logs[head * rows + Math.floor(p / keys)]!;
        return log === Number.NEGATIVE_INFINITY ? 0 : Math.exp(score - log);
      });
      const gradOut = matrix(grad, at, rows, valueWidth);
      multiplyDense(
        heads,
        sums[2],
        shared * keys * valueWidth,
        matrix(weights, 0, rows, keys, true),
        gradOut,
        true,
      );
      const slopes = scratch(Float64Array, rows * keys);
      multiplyDense(
        heads,
        slopes,
        0,
        gradOut,
        matrix(heads.value, shared * keys * valueWidth, keys, valueWidth, true),
      );
      for (let i = 0; i < rows; i++) {
        let dot = 0;
        for (let c = 0; c < valueWidth; c++)
          dot += grad[at + i * valueWidth + c]! * out[at + i * valueWidth + c]!;
        for (let p = i * keys; p < (i + 1) * keys; p++) slopes[p] = weights[p]! * (slopes[p]! - dot) * scale;
      }
      const key = matrix(heads.key, shared * keys * width, keys, width);
      multiplyDense(heads, sums[0], head * rows * width, matrix(slopes, 0, rows, keys), key);
      const query = matrix(heads.query, head * rows * width, rows, width);
      multiplyDense(heads, sums[1], shared * keys * width, matrix(slopes, 0, rows, keys, true), query, true);
    }
    return mapTuple(outputs, (tensor, i) => finishOutput(tensor, sums[i]!));
  },
);

export const attentionKernels = defineKernels([attention, attentionBackward]);
