/** @file Losses of `nn.functional` (`torch/nn/functional.py`). */
import { type FloatLiteral, toNumber } from "@sconce/ir";
import { isIntegralDType, Tensor } from "@sconce/tensor";
import { invalidArgument, requireChoice } from "../functions/errors.js";
import { callMethod, callNn, callTorch } from "../functions/function-tables.js";
import type { PythonArguments } from "../functions/python-function.js";
import { guardSameSizes, sizeOf, sizesOf, sizesText } from "../functions/sizes.js";
import { sym } from "../functions/sym.js";
import { torch } from "../functions/torch.js";
import { truthOf } from "../functions/truth.js";
import { currentTrace } from "../trace/dispatch.js";
import type { Size } from "../trace/sym-int.js";
import type { Body } from "./functional-activation.js";

const REDUCTIONS: Readonly<Record<string, number>> = { none: 0, mean: 1, sum: 2, elementwise_mean: 1 };

/** `size_average` and `reduce`, which came before `reduction`. */
function reductionName({ sizeAverage, reduce, reduction }: PythonArguments): string {
  if ((sizeAverage ?? null) === null && (reduce ?? null) === null) return reduction;
  if (reduce === false) return "none";
  return sizeAverage === false ? "sum" : "mean";
}

function reductionOf(args: PythonArguments, ...more: readonly string[]): number {
  const name = reductionName(args);
  if (!Object.hasOwn(REDUCTIONS, name))
    requireChoice("functional", "reduction", name, ["none", "mean", "sum", ...more]);
  return REDUCTIONS[name]!;
}

function requireSameSizes(name: string, a: Tensor, b: Tensor): void {
  if (guardSameSizes(sizesOf(a), sizesOf(b))) return;
  const text = (x: Tensor): string => `[${sizesText(sizesOf(x))}]`;
  throw invalidArgument(name, `the sizes ${text(a)} and ${text(b)} differ`, "use tensors of the same sizes");
}

/** Reduces a loss as its name says. */
function reduced(loss: Tensor, args: PythonArguments): unknown {
  const reduction = reductionOf(args);
  if (reduction === 0) return loss;
  return callMethod(loss, reduction === 1 ? "mean" : "sum");
}

/** Returns a loss of elements; with weights, PyTorch sums and divides by hand. */
const elementLoss =
  (
    name: string,
    extra: readonly string[],
    unweighted: (input: Tensor, target: Tensor, args: PythonArguments) => Tensor,
  ): Body =>
  (args) => {
    const { input, target, weight } = args;
    // PyTorch warns of other sizes, which are broadcast.
    guardSameSizes(sizesOf(target), sizesOf(input));
    const [left, right] = callTorch("broadcast_tensors", [[input, target]]) as readonly [Tensor, Tensor];
    if ((weight ?? null) === null)
      return callNn(name, [left, right, reductionOf(args), ...extra.map((key) => args[key])]);
    requireSameSizes(`functional.${name}`, weight, input);
    const losses = callMethod(unweighted(left, right, args), "mul", [weight]) as Tensor;
    return name === "huber_loss" ? reducedHuber(losses, args) : weightedMean(losses, weight, args);
  };

function reducedHuber(losses: Tensor, args: PythonArguments): unknown {
  return reductionOf(args) === 2 ? callTorch("sum", [losses]) : reduced(losses, args);
}

function weightedMean(losses: Tensor, weight: Tensor, args: PythonArguments): unknown {
  const reduction = reductionOf(args);
  if (reduction === 0) return losses;
  const sum = callTorch("sum", [losses]) as Tensor;
  return reduction === 2 ? sum : callMethod(sum, "div", [callTorch("sum", [weight])]);
}

const difference = (input: Tensor, target: Tensor): Tensor => callMethod(input, "sub", [target]) as Tensor;

/** Calls an operator with these arguments and the number of the reduction. */
const direct =
  (call: typeof callTorch, name: string, before: readonly string[], after: readonly string[] = []): Body =>
  (args) =>
    call(name, [...before.map((key) => args[key]), reductionOf(args), ...after.map((key) => args[key])]);

function smoothL1Loss(args: PythonArguments): unknown {
  guardSameSizes(sizesOf(args["target"]), sizesOf(args["input"]));
  const [left, right] = callTorch("broadcast_tensors", [
    [args["input"], args["target"]],
  ]) as readonly Tensor[];
  if (toNumber(args["beta"]) === 0) return callNn("l1_loss", [left, right, reductionOf(args)]);
  return callNn("smooth_l1_loss", [left, right, reductionOf(args), args["beta"]]);
}

function divergence(args: PythonArguments): unknown {
  const { input, target, logTarget, reduction } = args;
  const isBatchMean = reduction === "batchmean";
  const kind = reductionOf(isBatchMean ? { ...args, reduction: "sum" } : args, "batchmean");
  const loss = callTorch("kl_div", [input, target, kind], { logTarget }) as Tensor;
  return isBatchMean && input.ndim !== 0 ? callMethod(loss, "div", [sizeOf(input, 0)]) : loss;
}

