/**
 * @file Reductions of consecutive pieces of a dimension, given by their lengths or by where they
 * start.
 */
import type { FakeTensor, IntLike } from "@sconce/ir";
import { sub } from "@sconce/symbolic";
import { isFloatDType } from "@sconce/tensor";
import { defineOp, type MetaContext, type OpDefinition } from "../rows/define-op.js";
import { dtypeMismatch, invalidArgument, requireWord, shapeMismatch } from "../rows/errors.js";
import { mayDiffer } from "../rules/comparison.js";
import { wrapDim } from "../rules/dims.js";
import { fake } from "../rules/fake.js";

interface SegmentArgs {
  readonly data: FakeTensor;
  readonly reduce: string;
  readonly lengths: FakeTensor | null;
  readonly offsets: FakeTensor | null;
  readonly axis: IntLike;
}

const REDUCTIONS: readonly string[] = ["sum", "prod", "mean", "max", "amax", "min", "amin"];

const checkReduction = (reduce: string): void =>
  requireWord(
    reduce,
    REDUCTIONS,
    `reduce argument must be either sum, prod, mean, amax or amin, got ${reduce}`,
  );

/**
 * Returns the tensor that says where pieces end: offsets are preferred, and have one element more.
 */
function segmentShape(
  { data, lengths, offsets, axis }: SegmentArgs,
  { env }: MetaContext,
): readonly IntLike[] {
  const [pieces, name] = offsets === null ? [lengths, "lengths"] : [offsets, "offsets"];
  if (pieces === null) throw invalidArgument("segment_reduce(): Either lengths or offsets must be defined.");
  const dim = wrapDim(axis, data.ndim);
  if (pieces.ndim > data.ndim || data.ndim === 0) {
    throw shapeMismatch(`segment_reduce(): Expected data to have at least as many dimensions as ${name}`);
  }
  if (dim !== pieces.ndim - 1) {
    throw shapeMismatch(
      `segment_reduce(): Expected axis to be the last dimension of ${name} but got ${dim}.`,
    );
  }
  if (pieces.dtype !== "int64" && pieces.dtype !== "int32") {
    throw dtypeMismatch(`"_segment_reduce_${name}_cpu_kernel1" not implemented for '${pieces.dtype}'`);
  }
  for (let d = 0; d < dim; d++) {
    if (mayDiffer(env, pieces.shape[d]!, data.shape[d]!)) {
      throw shapeMismatch(
        `segment_reduce(): Expected ${name} and data to have the same sizes before axis ${dim}.`,
      );
    }
  }
  const count = offsets === null ? pieces.shape[dim]! : sub(pieces.shape[dim]!, 1);
  return data.shape.with(dim, count);
}

const segmentReduce = defineOp({
  schema:
    "aten::segment_reduce(Tensor data, str reduce, *, Tensor? lengths=None, Tensor? indices=None, Tensor? offsets=None, int axis=0, bool unsafe=False, Scalar? initial=None) -> Tensor",
  meta: (args, context) => {
    const { data, indices, reduce } = args;
    if (indices !== null) {
      throw invalidArgument("segment_reduce(): indices based reduction is not supported yet.");
    }
    checkReduction(reduce);
    const shape = segmentShape(args, context);
    if (!isFloatDType(data.dtype))
      throw dtypeMismatch(`"_segment_reduce_cpu" not implemented for '${data.dtype}'`);
    return fake({ dtype: data.dtype, shape, like: data });
  },
});

const segmentReduceBackward = defineOp({
  schema:
    "aten::_segment_reduce_backward(Tensor grad, Tensor output, Tensor data, str reduce, *, Tensor? lengths=None, Tensor? offsets=None, int axis=0, Scalar? initial=None) -> Tensor",
  meta: (args, context) => {
    const { grad, data, reduce } = args;
    checkReduction(reduce);
    segmentShape(args, context);
    return fake({ dtype: grad.dtype, shape: data.shape, like: data });
  },
});

export const segmentOps: readonly OpDefinition[] = [segmentReduce, segmentReduceBackward];
