/** @file Batch normalisation, with statistics that are given and with those of the batch. */
import { type Index, ONE, product, subtract, ZERO } from "../../ir/index-expr.js";
import { apply, cast, constantScalar, type Scalar } from "../../ir/scalar.js";
import {
  cannot,
  computeType,
  flag,
  type Lowering,
  type LoweringCall,
  type LoweringTable,
  numberScalar,
  optionalTensor,
  outOf,
  shapeOf,
  tensorArg,
} from "../call.js";
import { LazyTensor } from "../lazy.js";
import { affine, cellsAs, normalised, statistic } from "./normalise.js";
import { keptAt, numberOf, reduceOver } from "./reduce.js";

/** Batch normalisation with saved statistics. */
const batchNorm: Lowering = {
  rule: (of) => {
    const self = tensorArg(of, "input");
    const parameters = ["weight", "bias", "running_mean", "running_var"].map((name) =>
      optionalTensor(of, name),
    );
    const [weight, bias, mean, spread] = parameters;
    if (mean === undefined || spread === undefined) return cannot("it has no saved statistics");
    const present = parameters
      .filter((tensor) => tensor !== undefined)
      .map((tensor) => of.context.many(tensor));
    const { context, node } = of;
    const out = outOf(of);
    const compute = computeType(out.dtype);
    const input = context.once(self);
    context.fit([input, ...present], 6);
    const made = new LazyTensor({
      dtype: out.dtype,
      shape: self.shape,
      node,
      inputs: [input, ...present],
      operations: 6,
      cell: (at) => {
        const channel = [at[1]!];
        const of1 = (tensor: LazyTensor): Scalar => cast(tensor.cell(channel), compute);
        const rstd = apply("rsqrt", apply("add", of1(spread), numberScalar(of.args["eps"], compute)));
        const unit = apply("mul", apply("sub", cast(input.cell(at), compute), of1(mean)), rstd);
        return cast(affine(unit, weight, bias, channel), out.dtype);
      },
    });
    context.made(made);
    return [made, emptyStatistic(of, 1), emptyStatistic(of, 2)];
  },
};
/** Statistics that inference does not save: tensors of no cells. */
const emptyStatistic = (of: LoweringCall, at: number): LazyTensor => {
  const out = outOf(of, at);
  return new LazyTensor({
    dtype: out.dtype,
    shape: shapeOf(out),
    node: of.node,
    inputs: [],
    cell: () => constantScalar(0, out.dtype),
  });
};

/** All dimensions but the channels'. */
const rowsOf = (self: LazyTensor): number[] => self.shape.map((_, d) => d).filter((d) => d !== 1);

interface Trained {
  readonly results: readonly LazyTensor[];
  /** Of each channel, other dimensions kept. */
  readonly mean: LazyTensor;
}
/** Batch normalisation by the batch's own mean and variance, which are results too. */
function trained(of: LoweringCall): Trained {
  const self = tensorArg(of, "input");
  const [weight, bias] = [optionalTensor(of, "weight"), optionalTensor(of, "bias")];
  const further = [weight, bias]
    .filter((tensor) => tensor !== undefined)
    .map((tensor) => of.context.many(tensor));
  const finish = (unit: Scalar, at: readonly Index[]): Scalar => affine(unit, weight, bias, [at[1]!]);
  const { out, mean, rstd } = normalised(of, self, rowsOf(self), of.args["eps"], finish, further);
  return { results: [out, statistic(of, mean, 1)!, statistic(of, rstd, 2)!], mean };
}

/** `momentum * new + (1 - momentum) * old` for both statistics; the variance is the unbiased one. */
function updated(of: LoweringCall, mean: LazyTensor): LazyTensor[] {
  const self = tensorArg(of, "input");
  const dims = rowsOf(self);
  const compute = computeType(self.dtype);
  const rest = subtract(product(dims.map((d) => self.shape[d]!)), ONE);
  const spread = reduceOver(of, self, {
    kind: "sum",
    dims,
    keepdim: true,
    dtype: compute,
    finish: (sum) => apply("div", sum, numberOf(rest, compute)),
    body: (cell, at) => {
      const deviation = apply("sub", cast(cell, compute), mean.cell(keptAt(at, dims, ZERO)));
      return apply("mul", deviation, deviation);
    },
  });
  return ["running_mean", "running_var"].map((name, i) => movedTo(of, name, i === 0 ? mean : spread, 3 + i));
}
function movedTo(of: LoweringCall, name: string, fresh: LazyTensor, result: number): LazyTensor {
  const old = of.context.many(tensorArg(of, name));
  const out = outOf(of, result);
  const compute = computeType(out.dtype);
  const momentum = Number(of.args["momentum"]);
  const share = (weight: number, cell: Scalar): Scalar =>
    apply("mul", constantScalar(weight, compute), cast(cell, compute));
  const made = new LazyTensor({
    dtype: out.dtype,
    shape: shapeOf(out),
    node: of.node,
    inputs: [old, fresh],
    operations: 3,
    cell: (at) => {
      const kept = fresh.shape.map((_, d) => (d === 1 ? at[0]! : ZERO));
      const sum = apply("add", share(momentum, fresh.cell(kept)), share(1 - momentum, old.cell(at)));
      return cast(sum, out.dtype);
    },
  });
  of.context.made(made);
  return made;
}

const withoutStatistics: Lowering = { rule: (of) => trained(of).results };
/** Gives new running statistics; without training, those that it was given. */
const functional: Lowering = {
  rule: (of) => {
    if (flag(of, "training")) {
      const { results, mean } = trained(of);
      return [...results, ...updated(of, mean)];
    }
    const kept = ["running_mean", "running_var"].map((name, i) =>
      cellsAs(tensorArg(of, name), outOf(of, 3 + i).dtype, of.node),
    );
    return [...(batchNorm.rule(of) as LazyTensor[]), ...kept];
  },
};
/** Writes running statistics in training only. */
const writing: Lowering = {
  rule: (of) =>
    flag(of, "training")
      ? cannot("it writes running statistics in place: functionalize the program first")
      : batchNorm.rule(of),
};

export const BATCH_NORMS: LoweringTable = {
  "aten._native_batch_norm_legit_no_training.default": batchNorm,
  "aten._native_batch_norm_legit.default": writing,
  "aten._native_batch_norm_legit.no_stats": withoutStatistics,
  "aten._native_batch_norm_legit_functional.default": functional,
};