function binaryCrossEntropy(args: PythonArguments): unknown {
  const { input, target } = args;
  requireSameSizes("functional.binaryCrossEntropy", target, input);
  let { weight } = args;
  if (weight !== null)
    weight = callMethod(weight, "expand", [torch.broadcastShapes(sizesOf(target), sizesOf(weight))]);
  return callNn("binary_cross_entropy", [input, target, weight, reductionOf(args)]);
}

function withLogits(args: PythonArguments): unknown {
  const { input, target, weight, posWeight } = args;
  requireSameSizes("functional.binaryCrossEntropyWithLogits", target, input);
  return callTorch("binary_cross_entropy_with_logits", [input, target, weight, posWeight, reductionOf(args)]);
}

function multilabelSoftMarginLoss(args: PythonArguments): unknown {
  const { input, target, weight } = args as { input: Tensor; target: Tensor; weight: Tensor | null };
  const logSigmoid = (x: unknown): Tensor => callNn("log_sigmoid", [x]) as Tensor;
  const times = (a: Tensor, b: unknown): Tensor => callMethod(a, "mul", [b]) as Tensor;
  const hits = times(target, logSigmoid(input));
  const rest = callTorch("rsub", [target, 1]) as Tensor;
  const misses = times(rest, logSigmoid(callMethod(input, "neg")));
  const sum = callMethod(hits, "add", [misses]) as Tensor;
  let loss = callMethod(sum, "neg") as Tensor;
  if (weight !== null) loss = times(loss, weight);
  const dim = input.ndim - 1;
  const classes = sizeOf(input, dim);
  loss = callMethod(callMethod(loss, "sum", [], { dim }) as Tensor, "div", [classes]) as Tensor;
  return reduced(loss, args);
}

/**
 * Returns a variance, given as a number or a tensor, as a tensor that broadcasts with the input.
 */
function varianceOf(given: unknown, input: Tensor): Tensor {
  const variance =
    given instanceof Tensor
      ? given
      : (callMethod(callTorch("ones_like", [input]) as Tensor, "mul", [given]) as Tensor);
  if (given instanceof Tensor) {
    const negative = callTorch("any", [callMethod(given, "lt", [0])]) as Tensor;
    if (truthOf(negative))
      throw invalidArgument("functional.gaussianNllLoss", "a variance is negative", "use positive ones");
  }
  const [own, sizes] = [sizesOf(variance), sizesOf(input)];
  if (own.length === sizes.length) return variance;
  return callTorch("unsqueeze", [variance, -1]) as Tensor;
}

function gaussianLoss(args: PythonArguments): unknown {
  const { input, target, full, eps } = args;
  const variance = callMethod(varianceOf(args["var"], input), "clone") as Tensor;
  callMethod(variance, "clamp_", [], { min: eps });
  const logs = callTorch("log", [variance]) as Tensor;
  const squares = callMethod(difference(input, target), "pow", [2]) as Tensor;
  const sum = callMethod(logs, "add", [callMethod(squares, "div", [variance])]) as Tensor;
  const loss = callMethod(sum, "mul", [0.5]) as Tensor;
  if (full) callMethod(loss, "add_", [0.5 * Math.log(2 * Math.PI)]);
  return reduced(loss, args);
}

function multiMarginLoss(args: PythonArguments): unknown {
  const { input, target, p, margin, weight } = args;
  if (p !== 1 && p !== 2)
    throw invalidArgument("functional.multiMarginLoss", `p ${String(p)} is not 1 or 2`, "use 1 or 2");
  return callNn("multi_margin_loss", [input, target, p, margin, weight, reductionOf(args)]);
}

function tripletLoss(args: PythonArguments): unknown {
  const { anchor, positive, negative, margin, p, eps, swap } = args;
  requirePositive(margin);
  return callTorch("triplet_margin_loss", [
    anchor,
    positive,
    negative,
    margin,
    p,
    eps,
    swap,
    reductionOf(args),
  ]);
}

function requirePositive(margin: number | FloatLiteral): void {
  if (toNumber(margin) <= 0)
    throw invalidArgument(
      "functional.tripletMarginLoss",
      `the margin ${toNumber(margin)} is not positive`,
      "use a positive margin",
    );
}

function tripletDistanceLoss(args: PythonArguments): unknown {
  const { anchor, positive, negative, margin, swap } = args;
  requirePositive(margin);
  const distance = (args["distanceFunction"] ??
    ((a: Tensor, b: Tensor) => callTorch("pairwise_distance", [a, b]))) as (a: Tensor, b: Tensor) => Tensor;
  const near = distance(anchor, positive);
  let far = distance(anchor, negative);
  if (swap) far = callTorch("minimum", [far, distance(positive, negative)]) as Tensor;
  const gap = difference(callMethod(near, "add", [margin]) as Tensor, far);
  const loss = callTorch("clamp_min", [gap, 0]) as Tensor;
  const reduction = reductionOf(args);
  return reduction === 0 ? loss : callTorch(reduction === 1 ? "mean" : "sum", [loss]);
}

