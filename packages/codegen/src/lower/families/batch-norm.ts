/** @file Batch normalization, by saved statistics or by those of the batch. */
import { type Index, ONE, product, subtract, ZERO } from "../../ir/index-expr.js";
import { apply, both, cast, constantScalar, type Scalar, select } from "../../ir/scalar.js";
import type { LoweringArgs } from "../core/arguments.js";
import { cannot, type LoweringCall, outOf, shapeOf } from "../core/call.js";
import { LazyTensor } from "../core/lazy.js";
import { defineLowerings, lowering } from "../core/lowering.js";
import { computeType, numberOf, numberScalar } from "../core/numbers.js";
import { elementsAs, givenOf, rowStatistics, squaresOf, statistic } from "../rules/normalize.js";
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
  const { weight, bias, running_mean, running_var } = args;
  const { context, node } = call;
  requireVectors(weight, bias);
  const further = givenOf(call, args.input, [weight, bias, running_mean, running_var]);
  const input = context.once(args.input);
  const dims = rowsOf(input);
  const ofChannel = (vector: LazyTensor, finish: (x: Scalar) => Scalar): LazyTensor =>
    new LazyTensor({
      dtype: computeType(input.dtype),
      shape: input.shape.map((size, d) => (d === 1 ? size : ONE)),
      node,
      inputs: [vector],
      operations: 3,
      element: (at) => finish(cast(vector.element([at[1]!]), computeType(input.dtype))),
    });
  const rstd = ofChannel(running_var, (variance) =>
    apply("rsqrt", apply("add", variance, numberScalar(args.eps, variance.dtype))),
  );
  const mean = ofChannel(running_mean, (value) => value);
  const group = context.group("norm");
  const made = scaledChannels(input, call, { mean, rstd, group, dims, weight, bias, further });
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
  const made = scaledChannels(input, call, { ...statistics, dims, weight, bias, further });
  return { results: [made, statistic(call, center.mean, 1)!, statistic(call, rstd, 2)!], center };
}

/** Statistics of channels, other dimensions kept, and parameters. */
interface Channels extends Pick<BatchNormArgs, "weight" | "bias"> {
  readonly mean: LazyTensor;
  readonly rstd: LazyTensor;
  /** The group of the nests that compute them. */
  readonly group: string;
  /** All dimensions but the channels'. */
  readonly dims: readonly number[];
  /** All that is read beside the input. */
  readonly further: readonly LazyTensor[];
}

/** Returns the normalized input, the first result of the call. */
function scaledChannels(input: LazyTensor, call: LoweringCall, channels: Channels): LazyTensor {
  const { subtrahend, factor, term } = channelFactors(call, channels);
  call.context.fit([input, subtrahend, factor, term], 3);
  const out = outOf(call);
  const made = new LazyTensor({
    dtype: out.dtype,
    shape: input.shape,
    node: call.node,
    inputs: [input, subtrahend, factor, term],
    operations: 3,
    element: (at) => {
      const row = keptAt(at, channels.dims, ZERO);
      const difference = apply("sub", cast(input.element(at), factor.dtype), subtrahend.element(row));
      const product = apply("mul", difference, factor.element(row));
      return cast(apply("add", product, term.element(row)), out.dtype);
    },
  });
  call.context.made(made);
  return made;
}

