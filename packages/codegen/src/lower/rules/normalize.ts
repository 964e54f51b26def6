/** @file Statistics of rows, and normalization by them. */
import type { DType } from "@sconce/tensor";
import { type Index, ZERO } from "../../ir/index-expr.js";
import { apply, cast, constantScalar, type Scalar } from "../../ir/scalar.js";
import { cannot, type LoweringCall, outOf, shapeOf } from "../core/call.js";
import { LazyTensor, reshaped } from "../core/lazy.js";
import { computeType, numberScalar } from "../core/numbers.js";
import { type Center, centerOf, countOf, keptAt, reduceOver } from "./reduce.js";

/** What {@link squaresOf} sums, and how. */
interface SquaresOptions {
  readonly keepdim: boolean;
  readonly dtype: DType;
  /** Finishes a sum; `first` is the place of the first element of the row. */
  readonly finish: (sum: Scalar, first: readonly Index[]) => Scalar;
}
/** The sum of squared deviations from the mean of each row. */
export function squaresOf(
  call: Pick<LoweringCall, "context" | "node">,
  self: LazyTensor,
  dims: readonly number[],
  center: Center,
  { keepdim, dtype, finish }: SquaresOptions,
): LazyTensor {
  const squares = reduceOver(call, self, {
    kind: "sum",
    dims,
    keepdim,
    dtype,
    finish,
    body: (element, at) => {
      const deviation = center.deviation(element, at);
      return apply("mul", deviation, deviation);
    },
  });
  return new LazyTensor({
    dtype: squares.dtype,
    shape: squares.shape,
    node: squares.node,
    inputs: [squares, center.mean],
    element: (at) => squares.element(at),
  });
}

/** The tensor in another dtype. */
export function elementsAs(tensor: LazyTensor, dtype: DType, node: string): LazyTensor {
  if (tensor.dtype === dtype) return tensor;
  return new LazyTensor({
    dtype,
    shape: tensor.shape,
    node,
    inputs: [tensor],
    operations: 1,
    element: (at) => cast(tensor.element(at), dtype),
  });
}

interface NormalizedOptions {
  readonly eps: number;
  /** Finishes an element in units of the standard deviation. */
  readonly finish: (unit: Scalar, at: readonly Index[]) => Scalar;
  /** What `finish` reads. */
  readonly further: readonly LazyTensor[];
  /** The dtype that statistics are rounded to before they are used. */
  readonly statistics?: DType;
  /** Whether means are those of plain sums, which an infinity does not make NaN. */
  readonly isPlain?: boolean;
}
/**
 * Statistics of rows and what is made of them: the common part of layer, group and instance
 * normalization.
 */
export function normalized(
  call: LoweringCall,
  rows: LazyTensor,
  dims: readonly number[],
  { eps, finish, further, statistics = computeType(rows.dtype), isPlain = false }: NormalizedOptions,
): { out: LazyTensor; center: Center; rstd: LazyTensor } {
  const { context, node } = call;
  const out = outOf(call);
  const compute = computeType(rows.dtype);
  const group = context.group("norm");
  const rounded = (value: Scalar): Scalar => cast(cast(value, statistics), compute);
  // PyTorch has sums of squares in bfloat16 too, but not in float16.
  const step = statistics === "bfloat16" ? rounded : (value: Scalar): Scalar => value;
  const toRstd = (sum: Scalar): Scalar => {
    const variance = step(apply("div", step(sum), countOf(rows, dims, compute)));
    return rounded(apply("rsqrt", apply("add", variance, numberScalar(eps, compute))));
  };
  context.many(rows, 2);
  const center = centerOf(call, rows, dims, { group, isPlain });
  const rstd = squaresOf(call, rows, dims, center, { keepdim: true, dtype: compute, finish: toRstd });
  context.materialize(rstd, { group });
  const made = new LazyTensor({
    dtype: out.dtype,
    shape: rows.shape,
    node,
    inputs: [rows, center.mean, rstd, ...further],
    operations: 4,
    element: (at) => {
      const row = keptAt(at, dims, ZERO);
      const unit = apply(
        "mul",
        apply("sub", cast(rows.element(at), compute), rounded(center.mean.element(row))),
        rstd.element(row),
      );
      return cast(finish(unit, at), out.dtype);
    },
  });
  context.made(made);
  return { out: made, center, rstd };
}
/**
 * Times the weight, plus the bias: a bias of None is 0, which has its effect on the sign of zeros.
 */
export const affine = (
  unit: Scalar,
  weight: LazyTensor | null,
  bias: LazyTensor | null,
  at: readonly Index[],
): Scalar => {
  const scaled = weight === null ? unit : apply("mul", unit, cast(weight.element(at), unit.dtype));
  const offset = bias === null ? constantScalar(0, unit.dtype) : cast(bias.element(at), unit.dtype);
  return apply("add", scaled, offset);
};

/**
 * The parameters that are given, for reads of several elements. PyTorch takes those of the input's
 * dtype, or float32 beside halves; the host rejects others.
 */
export function givenOf(
  { context }: LoweringCall,
  { dtype }: LazyTensor,
  parameters: readonly (LazyTensor | null)[],
): LazyTensor[] {
  const given = parameters.filter((tensor) => tensor !== null);
  const first = given[0]?.dtype ?? dtype;
  const isKnown = first === dtype || (first === "float32" && computeType(dtype) === first);
  if (!isKnown || given.some((tensor) => tensor.dtype !== first))
    cannot("parameters have another dtype than the input");
  return given.map((tensor) => context.many(tensor));
}

/** A saved statistic, in the shape and dtype of result `at` of the call. */
export function statistic(call: LoweringCall, tensor: LazyTensor, at: number): LazyTensor | null {
  const items = call.value as readonly unknown[];
  if (items[at] === null || items[at] === undefined) return null;
  const out = outOf(call, at);
  return elementsAs(reshaped(tensor, call.node, shapeOf(out)), out.dtype, call.node);
}