const crossEntropy: Body = (args) => {
  const { input, target, weight, ignoreIndex, labelSmoothing } = args;
  return callNn("cross_entropy_loss", [
    input,
    target,
    weight,
    reductionOf(args),
    ignoreIndex,
    labelSmoothing,
  ]);
};

/** `linear` and `cross_entropy` in one, without chunks. */
function linearCrossEntropy(args: PythonArguments): unknown {
  const { input, target, weight, reduction, labelSmoothing, ignoreIndex } = args;
  if (args["options"] !== null)
    throw invalidArgument(
      "functional.linearCrossEntropy",
      "options are given",
      "leave them out: the loss is not chunked here",
    );
  let { linearWeight, linearBias } = args;
  const [classes, ...features] = sizesOf(linearWeight).slice(0, -1) as [Size, ...Size[]];
  if (features.length > 0) {
    const rows = features.reduce((a, b) => sym.mul(a, b) as Size, classes);
    linearWeight = callMethod(linearWeight, "reshape", [[rows, sizeOf(input, -1)]]);
    if (linearBias !== null) linearBias = callMethod(linearBias, "reshape", [rows]);
  }
  const logits = callNn("linear", [input, linearWeight, linearBias]) as Tensor;
  const shape = [...sizesOf(input).slice(0, -1), classes, ...features];
  const shaped = callMethod(logits, "reshape", [shape]);
  const rest = { weight, reduction, labelSmoothing, ignoreIndex: ignoreIndex ?? -100 };
  return crossEntropy({ input: shaped, target, sizeAverage: null, reduce: null, ...rest });
}

const ctcOfLengths = direct(
  callTorch,
  "ctc_loss",
  ["logProbs", "targets", "inputLengths", "targetLengths", "blank"],
  ["zeroInfinity"],
);

/** Lengths in tensors are read where the loss runs; an export cannot know them, as in PyTorch. */
function ctcLoss(args: PythonArguments): unknown {
  const { inputLengths, targetLengths } = args;
  const lengths = [inputLengths, targetLengths];
  if (currentTrace() !== undefined || !lengths.every((value) => value instanceof Tensor))
    return ctcOfLengths(args);
  const [steps, labels] = lengths.map((value) => lengthsOf(value));
  return ctcOfLengths({ ...args, inputLengths: steps, targetLengths: labels });
}

function lengthsOf(lengths: Tensor): number[] {
  if (isIntegralDType(lengths.dtype)) return [...lengths.toArray()].map(Number);
  throw invalidArgument(
    "functional.ctcLoss",
    `lengths are integers, got ${lengths.dtype}`,
    "use tensors of integers, or arrays",
  );
}

/** The functions by PyTorch's name. */
export const LOSSES: Readonly<Record<string, Body>> = {
  binary_cross_entropy: binaryCrossEntropy,
  binary_cross_entropy_with_logits: withLogits,
  cosine_embedding_loss: direct(callTorch, "cosine_embedding_loss", ["input1", "input2", "target", "margin"]),
  cross_entropy: crossEntropy,
  ctc_loss: ctcLoss,
  gaussian_nll_loss: gaussianLoss,
  hinge_embedding_loss: direct(callTorch, "hinge_embedding_loss", ["input", "target", "margin"]),
  huber_loss: elementLoss(
    "huber_loss",
    ["delta"],
    (input, target, { delta }) => callNn("huber_loss", [input, target, 0, delta]) as Tensor,
  ),
  kl_div: divergence,
  l1_loss: elementLoss(
    "l1_loss",
    [],
    (input, target) => callTorch("abs", [difference(input, target)]) as Tensor,
  ),
  linear_cross_entropy: linearCrossEntropy,
  margin_ranking_loss: direct(callTorch, "margin_ranking_loss", ["input1", "input2", "target", "margin"]),
  mse_loss: elementLoss(
    "mse_loss",
    [],
    (input, target) => callTorch("pow", [difference(input, target), 2]) as Tensor,
  ),
  multi_margin_loss: multiMarginLoss,
  multilabel_margin_loss: direct(callNn, "multilabel_margin_loss", ["input", "target"]),
  multilabel_soft_margin_loss: multilabelSoftMarginLoss,
  nll_loss: direct(callNn, "nll_loss_nd", ["input", "target", "weight"], ["ignoreIndex"]),
  poisson_nll_loss: direct(callTorch, "poisson_nll_loss", ["input", "target", "logInput", "full", "eps"]),
  smooth_l1_loss: smoothL1Loss,
  soft_margin_loss: direct(callNn, "soft_margin_loss", ["input", "target"]),
  triplet_margin_loss: tripletLoss,
  triplet_margin_with_distance_loss: tripletDistanceLoss,
};
