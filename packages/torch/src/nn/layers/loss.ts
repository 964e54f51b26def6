/** @file Losses of predictions and targets. */
import { float } from "@sconce/ir";
import type { Tensor } from "@sconce/tensor";
import { defineLayer } from "../define-layer.js";
import { badSettings } from "../errors.js";
import { functional as F } from "../functional.js";

/** How the losses of elements become a result. */
export type Reduction = "none" | "mean" | "sum";

interface LossValues {
  reduction: Reduction;
}

interface WeightedValues extends LossValues {
  weight: Tensor | null;
}

type Pair = [input: Tensor, target: Tensor];

const noText = (): string => "";
const positiveMargin = (layer: string, margin: number): void => {
  if (!(margin > 0))
    throw badSettings(
      layer,
      `${layer}: expected margin to be greater than 0, got ${margin} instead`,
      "give a positive margin",
    );
};

type PairLoss = (input: Tensor, target: Tensor, options: { reduction: Reduction }) => Tensor;

/** A loss of pairs without other settings. */
const pairLoss = (name: string, loss: PairLoss) =>
  defineLayer<[], [], LossValues, Pair, Tensor>({
    name,
    module: "loss",
    defaults: { reduction: "mean" },
    forward: ({ reduction }, input, target) => loss(input, target, { reduction }),
    text: noText,
  });

/** The mean of absolute differences (`torch.nn.L1Loss`). */
export const L1Loss = pairLoss("L1Loss", F.l1Loss);
/** The mean of squared differences (`torch.nn.MSELoss`). */
export const MSELoss = pairLoss("MSELoss", F.mseLoss);
/** The margins of labels over the classes that are not labels (`torch.nn.MultiLabelMarginLoss`). */
export const MultiLabelMarginLoss = pairLoss("MultiLabelMarginLoss", F.multilabelMarginLoss);
/** `log(1 + exp(-target * input))` (`torch.nn.SoftMarginLoss`). */
export const SoftMarginLoss = pairLoss("SoftMarginLoss", F.softMarginLoss);

interface NLLValues extends WeightedValues {
  ignoreIndex: number;
}

/** The negated log probabilities of the targets (`torch.nn.NLLLoss`). */
export const NLLLoss = defineLayer<[], [weight: Tensor | null], NLLValues, Pair, Tensor>({
  name: "NLLLoss",
  module: "loss",
  defaults: { weight: null, ignoreIndex: -100, reduction: "mean" },
  buffers: ["weight"],
  forward: ({ weight, ignoreIndex, reduction }, input, target) =>
    F.nllLoss(input, target, { weight, ignoreIndex, reduction }),
  text: noText,
});

/** The cross entropy of scores and classes (`torch.nn.CrossEntropyLoss`). */
export const CrossEntropyLoss = defineLayer<
  [],
  [weight: Tensor | null],
  NLLValues & { labelSmoothing: number },
  Pair,
  Tensor
>({
  name: "CrossEntropyLoss",
  module: "loss",
  defaults: { weight: null, ignoreIndex: -100, reduction: "mean", labelSmoothing: 0 },
  buffers: ["weight"],
  forward: ({ weight, ignoreIndex, reduction, labelSmoothing }, input, target) =>
    F.crossEntropy(input, target, { weight, ignoreIndex, reduction, labelSmoothing }),
  text: noText,
});

/** The cross entropy of probabilities (`torch.nn.BCELoss`). */
export const BCELoss = defineLayer<[], [weight: Tensor | null], WeightedValues, Pair, Tensor>({
  name: "BCELoss",
  module: "loss",
  defaults: { weight: null, reduction: "mean" },
  buffers: ["weight"],
  forward: ({ weight, reduction }, input, target) =>
    F.binaryCrossEntropy(input, target, { weight, reduction }),
  text: noText,
});

/** The cross entropy of scores before a sigmoid (`torch.nn.BCEWithLogitsLoss`). */
export const BCEWithLogitsLoss = defineLayer<
  [],
  [weight: Tensor | null],
  WeightedValues & { posWeight: Tensor | null },
  Pair,
  Tensor
>({
  name: "BCEWithLogitsLoss",
  module: "loss",
  defaults: { weight: null, reduction: "mean", posWeight: null },
  buffers: ["weight", "posWeight"],
  forward: ({ weight, reduction, posWeight }, input, target) =>
    F.binaryCrossEntropyWithLogits(input, target, { weight, reduction, posWeight }),
  text: noText,
});

/** The divergence of Kullback and Leibler (`torch.nn.KLDivLoss`). */
export const KLDivLoss = defineLayer<
  [],
  [],
  { reduction: Reduction | "batchmean"; logTarget: boolean },
  Pair,
  Tensor
>({
  name: "KLDivLoss",
  module: "loss",
  defaults: { reduction: "mean", logTarget: false },
  forward: ({ reduction, logTarget }, input, target) => F.klDiv(input, target, { reduction, logTarget }),
  text: noText,
});

