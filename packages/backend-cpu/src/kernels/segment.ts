/** @file Reductions of consecutive pieces of a dimension, and their gradients. */

import { type ScalarLiteral, toNumber } from "@sconce/ir";
import { numel, type Tensor, wrapDimension } from "@sconce/tensor";
import { finishOutput, type NumberArray, openOutput, readNumbers } from "../kernel/dense.js";
import { indexOutOfRange, invalidArgument } from "../kernel/errors.js";
import { roundTo } from "../kernel/half.js";
import { defineKernels, emptyOutput, type Kernel, kernel } from "../kernel/kernel.js";
import { scratch } from "../kernel/scratch.js";
import { greater, smaller } from "./pointwise-math.js";

interface SegmentArgs {
  readonly data: Tensor;
  readonly reduce: string;
  readonly lengths: Tensor | null;
  readonly offsets: Tensor | null;
  readonly axis: number;
  readonly unsafe?: boolean;
  readonly initial: ScalarLiteral | null;
}

/** Where the pieces lie: `bounds` has first and end of each, all rows one after the other. */
interface Pieces {
  readonly rows: number;
  readonly count: number;
  readonly length: number;
  /** Elements between neighbors along the dimension. */
  readonly inner: number;
  readonly bounds: Int32Array;
}

/**
 * @param refusesFalling - whether an end before its start is refused, as it is forward; the
 * gradient takes the piece as empty
 */
function piecesOf(
  { data, lengths, offsets, axis, unsafe = true }: SegmentArgs,
  refusesFalling: boolean,
): Pieces {
  const dim = wrapDimension(axis, data.ndim);
  const source = (offsets ?? lengths)!;
  const given = readNumbers(source);
  const width = source.shape[dim]!;
  const rows = numel(source.shape.slice(0, dim));
  const count = offsets === null ? width : Math.max(width - 1, 0);
  const length = data.shape[dim]!;
  const bounds = scratch(Int32Array, 2 * rows * count);
  for (let row = 0; row < rows; row++) {
    const ends = given.subarray(row * width, (row + 1) * width);
    const to = bounds.subarray(2 * row * count, 2 * (row + 1) * count);
    if (offsets === null) boundsOfLengths(ends, to, unsafe ? null : length);
    else for (let i = 0; i < count; i++) to.set([ends[i]!, ends[i + 1]!], 2 * i);
    if (offsets !== null && refusesFalling && to.some((end, i) => i % 2 === 1 && end < to[i - 1]!))
      throw invalidArgument("Expected segment_length >= 0 to be true, but got false.");
    for (const place of to) {
      if (place < 0 || place > length)
        throw indexOutOfRange("segment_reduce(): a segment ends outside of the data");
    }
  }
  return { rows, count, length, inner: numel(data.shape.slice(dim + 1)), bounds };
}

/** `total` is what lengths have to add up to, null when they need not. */
function boundsOfLengths(lengths: NumberArray, to: Int32Array, total: number | null): void {
  let at = 0;
  lengths.forEach((length, i) => {
    if (length < 0) throw invalidArgument("lengths contains negative value!");
    to[2 * i] = at;
    at += length;
    to[2 * i + 1] = at;
  });
  if (total !== null && at !== total) {
    throw invalidArgument(
      "segment_reduce(): Expected all rows of lengths along axis to sum to data.size(lengths.dim()-1) when !unsafe.",
    );
  }
}

/**
 * Handles a piece of one line: its number, and the first and last place of its elements, at a step
 * of `inner`.
 */
type Visit = (piece: number, start: number, end: number) => void;

function eachPiece({ rows, count, length, inner, bounds }: Pieces, visit: Visit): void {
  for (let row = 0; row < rows; row++) {
    for (let i = 0; i < count; i++) {
      const at = 2 * (row * count + i);
      for (let lane = 0; lane < inner; lane++) {
        const base = row * length * inner + lane;
        visit((row * count + i) * inner + lane, base + bounds[at]! * inner, base + bounds[at + 1]! * inner);
      }
    }
  }
}

type Combine = (sum: number, value: number) => number;

