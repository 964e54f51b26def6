/** @file Normalizations, embeddings and padding of `nn.functional`. */
import { toNumber } from "@sconce/ir";
import type { Tensor } from "@sconce/tensor";
import { deviceOfTensor } from "../functions/conversions.js";
import { invalidArgument, requireChoice } from "../functions/errors.js";
import { callMethod, callNn, callTorch } from "../functions/function-tables.js";
import type { PythonArguments } from "../functions/python-function.js";
import { numelOf, sizeOf, sizesOf, sizesText, sizeText } from "../functions/sizes.js";
import { guard, sym } from "../functions/sym.js";
import type { Size } from "../trace/sym-int.js";
import type { Body } from "./functional-activation.js";

/** Statistics of one value are undefined: PyTorch refuses to train with them. */
function requireSeveral(name: string, sizes: readonly Size[]): void {
  const count = sizes.reduce((a, b) => sym.mul(a, b) as Size, 1 as Size);
  if (guard(sym.eq(count, 1)))
    throw invalidArgument(
      name,
      "there is only one value for each statistic",
      "use a larger batch, or `eval()`",
    );
}

const withoutChannels = (input: Tensor): readonly Size[] => sizesOf(input).filter((_, i) => i !== 1);

/** An export sees cuDNN switched off; nothing here runs on it. */
const CUDNN = false;

function batchNorm(args: PythonArguments): unknown {
  const { input, runningMean, runningVar, weight, bias, training, momentum, eps } = args;
  if (training) requireSeveral("functional.batchNorm", withoutChannels(input));
  if (toNumber(eps) < 0 || (training && toNumber(eps) === 0))
    throw invalidArgument(
      "functional.batchNorm",
      `eps ${toNumber(eps)} is not positive`,
      "use a small positive number",
    );
  return callTorch("batch_norm", [
    input,
    weight,
    bias,
    runningMean,
    runningVar,
    training,
    momentum,
    eps,
    CUDNN,
  ]);
}

function instanceNorm(args: PythonArguments): unknown {
  const { input, runningMean, runningVar, weight, bias, useInputStats, momentum, eps } = args;
  if (useInputStats) requireSeveral("functional.instanceNorm", sizesOf(input).slice(2));
  return callTorch("instance_norm", [
    input,
    weight,
    bias,
    runningMean,
    runningVar,
    useInputStats,
    momentum,
    eps,
    CUDNN,
  ]);
}

function groupNorm({ input, numGroups, weight, bias, eps }: PythonArguments): unknown {
  if (input.ndim < 2)
    throw invalidArgument(
      "functional.groupNorm",
      `the input has ${input.ndim} dimensions`,
      "use 2 or more dimensions",
    );
  const [batch, channels, ...rest] = sizesOf(input);
  requireSeveral("functional.groupNorm", [
    sym.floorDiv(sym.mul(batch!, channels!), numGroups as Size) as Size,
    ...rest,
  ]);
  return callTorch("group_norm", [input, numGroups, weight, bias, eps, CUDNN]);
}

function localResponseNorm({ input, size, alpha, beta, k }: PythonArguments): unknown {
  if (input.ndim < 3)
    throw invalidArgument(
      "functional.localResponseNorm",
      `the input has ${input.ndim} dimensions`,
      "use 3 or more",
    );
  if (guard(sym.eq(numelOf(input), 0))) return input;
  const squares = callMethod(input, "mul", [input]) as Tensor;
  const around = [Math.trunc(size / 2), Math.trunc((size - 1) / 2)];
  const means =
    input.ndim === 3 ? meansOfRows(squares, size, around) : meansOfImages(input, squares, size, around);
  const scaled = callMethod(callMethod(means, "mul", [alpha]) as Tensor, "add", [k]) as Tensor;
  return callMethod(input, "div", [callMethod(scaled, "pow", [beta])]);
}

const pad = (input: unknown, sizes: readonly Size[]): unknown =>
  callNn("pad", [input, sizes, "constant", null]);

function meansOfRows(squares: Tensor, size: Size, around: readonly Size[]): Tensor {
  const padded = pad(callMethod(squares, "unsqueeze", [1]), [0, 0, ...around]);
  return callMethod(
    callNn("avg_pool2d", [padded, [size, 1]], { stride: 1 }) as Tensor,
    "squeeze",
    [1],
  ) as Tensor;
}

function meansOfImages(input: Tensor, squares: Tensor, size: Size, around: readonly Size[]): Tensor {
  const sizes = sizesOf(input);
  const view = callMethod(squares, "view", [sizes[0], 1, sizes[1], sizes[2], -1]);
  const padded = pad(view, [0, 0, 0, 0, ...around]);
  const means = callNn("avg_pool3d", [padded, [size, 1, 1]], { stride: 1 }) as Tensor;
  return callMethod(callMethod(means, "squeeze", [1]) as Tensor, "view", [sizes]) as Tensor;
}

