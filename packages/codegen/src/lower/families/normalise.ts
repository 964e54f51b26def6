/** @file Softmax, normalisations and variance: rows that are read more than once, in nests of one group. */
import type { DType } from "@sconce/tensor";
import { add, constant, type Index, multiply, product, size, ZERO } from "../../ir/index-expr.js";
import { apply, cast, constantScalar, type Scalar } from "../../ir/scalar.js";
import {
  computeType,
  dimensions,
  flag,
  type Lowering,
  type LoweringCall,
  type LoweringTable,
  numberScalar,
  numbers,
  optionalTensor,
  outOf,
  shapeOf,
  tensorArg,
} from "../call.js";
import { LazyTensor, reshaped } from "../lazy.js";
import { countOf, keptAt, meanOf, numberOf, reduceOver } from "./reduce.js";

/** `softmax` and its logarithm over one dimension: greatest of the row, sum of exponentials, quotient. */
const softmax = (isLog: boolean): Lowering => ({
  rule: (of) => {
    const { context, node } = of;
    const self = tensorArg(of, "self");
    const { dtype } = outOf(of);
    const compute = computeType(dtype);
    const dims = dimensions([Number(of.args["dim"])], self.shape.length);
    const group = context.group("softmax");
    context.many(self, 2);
    const row = { dims, keepdim: true, dtype: compute };
    const cellOf = (cell: Scalar): Scalar => cast(cell, compute);
    const greatest = reduceOver(of, self, { ...row, kind: "max", body: cellOf });
    context.materialise(greatest, { group });
    const shifted = (cell: Scalar, at: readonly Index[]): Scalar =>
      apply("sub", cellOf(cell), greatest.cell(keptAt(at, dims, ZERO)));
    // PyTorch keeps the sum in the dtype when it takes logarithms of halves along the last dimension.
    const isRounded = isLog && dims[0] === self.shape.length - 1;
    // One quotient a row in place of one a cell: the sum is at least 1, so that its reciprocal is a normal number.
    const total = reduceOver(of, self, {
      ...row,
      kind: "sum",
      finish: (sum) => (isRounded ? cast(cast(sum, dtype), compute) : isLog ? sum : apply("reciprocal", sum)),
      body: (cell, at) => apply("exp", shifted(cell, at)),
    });
    context.materialise(total, { group });
    const made = new LazyTensor({
      dtype,
      shape: self.shape,
      node,
      inputs: [self, greatest, total],
      operations: 4,
      cell: (at) => {
        const value = shifted(self.cell(at), at);
        const ofRow = total.cell(keptAt(at, dims, ZERO));
        const result = isLog
          ? apply("sub", value, apply("log", ofRow))
          : apply("mul", apply("exp", value), ofRow);
        return cast(result, dtype);
      },
    });
    context.made(made);
    return made;
  },
});

/** Sum of squared deviations from the mean, over `count`: two passes, as accurate as can be in one type. */
function varianceOf(
  of: LoweringCall,
  self: LazyTensor,
  dims: readonly number[],
  finish: (sum: Scalar) => Scalar,
  options: { readonly keepdim: boolean; readonly dtype: DType; readonly group?: string },
): { readonly mean: LazyTensor; readonly variance: LazyTensor } {
  of.context.many(self, 2);
  const mean = meanOf(of, self, dims, options.group);
  const compute = computeType(self.dtype);
  const variance = reduceOver(of, self, {
    kind: "sum",
    dims,
    keepdim: options.keepdim,
    dtype: options.dtype,
    finish,
    body: (cell, at) => {
      const deviation = apply("sub", cast(cell, compute), mean.cell(keptAt(at, dims, ZERO)));
      return apply("mul", deviation, deviation);
    },
  });
  return { mean, variance: withInputs(variance, [mean]) };
}
/** The same tensor, known to read further ones. */
const withInputs = (tensor: LazyTensor, inputs: readonly LazyTensor[]): LazyTensor =>
  new LazyTensor({
    dtype: tensor.dtype,
    shape: tensor.shape,
    node: tensor.node,
    inputs: [tensor, ...inputs],
    cell: (at) => tensor.cell(at),
  });

/** `max(0, n - correction)`, at which NaN and infinities come out as PyTorch's division gives them. */
function degrees(of: LoweringCall, self: LazyTensor, dims: readonly number[], dtype: DType): Scalar {
  const given = of.args["correction"];
  const correction =
    typeof given === "number"
      ? given
      : given === null || given === undefined
        ? 1
        : Number((given as { value: number }).value);
  const count = product(dims.map((d) => self.shape[d]!));
  const rest = apply("sub", numberOf(count, dtype), constantScalar(correction, dtype));
  return apply("max", rest, constantScalar(0, dtype));
}
const variance = (root: boolean): Lowering => ({
  rule: (of) => {
    const self = tensorArg(of, "self");
    const { dtype } = outOf(of);
    const compute = computeType(dtype);
    const dims = dimensions(numbers(of, "dim"), self.shape.length);
    const finish = (sum: Scalar): Scalar => {
      const value = apply("div", sum, degrees(of, self, dims, compute));
      return root ? apply("sqrt", value) : value;
    };
    return varianceOf(of, self, dims, finish, { keepdim: flag(of, "keepdim"), dtype }).variance;
  },
});
const varMean: Lowering = {
  rule: (of) => {
    const self = tensorArg(of, "self");
    const { dtype } = outOf(of);
    const dims = dimensions(numbers(of, "dim"), self.shape.length);
    const finish = (sum: Scalar): Scalar => apply("div", sum, degrees(of, self, dims, computeType(dtype)));
    const { mean, variance: spread } = varianceOf(of, self, dims, finish, {
      keepdim: flag(of, "keepdim"),
      dtype,
    });
    return [spread, cellsAs(reshaped(mean, of.node, shapeOf(outOf(of, 1))), dtype, of.node)];
  },
};
/** The tensor in another dtype. */
export function cellsAs(tensor: LazyTensor, dtype: DType, node: string): LazyTensor {
  if (tensor.dtype === dtype) return tensor;
  return new LazyTensor({
    dtype,
    shape: tensor.shape,
    node,
    inputs: [tensor],
    operations: 1,
    cell: (at) => cast(tensor.cell(at), dtype),
  });
}