/** Squares of small differences, absolute values of others (`torch.nn.SmoothL1Loss`). */
export const SmoothL1Loss = defineLayer<[], [], LossValues & { beta: number }, Pair, Tensor>({
  name: "SmoothL1Loss",
  module: "loss",
  defaults: { reduction: "mean", beta: 1 },
  forward: ({ reduction, beta }, input, target) => F.smoothL1Loss(input, target, { reduction, beta }),
  text: noText,
});

/** Squares of small differences, `delta` times absolute values of others (`torch.nn.HuberLoss`). */
export const HuberLoss = defineLayer<
  [],
  [reduction: Reduction, delta: number],
  LossValues & { delta: number },
  Pair,
  Tensor
>({
  name: "HuberLoss",
  module: "loss",
  defaults: { reduction: "mean", delta: 1 },
  forward: ({ reduction, delta }, input, target) => F.huberLoss(input, target, { reduction, delta }),
  text: noText,
});

interface MarginValues extends LossValues {
  margin: number;
}

/**
 * Distances of pairs that are alike, or margins of those that are not
 * (`torch.nn.HingeEmbeddingLoss`).
 */
export const HingeEmbeddingLoss = defineLayer<[], [margin: number], MarginValues, Pair, Tensor>({
  name: "HingeEmbeddingLoss",
  module: "loss",
  defaults: { margin: float(1), reduction: "mean" },
  forward: ({ margin, reduction }, input, target) =>
    F.hingeEmbeddingLoss(input, target, { margin, reduction }),
  text: noText,
});

type TwoInputs = [input1: Tensor, input2: Tensor, target: Tensor];

/** How far inputs are from the order of the targets (`torch.nn.MarginRankingLoss`). */
export const MarginRankingLoss = defineLayer<[], [margin: number], MarginValues, TwoInputs, Tensor>({
  name: "MarginRankingLoss",
  module: "loss",
  defaults: { margin: float(0), reduction: "mean" },
  forward: ({ margin, reduction }, input1, input2, target) =>
    F.marginRankingLoss(input1, input2, target, { margin, reduction }),
  text: noText,
});

/**
 * Cosines of pairs that are alike, or margins of those that are not
 * (`torch.nn.CosineEmbeddingLoss`).
 */
export const CosineEmbeddingLoss = defineLayer<[], [margin: number], MarginValues, TwoInputs, Tensor>({
  name: "CosineEmbeddingLoss",
  module: "loss",
  defaults: { margin: float(0), reduction: "mean" },
  forward: ({ margin, reduction }, input1, input2, target) =>
    F.cosineEmbeddingLoss(input1, input2, target, { margin, reduction }),
  text: noText,
});

/** The margins of the target over other classes (`torch.nn.MultiMarginLoss`). */
export const MultiMarginLoss = defineLayer<
  [],
  [p: number, margin: number, weight: Tensor | null],
  WeightedValues & { p: number; margin: number },
  Pair,
  Tensor
>({
  name: "MultiMarginLoss",
  module: "loss",
  defaults: { p: 1, margin: float(1), weight: null, reduction: "mean" },
  buffers: ["weight"],
  check: ({ p, weight }) => {
    if (p !== 1 && p !== 2)
      throw badSettings("MultiMarginLoss", "only p == 1 and p == 2 supported", "use 1 or 2");
    if (weight !== null && weight.ndim !== 1)
      throw badSettings(
        "MultiMarginLoss",
        `MultiMarginLoss: expected weight to be None or 1D tensor, got ${weight.ndim}D instead`,
        "give one weight for each class",
      );
  },
  forward: ({ p, margin, weight, reduction }, input, target) =>
    F.multiMarginLoss(input, target, { p, margin, weight, reduction }),
  text: noText,
});

/** The cross entropy of several labels (`torch.nn.MultiLabelSoftMarginLoss`). */
export const MultiLabelSoftMarginLoss = defineLayer<
  [],
  [weight: Tensor | null],
  WeightedValues,
  Pair,
  Tensor
>({
  name: "MultiLabelSoftMarginLoss",
  module: "loss",
  defaults: { weight: null, reduction: "mean" },
  buffers: ["weight"],
  forward: ({ weight, reduction }, input, target) =>
    F.multilabelSoftMarginLoss(input, target, { weight, reduction }),
  text: noText,
});

interface PoissonValues extends LossValues {
  logInput: boolean;
  full: boolean;
  eps: number;
}

/** The negated log likelihood of Poisson's distribution (`torch.nn.PoissonNLLLoss`). */
export const PoissonNLLLoss = defineLayer<
  [],
  [logInput: boolean, full: boolean],
  PoissonValues,
  Pair,
  Tensor
>({
  name: "PoissonNLLLoss",
  module: "loss",
  defaults: { logInput: true, full: false, eps: 1e-8, reduction: "mean" },
  forward: ({ logInput, full, eps, reduction }, log_input, target) =>
    F.poissonNllLoss(log_input, target, { logInput, full, eps, reduction }),
  text: noText,
});

/** The negated log likelihood of normal distributions (`torch.nn.GaussianNLLLoss`). */
export const GaussianNLLLoss = defineLayer<
  [],
  [],
  LossValues & { full: boolean; eps: number },
  [input: Tensor, target: Tensor, variance: Tensor | number],
  Tensor
