/** @file Batch normalization, with statistics that are given and with those of the batch. */
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
import { affine, elementsAs, normalized, statistic } from "./normalization.js";
import { keptAt, numberOf, reduceOver } from "./reduction.js";

/** Batch normalization with saved statistics. */
const batchNorm: Lowering = {
  rule: (call) => {
    const self = tensorArg(call, "input");
    const parameters = ["weight", "bias", "running_mean", "running_var"].map((name) =>
      optionalTensor(call, name),
    );
    const [weight, bias, mean, spread] = parameters;
    if (mean === undefined || spread === undefined) return cannot("it has no saved statistics");
    const present = parameters
      .filter((tensor) => tensor !== undefined)
      .map((tensor) => call.context.many(tensor));
    const { context, node } = call;
    const out = outOf(call);
    const compute = computeType(out.dtype);
    const input = context.once(self);
    context.fit([input, ...present], 6);
    const made = new LazyTensor({
      dtype: out.dtype,
      shape: self.shape,
      node,
      inputs: [input, ...present],
      operations: 6,
      element: (at) => {
        const channel = [at[1]!];
        const of1 = (tensor: LazyTensor): Scalar => cast(tensor.element(channel), compute);
        const rstd = apply("rsqrt", apply("add", of1(spread), numberScalar(call.args["eps"], compute)));
        const unit = apply("mul", apply("sub", cast(input.element(at), compute), of1(mean)), rstd);
        return cast(affine(unit, weight, bias, channel), out.dtype);
      },
    });
    context.made(made);
    return [made, emptyStatistic(call, 1), emptyStatistic(call, 2)];
  },
};
/** Statistics that inference does not save: tensors of no elements. */
const emptyStatistic = (call: LoweringCall, at: number): LazyTensor => {
  const out = outOf(call, at);
  return new LazyTensor({
    dtype: out.dtype,
    shape: shapeOf(out),
    node: call.node,
    inputs: [],
    element: () => constantScalar(0, out.dtype),
  });
};

/** All dimensions but the channels'. */
const rowsOf = (self: LazyTensor): number[] => self.shape.map((_, d) => d).filter((d) => d !== 1);

interface Trained {
  readonly results: readonly LazyTensor[];
  /** Of each channel, other dimensions kept. */
  readonly mean: LazyTensor;
}
/** Batch normalization by the batch's own mean and variance, which are results too. */
function trained(call: LoweringCall): Trained {
  const self = tensorArg(call, "input");
  const [weight, bias] = [optionalTensor(call, "weight"), optionalTensor(call, "bias")];
  const further = [weight, bias]
    .filter((tensor) => tensor !== undefined)
    .map((tensor) => call.context.many(tensor));
  const finish = (unit: Scalar, at: readonly Index[]): Scalar => affine(unit, weight, bias, [at[1]!]);
  const { out, mean, rstd } = normalized(call, self, rowsOf(self), call.args["eps"], finish, further);
  return { results: [out, statistic(call, mean, 1)!, statistic(call, rstd, 2)!], mean };
}

/**
 * `momentum * new + (1 - momentum) * old` for both statistics; the variance is the unbiased one.
 */
function updated(call: LoweringCall, mean: LazyTensor): LazyTensor[] {
  const self = tensorArg(call, "input");
  const dims = rowsOf(self);
  const compute = computeType(self.dtype);
  const rest = subtract(product(dims.map((d) => self.shape[d]!)), ONE);
  const spread = reduceOver(call, self, {
    kind: "sum",
    dims,
    keepdim: true,
    dtype: compute,
    finish: (sum) => apply("div", sum, numberOf(rest, compute)),
    body: (element, at) => {
      const deviation = apply("sub", cast(element, compute), mean.element(keptAt(at, dims, ZERO)));
      return apply("mul", deviation, deviation);
    },
  });
  return ["running_mean", "running_var"].map((name, i) =>
    movedTo(call, name, i === 0 ? mean : spread, 3 + i),
  );
}
function movedTo(call: LoweringCall, name: string, fresh: LazyTensor, result: number): LazyTensor {
  const old = call.context.many(tensorArg(call, name));
  const out = outOf(call, result);
  const compute = computeType(out.dtype);
  const momentum = Number(call.args["momentum"]);
  const share = (weight: number, element: Scalar): Scalar =>
    apply("mul", constantScalar(weight, compute), cast(element, compute));
  const made = new LazyTensor({
    dtype: out.dtype,
    shape: shapeOf(out),
    node: call.node,
    inputs: [old, fresh],
    operations: 3,
    element: (at) => {
      const kept = fresh.shape.map((_, d) => (d === 1 ? at[0]! : ZERO));
      const sum = apply("add", share(momentum, fresh.element(kept)), share(1 - momentum, old.element(at)));
      return cast(sum, out.dtype);
    },
  });
  call.context.made(made);
  return made;
}

const withoutStatistics: Lowering = { rule: (call) => trained(call).results };
/** Gives new running statistics; without training, those that it was given. */
const functional: Lowering = {
  rule: (call) => {
    if (flag(call, "training")) {
      const { results, mean } = trained(call);
      return [...results, ...updated(call, mean)];
    }
    const kept = ["running_mean", "running_var"].map((name, i) =>
      elementsAs(tensorArg(call, name), outOf(call, 3 + i).dtype, call.node),
    );
    return [...(batchNorm.rule(call) as LazyTensor[]), ...kept];
  },
};
/** Writes running statistics in training only. */
const writing: Lowering = {
  rule: (call) =>
    flag(call, "training")
      ? cannot("it writes running statistics in place: functionalize the program first")
      : batchNorm.rule(call),
};

export const BATCH_NORMS: LoweringTable = {
  "aten._native_batch_norm_legit_no_training.default": batchNorm,
  "aten._native_batch_norm_legit.default": writing,
  "aten._native_batch_norm_legit.no_stats": withoutStatistics,
  "aten._native_batch_norm_legit_functional.default": functional,
};
