/** @file Batch normalization, by saved statistics or by those of the batch. */
import { type Index, ONE, product, subtract, ZERO } from "../../ir/index-expr.js";
import { apply, both, cast, constantScalar, type Scalar, select } from "../../ir/scalar.js";
import type { LoweringArgs } from "../core/arguments.js";
import { cannot, type LoweringCall, outOf, shapeOf } from "../core/call.js";
import { LazyTensor } from "../core/lazy.js";
import { defineLowerings, lowering } from "../core/lowering.js";
import { computeType, numberOf, numberScalar } from "../core/numbers.js";
import { affine, elementsAs, givenOf, rowStatistics, squaresOf, statistic } from "../rules/normalize.js";
import { type Center, isRegular, keptAt } from "../rules/reduce.js";

/** The arguments that all forms have. */
interface BatchNormArgs {
  readonly input: LazyTensor;
  readonly weight: LazyTensor | null;
  readonly bias: LazyTensor | null;
  readonly eps: number;
}
interface RunningStatistics {
  readonly running_mean: LazyTensor;
  readonly running_var: LazyTensor;
}
type Results = readonly [LazyTensor, LazyTensor, LazyTensor];

/** PyTorch takes parameters of any shape with an element for each channel. */
function requireVectors(...parameters: readonly (LazyTensor | null)[]): void {
  if (parameters.some((one) => one !== null && one.shape.length !== 1)) cannot("a parameter is not a vector");
}

/** Batch normalization by saved statistics. */
function inference(args: BatchNormArgs & RunningStatistics, call: LoweringCall): Results {
  const { weight, bias, running_mean: mean, running_var: spread } = args;
  const { context, node } = call;
  requireVectors(weight, bias);
  const present = givenOf(call, args.input, [weight, bias, mean, spread]);
  const out = outOf(call);
  const compute = computeType(out.dtype);
  const input = context.once(args.input);
  context.fit([input, ...present], 6);
  const made = new LazyTensor({
    dtype: out.dtype,
    shape: input.shape,
    node,
    inputs: [input, ...present],
    operations: 6,
    element: (at) => {
      const channel = [at[1]!];
      const of1 = (tensor: LazyTensor): Scalar => cast(tensor.element(channel), compute);
      const rstd = apply("rsqrt", apply("add", of1(spread), numberScalar(args.eps, compute)));
      const unit = apply("mul", apply("sub", cast(input.element(at), compute), of1(mean)), rstd);
      return cast(affine(unit, weight, bias, channel), out.dtype);
    },
  });
  context.made(made);
  return [made, emptyStatistic(call, 1), emptyStatistic(call, 2)];
}
/** Statistics that inference does not save: tensors of no elements. */
function emptyStatistic(call: LoweringCall, at: number): LazyTensor {
  const out = outOf(call, at);
  return new LazyTensor({
    dtype: out.dtype,
    shape: shapeOf(out),
    node: call.node,
    inputs: [],
    element: () => constantScalar(0, out.dtype),
  });
}

/** Returns all dimensions but the channels'. */
const rowsOf = (input: LazyTensor): number[] => input.shape.map((_, d) => d).filter((d) => d !== 1);

interface Trained {
  readonly results: Results;
  /** Of each channel, other dimensions kept. */
  readonly center: Center;
}
/** Batch normalization by the batch's own mean and variance, which are results too. */
function trained({ input, weight, bias, eps }: BatchNormArgs, call: LoweringCall): Trained {
  requireVectors(weight, bias);
  const further = givenOf(call, input, [weight, bias]);
  const dims = rowsOf(input);
  // Statistics of halves are halves, unless the parameters are wider.
  const statistics = rowStatistics(call, input, dims, {
    eps,
    statistics: (weight ?? input).dtype,
    isPlain: true,
  });
  const { center, rstd } = statistics;
  const { subtrahend, factor, term } = channelFactors(call, statistics, { weight, bias, further });
  const out = outOf(call);
  const made = new LazyTensor({
    dtype: out.dtype,
    shape: input.shape,
    node: call.node,
    inputs: [input, subtrahend, factor, term],
    operations: 3,
    element: (at) => {
      const row = keptAt(at, dims, ZERO);
      const difference = apply("sub", cast(input.element(at), rstd.dtype), subtrahend.element(row));
      const product = apply("mul", difference, factor.element(row));
      return cast(apply("add", product, term.element(row)), out.dtype);
    },
  });
  call.context.made(made);
  return { results: [made, statistic(call, center.mean, 1)!, statistic(call, rstd, 2)!], center };
}

interface ChannelFactors {
  readonly subtrahend: LazyTensor;
  readonly factor: LazyTensor;
  readonly term: LazyTensor;
}
/**
 * Returns what makes `(x - subtrahend) * factor + term` of each channel. PyTorch computes
 * `x * factor + shift`, rounded once, with the shift `bias - mean * factor`. The difference from
 * the mean is the more exact form where the shift is finite and the factor is not zero.
 */