/** Statistics of rows and what is made of them: the common part of layer, group and instance normalisation. */
export function normalised(
  of: LoweringCall,
  rows: LazyTensor,
  dims: readonly number[],
  eps: unknown,
  finish: (unit: Scalar, at: readonly Index[]) => Scalar,
  further: readonly LazyTensor[],
): { out: LazyTensor; mean: LazyTensor; rstd: LazyTensor } {
  const { context, node } = of;
  const out = outOf(of);
  const compute = computeType(rows.dtype);
  const group = context.group("norm");
  const toRstd = (sum: Scalar): Scalar =>
    apply("rsqrt", apply("add", apply("div", sum, countOf(rows, dims, compute)), numberScalar(eps, compute)));
  const { mean, variance: rstd } = varianceOf(of, rows, dims, toRstd, {
    keepdim: true,
    dtype: compute,
    group,
  });
  context.materialise(rstd, { group });
  const made = new LazyTensor({
    dtype: out.dtype,
    shape: rows.shape,
    node,
    inputs: [rows, mean, rstd, ...further],
    operations: 4,
    cell: (at) => {
      const row = keptAt(at, dims, ZERO);
      const unit = apply("mul", apply("sub", cast(rows.cell(at), compute), mean.cell(row)), rstd.cell(row));
      return cast(finish(unit, at), out.dtype);
    },
  });
  context.made(made);
  return { out: made, mean, rstd };
}
export const affine = (
  unit: Scalar,
  weight: LazyTensor | undefined,
  bias: LazyTensor | undefined,
  at: readonly Index[],
): Scalar => {
  const scaled = weight === undefined ? unit : apply("mul", unit, cast(weight.cell(at), unit.dtype));
  return bias === undefined ? scaled : apply("add", scaled, cast(bias.cell(at), unit.dtype));
};

/** Weight and bias of a normalisation, of which each may be left out; `further` are those that are there. */
function affineOperands(of: LoweringCall) {
  const [weight, bias] = [optionalTensor(of, "weight"), optionalTensor(of, "bias")];
  const given = [weight, bias].filter((tensor) => tensor !== undefined);
  return { weight, bias, further: given.map((tensor) => of.context.many(tensor)) };
}

const layerNorm: Lowering = {
  rule: (of) => {
    const self = tensorArg(of, "input");
    const { weight, bias, further } = affineOperands(of);
    const inner = (of.args["normalized_shape"] as readonly unknown[]).length;
    const lead = self.shape.length - inner;
    const dims = self.shape.map((_, d) => d).slice(lead);
    const finish = (unit: Scalar, at: readonly Index[]): Scalar => affine(unit, weight, bias, at.slice(lead));
    const { out, mean, rstd } = normalised(of, self, dims, of.args["eps"], finish, further);
    return [out, statistic(of, mean, 1), statistic(of, rstd, 2)];
  },
};
/** A saved statistic in the shape and dtype that the graph gives it. */
export function statistic(of: LoweringCall, tensor: LazyTensor, at: number): LazyTensor | null {
  const items = of.value as readonly unknown[];
  if (items[at] === null || items[at] === undefined) return null;
  const out = outOf(of, at);
  return cellsAs(reshaped(tensor, of.node, shapeOf(out)), out.dtype, of.node);
}

const groupNorm: Lowering = {
  rule: (of) => {
    const self = tensorArg(of, "input");
    const { weight, bias, further } = affineOperands(of);
    const [batch, inner] = ["N", "HxW"].map((name) => size(of.args[name] as number)) as [Index, Index];
    const groups = constant(Number(of.args["group"]));
    const perGroup = constant(Number(of.args["C"]) / Number(of.args["group"]));
    const rows = reshaped(self, of.node, [batch, groups, perGroup, inner]);
    const finish = (unit: Scalar, at: readonly Index[]): Scalar =>
      affine(unit, weight, bias, [add(multiply(at[1]!, perGroup), at[2]!)]);
    const { out, mean, rstd } = normalised(of, rows, [2, 3], of.args["eps"], finish, further);
    return [reshaped(out, of.node, shapeOf(outOf(of))), statistic(of, mean, 1), statistic(of, rstd, 2)];
  },
};

export const NORMALISATIONS: LoweringTable = {
  "aten._softmax.default": softmax(false),
  "aten._log_softmax.default": softmax(true),
  "aten.var.correction": variance(false),
  "aten.std.correction": variance(true),
  "aten.var_mean.correction": varMean,
  "aten.native_layer_norm.default": layerNorm,
  "aten.native_group_norm.default": groupNorm,
};
