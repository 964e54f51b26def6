/**
 * @file Softmax, normalizations and variance: rows that are read more than once, in nests of one
 * group.
 */
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
import { countOf, keptAt, meanOf, numberOf, reduceOver } from "./reduction.js";

/**
 * `softmax` and its logarithm over one dimension: greatest of the row, sum of exponentials,
 * quotient.
 */
const softmax = (isLog: boolean): Lowering => ({
  rule: (call) => {
    const { context, node } = call;
    const self = tensorArg(call, "self");
    const { dtype } = outOf(call);
    const compute = computeType(dtype);
    const dims = dimensions([Number(call.args["dim"])], self.shape.length);
    const group = context.group("softmax");
    context.many(self, 2);
    const row = { dims, keepdim: true, dtype: compute };
    const elementOf = (element: Scalar): Scalar => cast(element, compute);
    const greatest = reduceOver(call, self, { ...row, kind: "max", body: elementOf });
    context.materialize(greatest, { group });
    const shifted = (element: Scalar, at: readonly Index[]): Scalar =>
      apply("sub", elementOf(element), greatest.element(keptAt(at, dims, ZERO)));
    // PyTorch keeps the sum in the dtype when it takes logarithms of halves along the last
    // dimension.
    const isRounded = isLog && dims[0] === self.shape.length - 1;
    // One quotient a row in place of one an element: the sum is at least 1, so that its reciprocal
    // is a normal number.
    const total = reduceOver(call, self, {
      ...row,
      kind: "sum",
      finish: (sum) => (isRounded ? cast(cast(sum, dtype), compute) : isLog ? sum : apply("reciprocal", sum)),
      body: (element, at) => apply("exp", shifted(element, at)),
    });
    context.materialize(total, { group });
    const made = new LazyTensor({
      dtype,
      shape: self.shape,
      node,
      inputs: [self, greatest, total],
      operations: 4,
      element: (at) => {
        const value = shifted(self.element(at), at);
        const ofRow = total.element(keptAt(at, dims, ZERO));
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

/**
 * Sum of squared deviations from the mean, over `count`: two passes, as accurate as can be in one
 * type.
 */
function varianceOf(
  call: LoweringCall,
  self: LazyTensor,
  dims: readonly number[],
  finish: (sum: Scalar) => Scalar,
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
/** The same tensor, known to read further ones. */
const withInputs = (tensor: LazyTensor, inputs: readonly LazyTensor[]): LazyTensor =>
  new LazyTensor({
    dtype: tensor.dtype,
    shape: tensor.shape,
    node: tensor.node,
    inputs: [tensor, ...inputs],
    element: (at) => tensor.element(at),
  });

/**
 * `max(0, n - correction)`, at which NaN and infinities come out as PyTorch's division gives them.
 */
function degrees(call: LoweringCall, self: LazyTensor, dims: readonly number[], dtype: DType): Scalar {
  const given = call.args["correction"];
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
  rule: (call) => {
    const self = tensorArg(call, "self");
    const { dtype } = outOf(call);
    const compute = computeType(dtype);
    const dims = dimensions(numbers(call, "dim"), self.shape.length);
    const finish = (sum: Scalar): Scalar => {
      const value = apply("div", sum, degrees(call, self, dims, compute));
      return root ? apply("sqrt", value) : value;
    };
    return varianceOf(call, self, dims, finish, { keepdim: flag(call, "keepdim"), dtype }).variance;
  },
});
const varMean: Lowering = {
  rule: (call) => {
    const self = tensorArg(call, "self");
    const { dtype } = outOf(call);
    const dims = dimensions(numbers(call, "dim"), self.shape.length);
    const finish = (sum: Scalar): Scalar => apply("div", sum, degrees(call, self, dims, computeType(dtype)));
    const { mean, variance: spread } = varianceOf(call, self, dims, finish, {
      keepdim: flag(call, "keepdim"),
      dtype,
    });
    return [spread, elementsAs(reshaped(mean, call.node, shapeOf(outOf(call, 1))), dtype, call.node)];
  },
};
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
  eps: unknown,
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
  weight: LazyTensor | undefined,
  bias: LazyTensor | undefined,
  at: readonly Index[],
): Scalar => {
  const scaled = weight === undefined ? unit : apply("mul", unit, cast(weight.element(at), unit.dtype));
  return bias === undefined ? scaled : apply("add", scaled, cast(bias.element(at), unit.dtype));
};

/**
 * Weight and bias of a normalization, of which each may be left out; `further` are those that are
 * there.
 */
function affineOperands(call: LoweringCall) {
  const [weight, bias] = [optionalTensor(call, "weight"), optionalTensor(call, "bias")];
  const given = [weight, bias].filter((tensor) => tensor !== undefined);
  return { weight, bias, further: given.map((tensor) => call.context.many(tensor)) };
}

const layerNorm: Lowering = {
  rule: (call) => {
    const self = tensorArg(call, "input");
    const { weight, bias, further } = affineOperands(call);
    const inner = (call.args["normalized_shape"] as readonly unknown[]).length;
    const lead = self.shape.length - inner;
    const dims = self.shape.map((_, d) => d).slice(lead);
    const finish = (unit: Scalar, at: readonly Index[]): Scalar => affine(unit, weight, bias, at.slice(lead));
    const { out, mean, rstd } = normalized(call, self, dims, call.args["eps"], finish, further);
    return [out, statistic(call, mean, 1), statistic(call, rstd, 2)];
  },
};
/** A saved statistic in the shape and dtype that the graph gives it. */
export function statistic(call: LoweringCall, tensor: LazyTensor, at: number): LazyTensor | null {
  const items = call.value as readonly unknown[];
  if (items[at] === null || items[at] === undefined) return null;
  const out = outOf(call, at);
  return elementsAs(reshaped(tensor, call.node, shapeOf(out)), out.dtype, call.node);
}

const groupNorm: Lowering = {
  rule: (call) => {
    const self = tensorArg(call, "input");
    const { weight, bias, further } = affineOperands(call);
    const [batch, inner] = ["N", "HxW"].map((name) => size(call.args[name] as number)) as [Index, Index];
    const groups = constant(Number(call.args["group"]));
    const perGroup = constant(Number(call.args["C"]) / Number(call.args["group"]));
    const rows = reshaped(self, call.node, [batch, groups, perGroup, inner]);
    const finish = (unit: Scalar, at: readonly Index[]): Scalar =>
      affine(unit, weight, bias, [add(multiply(at[1]!, perGroup), at[2]!)]);
    const { out, mean, rstd } = normalized(call, rows, [2, 3], call.args["eps"], finish, further);
    return [
      reshaped(out, call.node, shapeOf(outOf(call))),
      statistic(call, mean, 1),
      statistic(call, rstd, 2),
    ];
  },
};

export const NORMALIZATIONS: LoweringTable = {
  "aten._softmax.default": softmax(false),
  "aten._log_softmax.default": softmax(true),
  "aten.var.correction": variance(false),
  "aten.std.correction": variance(true),
  "aten.var_mean.correction": varMean,
  "aten.native_layer_norm.default": layerNorm,
  "aten.native_group_norm.default": groupNorm,
};
