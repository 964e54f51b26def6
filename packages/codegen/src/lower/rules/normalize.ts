/** @file Statistics of rows, and normalization by them. */
import type { DType } from "@sconce/tensor";
import { type Index, ZERO } from "../../ir/index-expr.js";
import { apply, cast, type Scalar } from "../../ir/scalar.js";
import { cannot, type LoweringCall, outOf, shapeOf } from "../core/call.js";
import { LazyTensor, reshaped } from "../core/lazy.js";
import { computeType, numberScalar } from "../core/numbers.js";
import { countOf, keptAt, meanOf, reduceOver } from "./reduce.js";

/**
 * Sum of squared deviations from the mean, over `count`: two passes, as accurate as can be in one
 * type.
 */
export function varianceOf(
  call: LoweringCall,
  self: LazyTensor,
  dims: readonly number[],
  finish: (sum: Scalar, first: readonly Index[]) => Scalar,
  options: { readonly keepdim: boolean; readonly dtype: DType; readonly group?: string },
): { readonly mean: LazyTensor; readonly variance: LazyTensor } {
  call.context.many(self, 2);
  const mean = meanOf(call, self, dims, options.group);
  const compute = computeType(self.dtype);
  const variance = reduceOver(call, self, {
    kind: "sum",
    dims,
    keepdim: options.keepdim,
    dtype: options.dtype,
    finish,
    body: (element, at) => {
      const deviation = apply("sub", cast(element, compute), mean.element(keptAt(at, dims, ZERO)));
      return apply("mul", deviation, deviation);
    },
  });
  return { mean, variance: withInputs(variance, [mean]) };
}
/** The same tensor, with further inputs. */
const withInputs = (tensor: LazyTensor, inputs: readonly LazyTensor[]): LazyTensor =>
  new LazyTensor({
    dtype: tensor.dtype,
    shape: tensor.shape,
    node: tensor.node,
    inputs: [tensor, ...inputs],
    element: (at) => tensor.element(at),
  });

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

/**
 * Statistics of rows and what is made of them: the common part of layer, group and instance
 * normalization.
 */
export function normalized(
  call: LoweringCall,
  rows: LazyTensor,
  dims: readonly number[],
  eps: number,
  finish: (unit: Scalar, at: readonly Index[]) => Scalar,
  further: readonly LazyTensor[],
): { out: LazyTensor; mean: LazyTensor; rstd: LazyTensor } {
  const { context, node } = call;
  const out = outOf(call);
  const compute = computeType(rows.dtype);
  const group = context.group("norm");
  const toRstd = (sum: Scalar): Scalar =>
    apply("rsqrt", apply("add", apply("div", sum, countOf(rows, dims, compute)), numberScalar(eps, compute)));
  const { mean, variance: rstd } = varianceOf(call, rows, dims, toRstd, {
    keepdim: true,
    dtype: compute,
    group,
  });
  context.materialize(rstd, { group });
  const made = new LazyTensor({
    dtype: out.dtype,
    shape: rows.shape,
    node,
    inputs: [rows, mean, rstd, ...further],
    operations: 4,
    element: (at) => {
      const row = keptAt(at, dims, ZERO);
      const unit = apply(
        "mul",
        apply("sub", cast(rows.element(at), compute), mean.element(row)),
        rstd.element(row),
      );
      return cast(finish(unit, at), out.dtype);
    },
  });
  context.made(made);
  return { out: made, mean, rstd };
}
export const affine = (
  unit: Scalar,
  weight: LazyTensor | null,
  bias: LazyTensor | null,
  at: readonly Index[],
): Scalar => {
  const scaled = weight === null ? unit : apply("mul", unit, cast(weight.element(at), unit.dtype));
  return bias === null ? scaled : apply("add", scaled, cast(bias.element(at), unit.dtype));
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

/** Adds 0 in place of a bias, as PyTorch does where it has none: a zero is not negative then. */
export const withoutBias = (value: Scalar, bias: LazyTensor | null): Scalar =>
  bias === null ? apply("add", value, numberScalar(0, value.dtype)) : value;