interface ChannelFactors {
  readonly subtrahend: LazyTensor;
  readonly factor: LazyTensor;
  readonly term: LazyTensor;
}
/** Smaller numbers, added to finite ones, do not make them infinite. */
const NEAR = { float32: 2 ** 103, float64: 2 ** 970 };
/** What a channel is computed by, at a place with its other dimensions kept. */
type ChannelNumber = (at: readonly Index[]) => Scalar;
/** PyTorch's numbers of a channel: `x * scale + shift` with the shift `offset - mean * scale`. */
interface ChannelNumbers {
  readonly mean: ChannelNumber;
  readonly scale: ChannelNumber;
  readonly offset: ChannelNumber;
  readonly shift: ChannelNumber;
}
function channelNumbers({ mean, rstd, weight, bias }: Channels): ChannelNumbers {
  const { dtype } = rstd;
  const ofChannel = (tensor: LazyTensor, at: readonly Index[]): Scalar =>
    cast(tensor.element([at[1]!]), dtype);
  const scale: ChannelNumber = (at) =>
    weight === null ? rstd.element(at) : apply("mul", rstd.element(at), ofChannel(weight, at));
  const offset: ChannelNumber = (at) => (bias === null ? constantScalar(0, dtype) : ofChannel(bias, at));
  const shift: ChannelNumber = (at) => apply("sub", offset(at), apply("mul", mean.element(at), scale(at)));
  return { mean: (at) => mean.element(at), scale, offset, shift };
}

/**
 * Returns what makes `(x - subtrahend) * factor + term` of each channel. PyTorch rounds `x * scale
 * + shift` once. The difference from the mean is the more exact form where the shift is finite, the
 * scale is not zero, and no step overflows alone.
 */
function channelFactors(call: LoweringCall, channels: Channels): ChannelFactors {
  const { mean, rstd, group, further } = channels;
  const { dtype, shape } = rstd;
  const { scale, offset, shift, mean: meanAt } = channelNumbers(channels);
  const number = (value: number): Scalar => constantScalar(value, dtype);
  const inMemory = (element: LazyTensor["element"]): LazyTensor => {
    const inputs = [mean, rstd, ...further];
    const made = new LazyTensor({ dtype, shape, node: call.node, inputs, operations: 12, element });
    call.context.materialize(made, { group });
    return made;
  };
  const is = channelForms(channels, { mean: meanAt, scale, offset, shift });
  const sign: ChannelNumber = (at) => select(apply("lt", scale(at), number(0)), number(-1), number(1));
  const quotient: ChannelNumber = (at) => apply("div", apply("neg", shift(at)), scale(at));
  const chosen = (at: readonly Index[], exact: Scalar, moved: Scalar, other: Scalar): Scalar =>
    select(is.exact(at), exact, select(is.moved(at), moved, other));
  return {
    subtrahend: inMemory((at) => chosen(at, meanAt(at), quotient(at), number(0))),
    factor: inMemory((at) => select(is.lost(at), sign(at), scale(at))),
    term: inMemory((at) => chosen(at, offset(at), number(0), shift(at))),
  };
}

/** Which form a channel has; `x * scale + shift` if none. */
interface ChannelForms {
  /** `(x - mean) * scale + offset`. */
  readonly exact: ChannelNumber;
  /** `(x + shift / scale) * scale`: a product without the shift may be infinite. */
  readonly moved: ChannelNumber;
  /** `x * sign + shift`: beside an infinite shift, the product of finite numbers is lost. */
  readonly lost: ChannelNumber;
}
function channelForms(
  { rstd, bias }: Channels,
  { mean, scale, offset, shift }: ChannelNumbers,
): ChannelForms {
  const number = (value: number): Scalar => constantScalar(value, rstd.dtype);
  const end = number(rstd.dtype === "float64" ? NEAR.float64 : NEAR.float32);
  const isNear = (value: Scalar): Scalar => apply("lt", apply("abs", value), end);
  const isScaled: ChannelNumber = (at) => both(isRegular(scale(at)), apply("ne", scale(at), number(0)));
  const isNearAt: ChannelNumber = (at) =>
    bias === null ? isNear(mean(at)) : both(isNear(mean(at)), isNear(offset(at)));
  const exact: ChannelNumber = (at) => both(both(isRegular(shift(at)), isScaled(at)), isNearAt(at));
  const isLarge: ChannelNumber = (at) =>
    both(isRegular(scale(at)), apply("ge", apply("abs", scale(at)), number(1)));
  return {
    exact,
    moved: (at) => both(isRegular(shift(at)), isLarge(at)),
    lost: (at) => both(apply("eq", apply("abs", shift(at)), number(Infinity)), isScaled(at)),
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
