/** @file Batch normalization, by saved statistics or by those of the batch. */
import { type Index, ONE, product, subtract, ZERO } from "../../ir/index-expr.js";
import { apply, cast, constantScalar, type Scalar } from "../../ir/scalar.js";
import type { LoweringArgs } from "../core/arguments.js";
import { cannot, type LoweringCall, outOf, shapeOf } from "../core/call.js";
import { LazyTensor } from "../core/lazy.js";
import { defineLowerings, lowering } from "../core/lowering.js";
import { computeType, numberOf, numberScalar } from "../core/numbers.js";
import { affine, elementsAs, givenOf, normalized, squaresOf, statistic } from "../rules/normalize.js";
import type { Center } from "../rules/reduce.js";

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

/** All dimensions but the channels'. */
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
  const finish = (unit: Scalar, at: readonly Index[]): Scalar => affine(unit, weight, bias, [at[1]!]);
  // Statistics of halves are halves, unless the parameters are wider.
  const statistics = (weight ?? input).dtype;
  const options = { eps, finish, further, statistics, isPlain: true };
  const { out, center, rstd } = normalized(call, input, rowsOf(input), options);
  return { results: [out, statistic(call, center.mean, 1)!, statistic(call, rstd, 2)!], center };
}

/** The unbiased variance of each channel, other dimensions kept. */
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