>({
  name: "GaussianNLLLoss",
  module: "loss",
  defaults: { full: false, eps: 1e-6, reduction: "mean" },
  forward: ({ full, eps, reduction }, input, target, variance) =>
    F.gaussianNllLoss(input, target, variance, { full, eps, reduction }),
  text: noText,
});

type Triple = [anchor: Tensor, positive: Tensor, negative: Tensor];

interface TripletValues extends MarginValues {
  p: number;
  eps: number;
  swap: boolean;
}

/** How much nearer the positive is than the negative (`torch.nn.TripletMarginLoss`). */
export const TripletMarginLoss = defineLayer<
  [],
  [margin: number, p: number, eps: number, swap: boolean],
  TripletValues,
  Triple,
  Tensor
>({
  name: "TripletMarginLoss",
  module: "loss",
  defaults: { margin: float(1), p: float(2), eps: 1e-6, swap: false, reduction: "mean" },
  check: ({ margin }) => positiveMargin("TripletMarginLoss", margin),
  forward: ({ margin, p, eps, swap, reduction }, anchor, positive, negative) =>
    F.tripletMarginLoss(anchor, positive, negative, { margin, p, eps, swap, reduction }),
  text: noText,
});

interface CTCValues extends LossValues {
  blank: number;
  zeroInfinity: boolean;
}

type Lengths = Tensor | readonly number[];

/** The connectionist temporal classification loss (`torch.nn.CTCLoss`). */
export const CTCLoss = defineLayer<
  [],
  [blank: number, reduction: Reduction, zeroInfinity: boolean],
  CTCValues,
  [logProbs: Tensor, targets: Tensor, inputLengths: Lengths, targetLengths: Lengths],
  Tensor
>({
  name: "CTCLoss",
  module: "loss",
  defaults: { blank: 0, reduction: "mean", zeroInfinity: false },
  forward: ({ blank, reduction, zeroInfinity }, logProbs, targets, inputLengths, targetLengths) =>
    F.ctcLoss(
      logProbs,
      targets,
      inputLengths as Tensor,
      targetLengths as Tensor,
      blank,
      reduction,
      zeroInfinity,
    ),
  text: noText,
});

/** A layer of {@link L1Loss}. */
export type L1Loss = InstanceType<typeof L1Loss>;
/** A layer of {@link MSELoss}. */
export type MSELoss = InstanceType<typeof MSELoss>;
/** A layer of {@link MultiLabelMarginLoss}. */
export type MultiLabelMarginLoss = InstanceType<typeof MultiLabelMarginLoss>;
/** A layer of {@link SoftMarginLoss}. */
export type SoftMarginLoss = InstanceType<typeof SoftMarginLoss>;
/** A layer of {@link NLLLoss}. */
export type NLLLoss = InstanceType<typeof NLLLoss>;
/** A layer of {@link CrossEntropyLoss}. */
export type CrossEntropyLoss = InstanceType<typeof CrossEntropyLoss>;
/** A layer of {@link BCELoss}. */
export type BCELoss = InstanceType<typeof BCELoss>;
/** A layer of {@link BCEWithLogitsLoss}. */
export type BCEWithLogitsLoss = InstanceType<typeof BCEWithLogitsLoss>;
/** A layer of {@link KLDivLoss}. */
export type KLDivLoss = InstanceType<typeof KLDivLoss>;
/** A layer of {@link SmoothL1Loss}. */
export type SmoothL1Loss = InstanceType<typeof SmoothL1Loss>;
/** A layer of {@link HuberLoss}. */
export type HuberLoss = InstanceType<typeof HuberLoss>;
/** A layer of {@link HingeEmbeddingLoss}. */
export type HingeEmbeddingLoss = InstanceType<typeof HingeEmbeddingLoss>;
/** A layer of {@link MarginRankingLoss}. */
export type MarginRankingLoss = InstanceType<typeof MarginRankingLoss>;
/** A layer of {@link CosineEmbeddingLoss}. */
export type CosineEmbeddingLoss = InstanceType<typeof CosineEmbeddingLoss>;
/** A layer of {@link MultiMarginLoss}. */
export type MultiMarginLoss = InstanceType<typeof MultiMarginLoss>;
/** A layer of {@link MultiLabelSoftMarginLoss}. */
export type MultiLabelSoftMarginLoss = InstanceType<typeof MultiLabelSoftMarginLoss>;
/** A layer of {@link PoissonNLLLoss}. */
export type PoissonNLLLoss = InstanceType<typeof PoissonNLLLoss>;
/** A layer of {@link GaussianNLLLoss}. */
export type GaussianNLLLoss = InstanceType<typeof GaussianNLLLoss>;
/** A layer of {@link TripletMarginLoss}. */
export type TripletMarginLoss = InstanceType<typeof TripletMarginLoss>;
/** A layer of {@link CTCLoss}. */
export type CTCLoss = InstanceType<typeof CTCLoss>;