const COMBINE: Readonly<Record<string, { readonly start: number; readonly combine: Combine }>> = {
  sum: { start: 0, combine: (sum, value) => sum + value },
  mean: { start: 0, combine: (sum, value) => sum + value },
  prod: { start: 1, combine: (sum, value) => sum * value },
  max: { start: Number.NEGATIVE_INFINITY, combine: greater },
  min: { start: Number.POSITIVE_INFINITY, combine: smaller },
};

/** `amax` is `max`. */
const plainName = (reduce: string): string => reduce.replace(/^a(?=m)/, "");

const reduceSegments: Kernel<SegmentArgs> = (args, context) => {
  const out = emptyOutput(context);
  const [x, y] = [readNumbers(args.data), openOutput(out)];
  const pieces = piecesOf({ ...args, unsafe: args.unsafe ?? false }, true);
  const round = roundTo(args.data.dtype);
  const name = plainName(args.reduce);
  const { start: neutral, combine } = COMBINE[name]!;
  const { initial } = args;
  const start = initial === null ? neutral : toNumber(initial);
  eachPiece(pieces, (piece, from, to) => {
    let value = start;
    for (let p = from; p < to; p += pieces.inner) value = round(combine(value, x[p]!));
    const count = Math.max((to - from) / pieces.inner, 0);
    if (name === "mean" && count > 0) value /= count;
    else if (name === "mean" && initial === null) value = Number.NaN;
    y[piece] = value;
  });
  return finishOutput(out, y);
};

/** Gradients of a piece, whose elements have a step of `step`. */
interface Gradient {
  readonly x: NumberArray;
  readonly dx: NumberArray;
  readonly step: number;
}

/** Every extreme element gets the gradient; positive gradients of equal ones are shared out. */
function extremeGradient(
  { x, dx, step }: Gradient,
  from: number,
  to: number,
  grad: number,
  best: number,
): void {
  let count = 0;
  for (let p = from; p < to; p += step) {
    if (!Number.isNaN(x[p]!) && x[p] !== best) continue;
    dx[p] = grad;
    count++;
  }
  if (count < 2) return;
  for (let p = from; p < to; p += step) if (dx[p]! > 0) dx[p] = grad / count;
}

/** The product of the other elements: by division where that is possible. */
function productGradient(
  { x, dx, step }: Gradient,
  from: number,
  to: number,
  grad: number,
  { product, start }: { readonly product: number; readonly start: number },
): void {
  for (let p = from; p < to; p += step) {
    if (!Number.isNaN(x[p]!) && x[p] !== 0) {
      dx[p] = (grad * product) / x[p]!;
      continue;
    }
    let others = start;
    for (let q = from; q < to; q += step) if (q !== p) others *= x[q]!;
    dx[p] = grad * others;
  }
}

const segmentGradient = kernel(
  "aten::_segment_reduce_backward(Tensor grad, Tensor output, Tensor data, str reduce, *, Tensor? lengths=None, Tensor? offsets=None, int axis=0, Scalar? initial=None) -> Tensor",
  (args, context) => {
    const out = emptyOutput(context);
    const [x, dx, grads, results] = [
      readNumbers(args.data),
      openOutput(out),
      readNumbers(args.grad),
      readNumbers(args.output),
    ];
    const pieces = piecesOf(args, false);
    const gradient = { x, dx, step: pieces.inner };
    const name = plainName(args.reduce);
    const start = args.initial === null ? 1 : toNumber(args.initial);
    eachPiece(pieces, (piece, from, to) => {
      const grad = grads[piece]!;
      if (name === "max" || name === "min") extremeGradient(gradient, from, to, grad, results[piece]!);
      else if (name === "prod")
        productGradient(gradient, from, to, grad, { product: results[piece]!, start });
      else {
        const share = name === "mean" ? grad / ((to - from) / pieces.inner) : grad;
        for (let p = from; p < to; p += pieces.inner) dx[p] = share;
      }
    });
    return finishOutput(out, dx);
  },
);

export const segmentKernels = defineKernels([
  kernel(
    "aten::segment_reduce(Tensor data, str reduce, *, Tensor? lengths=None, Tensor? indices=None, Tensor? offsets=None, int axis=0, bool unsafe=False, Scalar? initial=None) -> Tensor",
    reduceSegments,
  ),
  segmentGradient,
]);