function normalize({ input, p, dim, eps, out }: PythonArguments): unknown {
  const norms = callNorm(input, p, dim);
  const least = callMethod(norms, out === null ? "clamp_min" : "clamp_min_", [eps]) as Tensor;
  const divisor = callMethod(least, "expand_as", [input]);
  return out === null ? callMethod(input, "div", [divisor]) : callTorch("div", [input, divisor], { out });
}

/** `input.norm(p, dim, keepdim=True)`. */
const callNorm = (input: Tensor, p: number, dim: number): Tensor => input.norm(p, dim, true);

/** Rescales the rows of a table that are used; PyTorch records no gradient for it. */
const renormalize = (weight: Tensor, input: unknown, maxNorm: unknown, normType: unknown): unknown =>
  callTorch("embedding_renorm_", [callMethod(weight, "detach"), input, maxNorm, normType]);

function embedding(args: PythonArguments): unknown {
  const { weight, maxNorm, normType, scaleGradByFreq, sparse } = args;
  let { input, paddingIdx } = args;
  if (paddingIdx === null) paddingIdx = -1;
  else {
    const rows = sizeOf(weight, 0);
    if (!guard(sym.and(sym.lt(paddingIdx as Size, rows), sym.le(sym.neg(rows), paddingIdx as Size))))
      throw invalidArgument(
        "functional.embedding",
        `paddingIdx ${sizeText(paddingIdx)} is not a row`,
        "use a row's number",
      );
    if (paddingIdx < 0) paddingIdx = sym.add(rows, paddingIdx as Size);
  }
  if (maxNorm !== null) {
    input = callContiguous(input);
    renormalize(weight, input, maxNorm, normType);
  }
  return callTorch("embedding", [weight, input, paddingIdx, scaleGradByFreq, sparse]);
}

const callContiguous = (input: Tensor): Tensor => input.contiguous();

const BAG_MODES: Readonly<Record<string, number>> = { sum: 0, mean: 1, max: 2 };

function embeddingBag(args: PythonArguments): unknown {
  const { weight, maxNorm, normType, scaleGradByFreq, mode, sparse, paddingIdx } = args;
  requireChoice("functional.embeddingBag", "mode", mode, Object.keys(BAG_MODES));
  requireBagWeights(args);
  if (args["perSampleWeights"] !== null && mode !== "sum")
    throw invalidArgument(
      "functional.embeddingBag",
      "perSampleWeights need the mode sum",
      'use `mode: "sum"`',
    );
  const { input, offsets, weights, includeLast } = bags(args);
  if (maxNorm !== null) renormalize(weight, input, maxNorm, normType);
  const options = [scaleGradByFreq, BAG_MODES[mode], sparse, weights, includeLast, paddingIdx];
  return (callTorch("embedding_bag", [weight, input, offsets, ...options]) as readonly unknown[])[0];
}

function requireBagWeights({ input, perSampleWeights: weights }: PythonArguments): void {
  if (weights === null) return;
  const [given, wanted] = [sizesOf(weights as Tensor), sizesOf(input)];
  if (given.length === wanted.length && wanted.every((size, i) => guard(sym.eq(size, given[i]!)))) return;
  throw invalidArgument(
    "functional.embeddingBag",
    `perSampleWeights have the shape [${sizesText(given)}], and the input has [${sizesText(wanted)}]`,
    "pass one weight for each index",
  );
}

/** Rows of a matrix are bags of one size. */
function bags({ input, offsets, perSampleWeights: weights, includeLastOffset }: PythonArguments) {
  const given = offsets as Tensor | null;
  if (input.ndim === 1 && given?.ndim === 1)
    return { input, offsets, weights, includeLast: includeLastOffset };
  if (input.ndim !== 2 || given !== null)
    throw invalidArgument(
      "functional.embeddingBag",
      `the input has ${input.ndim} dimensions, with ${given === null ? "no offsets" : "offsets"}`,
      "use one dimension with offsets of one dimension, or two dimensions without offsets",
    );
  const range = [0, numelOf(input), sizeOf(input, 1)];
  const starts = callTorch("arange", range, { dtype: input.dtype, device: deviceOfTensor(input) });
  const flat = callMethod(input, "reshape", [-1]);
  const flatWeights = weights === null ? null : callMethod(weights, "reshape", [-1]);
  return { input: flat, offsets: starts, weights: flatWeights, includeLast: false };
}

/** The functions by PyTorch's name. */
export const NORMALIZATIONS: Readonly<Record<string, Body>> = {
  batch_norm: batchNorm,
  embedding,
  embedding_bag: embeddingBag,
  group_norm: groupNorm,
  instance_norm: instanceNorm,
  layer_norm: ({ input, normalizedShape, weight, bias, eps }) =>
    callTorch("layer_norm", [input, normalizedShape, weight, bias, eps, CUDNN]),
  local_response_norm: localResponseNorm,
  normalize,
  pad: ({ input, pad: sizes, mode, value }) => callNn("pad", [input, sizes, mode, value]),
  rms_norm: ({ input, normalizedShape, weight, eps }) =>
    callTorch("rms_norm", [input, normalizedShape, weight, eps]),
};