function channelFactors(
  call: LoweringCall,
  { mean, rstd, group }: ReturnType<typeof rowStatistics>,
  { weight, bias, further }: Pick<BatchNormArgs, "weight" | "bias"> & { further: readonly LazyTensor[] },
): ChannelFactors {
  const compute = rstd.dtype;
  const [zero, one] = [constantScalar(0, compute), constantScalar(1, compute)];
  const ofChannel = (tensor: LazyTensor, at: readonly Index[]): Scalar =>
    cast(tensor.element([at[1]!]), compute);
  const inMemory = (inputs: readonly LazyTensor[], element: LazyTensor["element"]): LazyTensor => {
    const made = new LazyTensor({ dtype: compute, shape: rstd.shape, node: call.node, inputs, element });
    call.context.materialize(made, { group });
    return made;
  };
  const scale = inMemory([rstd, ...further], (at) =>
    weight === null ? rstd.element(at) : apply("mul", rstd.element(at), ofChannel(weight, at)),
  );
  const offsetAt = (at: readonly Index[]): Scalar => (bias === null ? zero : ofChannel(bias, at));
  const shift = inMemory([mean, scale, ...further], (at) =>
    apply("sub", offsetAt(at), apply("mul", mean.element(at), scale.element(at))),
  );
  const isExact = (at: readonly Index[]): Scalar =>
    both(isRegular(shift.element(at)), apply("ne", scale.element(at), zero));
  // Beside an infinite shift, the product of finite numbers is lost.
  const isLost = (at: readonly Index[]): Scalar =>
    both(
      apply("eq", apply("abs", shift.element(at)), constantScalar(Infinity, compute)),
      isRegular(scale.element(at)),
    );
  const signAt = (at: readonly Index[]): Scalar =>
    select(apply("lt", scale.element(at), zero), apply("neg", one), one);
  return {
    subtrahend: inMemory([mean, scale, shift], (at) => select(isExact(at), mean.element(at), zero)),
    factor: inMemory([scale, shift], (at) => select(isLost(at), signAt(at), scale.element(at))),
    term: inMemory([scale, shift, ...further], (at) => select(isExact(at), offsetAt(at), shift.element(at))),
  };
}

/** Returns the unbiased variance of each channel, other dimensions kept. */
function unbiasedVariance(call: LoweringCall, input: LazyTensor, center: Center): LazyTensor {
  const dims = rowsOf(input);
  const compute = computeType(input.dtype);
  const rest = subtract(product(dims.map((d) => input.shape[d]!)), ONE);
  const finish = (sum: Scalar): Scalar => apply("div", sum, numberOf(rest, compute));
  return squaresOf(call, input, dims, center, { keepdim: true, dtype: compute, finish });
}
/** `momentum * fresh + (1 - momentum) * running`, as a result of the call. */
function updated(
  call: LoweringCall,
  running: LazyTensor,
  fresh: LazyTensor,
  momentum: number,
  result: number,
): LazyTensor {
  const old = call.context.many(running);
  const out = outOf(call, result);
  const compute = computeType(out.dtype);
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

const FUNCTIONAL =
  "aten::_native_batch_norm_legit_functional(Tensor input, Tensor? weight, Tensor? bias, Tensor running_mean, Tensor running_var, bool training, float momentum, float eps) -> (Tensor, Tensor, Tensor, Tensor running_mean_out, Tensor running_var_out)";
/** Gives new running statistics; without training, those that it was given. */
function functional(args: LoweringArgs<typeof FUNCTIONAL>, call: LoweringCall) {
  const { input, running_mean, running_var, momentum } = args;
  if (!args.training) {
    const kept = (tensor: LazyTensor, at: number): LazyTensor =>
      elementsAs(tensor, outOf(call, at).dtype, call.node);
    const [mean, spread] = [kept(running_mean, 3), kept(running_var, 4)];
    return [...inference(args, call), mean, spread] as const;
  }
  const { results, center } = trained(args, call);
  const spread = unbiasedVariance(call, input, center);
  return [
    ...results,
    updated(call, running_mean, center.mean, momentum, 3),
    updated(call, running_var, spread, momentum, 4),
  ] as const;
}

export const BATCH_NORMS = defineLowerings([
  lowering(
    "aten::_native_batch_norm_legit_no_training(Tensor input, Tensor? weight, Tensor? bias, Tensor running_mean, Tensor running_var, float momentum, float eps) -> (Tensor, Tensor, Tensor)",
    inference,
  ),
  // Writes running statistics in training only.
  lowering(
    "aten::_native_batch_norm_legit(Tensor input, Tensor? weight, Tensor? bias, Tensor(a!) running_mean, Tensor(b!) running_var, bool training, float momentum, float eps) -> (Tensor, Tensor, Tensor)",
    (args, call) =>
      args.training
        ? cannot("it writes running statistics in place: functionalize the program first")
        : inference(args, call),
  ),
  lowering(
    "aten::_native_batch_norm_legit.no_stats(Tensor input, Tensor? weight, Tensor? bias, bool training, float momentum, float eps) -> (Tensor, Tensor, Tensor)",
    (args, call) => trained(args, call).results,
  ),
  lowering(FUNCTIONAL, functional),
]);
