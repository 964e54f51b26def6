/** @file Losses that hold modules. */
import { float } from "@sconce/ir";
import type { DType, Tensor } from "@sconce/tensor";
import type { Device } from "../../functions/argument-types.js";
import { callOperator } from "../../trace/dispatch.js";
import { badSettings } from "../errors.js";
import { functional as F } from "../functional.js";
import { Module } from "../module.js";
import { pythonText, settingsOf, tupleText } from "../settings.js";
import { PLACE } from "../state-place.js";
import { Linear } from "./linear.js";
import type { Reduction } from "./loss.js";
import { PairwiseDistance } from "./reshape.js";

/** The margin where none is given, a float in Python. */
const MARGIN = 1;

type Distance = (a: Tensor, b: Tensor) => Tensor;

/** Settings of {@link TripletMarginWithDistanceLoss}. */
export interface TripletDistanceOptions {
  /** The distance of two tensors, a function or a module. @defaultValue `PairwiseDistance` */
  readonly distanceFunction?: Distance | null;
  /** How much farther the negative shall be. @defaultValue 1 */
  readonly margin?: number;
  /** Whether the distance of positive and negative counts, too. @defaultValue false */
  readonly swap?: boolean;
  /** How the losses of elements become a result. @defaultValue `mean` */
  readonly reduction?: Reduction;
}

/** How much nearer the positive is than the negative (`torch.nn.TripletMarginWithDistanceLoss`). */
export class TripletMarginWithDistanceLoss extends Module {
  static override readonly torchClass: string = "torch.nn.modules.loss.TripletMarginWithDistanceLoss";

  /** The distance of two tensors. */
  readonly distance_function: Distance;
  private readonly settings: Required<TripletDistanceOptions>;

  constructor(options: TripletDistanceOptions = {}) {
    super();
    this.settings = settingsOf<Required<TripletDistanceOptions>>("TripletMarginWithDistanceLoss", [options], {
      distanceFunction: null,
      margin: MARGIN,
      swap: false,
      reduction: "mean",
    });
    const { margin, distanceFunction } = this.settings;
    if (!(margin > 0))
      throw badSettings(
        "TripletMarginWithDistanceLoss",
        `TripletMarginWithDistanceLoss: expected margin to be greater than 0, got ${margin} instead`,
        "give a positive margin",
      );
    this.distance_function = distanceFunction ?? new PairwiseDistance();
  }

  override forward(anchor: Tensor, positive: Tensor, negative: Tensor): Tensor {
    const { margin, swap, reduction } = this.settings;
    const distanceFunction = this.distance_function;
    return F.tripletMarginWithDistanceLoss(anchor, positive, negative, {
      distanceFunction,
      margin: margin === MARGIN ? float(margin) : margin,
      swap,
      reduction,
    });
  }
}

/** Settings of {@link LinearCrossEntropyLoss}. */
export interface LinearCrossEntropyOptions {
  /** Sizes behind the classes: several predictions for one input. @defaultValue none */
  readonly outFeatures?: readonly number[];
  /** Whether the linear map adds a bias. @defaultValue false */
  readonly bias?: boolean;
  /** The device of the parameters: "meta" for shapes without values. @defaultValue the CPU */
  readonly device?: Device | null;
  /** The dtype of the parameters. @defaultValue `float32` */
  readonly dtype?: DType;
  /** How the losses of elements become a result. @defaultValue `mean` */
  readonly reduction?: Reduction;
  /** A weight for each class. @defaultValue none */
  readonly weight?: Tensor | null;
  /** A target that does not count. @defaultValue -100 */
  readonly ignoreIndex?: number | null;
  /** How much of each target is spread over all classes. @defaultValue 0 */
  readonly labelSmoothing?: number;
}

/** A linear map and the cross entropy of its result (`torch.nn.LinearCrossEntropyLoss`). */
export class LinearCrossEntropyLoss extends Module {
  static override readonly torchClass: string = "torch.nn.modules.loss.LinearCrossEntropyLoss";

  /** A weight for each class. */
  weight: Tensor | null = null;
  /** How many classes there are. */
  readonly numClasses: number;
  /** The linear map. */
  readonly linear: Linear;
  private readonly settings: Required<LinearCrossEntropyOptions>;

  constructor(inFeatures: number, numClasses: number, options: LinearCrossEntropyOptions = {}) {
    super();
    this.settings = settingsOf<Required<LinearCrossEntropyOptions>>("LinearCrossEntropyLoss", [options], {
      outFeatures: [],
      bias: false,
      ...PLACE,
      reduction: "mean",
      weight: null,
      ignoreIndex: null,
      labelSmoothing: 0,
    });
    const { outFeatures, bias, device, dtype, weight } = this.settings;
    this.registerBuffer("weight", weight);
    this.numClasses = numClasses;
    const rows = outFeatures.reduce((count, size) => count * size, numClasses);
    this.linear = new Linear(inFeatures, rows, { bias, device, dtype });
  }

  override forward(input: Tensor, target: Tensor): Tensor {
    const { outFeatures, reduction, ignoreIndex, labelSmoothing } = this.settings;
    const { weight, bias, inFeatures } = this.linear;
    const reshape = (x: Tensor, shape: number[]): Tensor =>
      callOperator("aten.reshape.default", [x, shape]) as Tensor;
    const linearWeight = reshape(weight, [this.numClasses, ...outFeatures, inFeatures]);
    const linearBias = bias === null ? null : reshape(bias, [this.numClasses, ...outFeatures]);
    return F.linearCrossEntropy(input, linearWeight, target, {
      linearBias,
      weight: this.weight,
      reduction,
      ignoreIndex: ignoreIndex ?? -100,
      labelSmoothing,
    });
  }

  override extraRepr(): string {
    const { outFeatures, reduction, ignoreIndex, labelSmoothing } = this.settings;
    const { inFeatures, bias } = this.linear;
    const smoothing = Number.isInteger(labelSmoothing) ? `${labelSmoothing}.0` : labelSmoothing;
    return `in_features=${inFeatures}, num_classes=${this.numClasses}, out_features=${tupleText(outFeatures)}, bias=${pythonText(bias !== null)}, reduction=${reduction}, ignore_index=${pythonText(ignoreIndex)}, label_smoothing=${smoothing}, options=None`;
  }
}
