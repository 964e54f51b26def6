/** @file Normalization over the batch, and over each instance. */
import type { DType, Tensor } from "@sconce/tensor";
import type { Device } from "../../functions/argument-types.js";
import { callOperator } from "../../trace/dispatch.js";
import { badSettings } from "../errors.js";
import { functional as F } from "../functional.js";
import { ones_ } from "../init.js";
import { Module } from "../module.js";
import { pythonText, type Settings, settingsOf } from "../settings.js";
import { emptyState, PLACE } from "../state-place.js";
import { Parameter } from "../tensors.js";

/** Settings of batch and instance normalization. */
export interface NormOptions {
  /** Added to the variance. */
  readonly eps?: number;
  /** The weight of a new batch in the running statistics; null for the mean of all. */
  readonly momentum?: number | null;
  /** Whether the result is scaled and shifted by parameters. */
  readonly affine?: boolean;
  /** Whether statistics are kept for evaluation. */
  readonly trackRunningStats?: boolean;
  /** Whether the result is shifted where it is scaled. @defaultValue true */
  readonly bias?: boolean;
  /** The dtype of the parameters. */
  readonly dtype?: DType;
  /** The device of the parameters: "meta" for shapes without values. @defaultValue the CPU */
  readonly device?: Device | null;
}

/** Positional settings, in PyTorch's order. */
type NormPositions = [eps: number, momentum: number | null, affine: boolean, trackRunningStats: boolean];

type NormDefaults = Required<NormOptions>;

export const BATCH: NormDefaults = {
  eps: 1e-5,
  momentum: 0.1,
  affine: true,
  trackRunningStats: true,
  bias: true,
  ...PLACE,
};
const INSTANCE: NormDefaults = { ...BATCH, affine: false, trackRunningStats: false };

/** What batch and instance normalization share. */
abstract class NormBase extends Module {
  /** Channels of the input. */
  readonly numFeatures: number;
  /** Added to the variance. */
  readonly eps: number;
  /** The weight of a new batch in the running statistics; null for the mean of all. */
  readonly momentum: number | null;
  /** Whether the result is scaled and shifted by parameters. */
  readonly affine: boolean;
  /** Whether statistics are kept for evaluation. */
  readonly trackRunningStats: boolean;
  /** Scale, `[numFeatures]`. */
  weight: Tensor | null = null;
  /** Shift, `[numFeatures]`. */
  bias: Tensor | null = null;
  // State has the names of PyTorch's state dicts.
  /** Mean of past batches, `[numFeatures]`. */
  running_mean: Tensor | null = null;
  /** Variance of past batches, `[numFeatures]`. */
  running_var: Tensor | null = null;
  /** How many batches the statistics have seen, int64 `[]`. */
  num_batches_tracked: Tensor | null = null;

  protected constructor(numFeatures: number, settings: NormDefaults) {
    super();
    const { affine, trackRunningStats } = settings;
    const vector = (): Tensor => emptyState([numFeatures], settings);
    this.numFeatures = numFeatures;
    this.eps = settings.eps;
    this.momentum = settings.momentum;
    this.affine = affine;
    this.trackRunningStats = trackRunningStats;
    this.registerParameter("weight", affine ? new Parameter(ones_(vector())) : null);
    this.registerParameter("bias", affine && settings.bias ? new Parameter(vector()) : null);
    this.registerBuffer("running_mean", trackRunningStats ? vector() : null);
    this.registerBuffer("running_var", trackRunningStats ? ones_(vector()) : null);
    this.registerBuffer(
      "num_batches_tracked",
      trackRunningStats ? emptyState([], { ...settings, dtype: "int64" }) : null,
    );
  }

  override extraRepr(): string {
    const { numFeatures, eps, momentum, affine, trackRunningStats } = this;
    return `${numFeatures}, eps=${pythonText(eps)}, momentum=${pythonText(momentum)}, affine=${pythonText(affine)}, bias=${pythonText(this.bias !== null)}, track_running_stats=${pythonText(trackRunningStats)}`;
  }
}

type NormArguments = [numFeatures: number, ...rest: Settings<NormPositions, NormOptions>];

/** What the batch normalizations share. */
abstract class BatchNorm extends NormBase {
  protected constructor(layer: string, [numFeatures, ...rest]: NormArguments) {
    super(numFeatures, settingsOf(layer, rest, BATCH));
  }

  /** Refuses an input of another rank. */
  protected abstract checkInput(input: Tensor): void;

  override forward(input: Tensor): Tensor {
    this.checkInput(input);
    const { training, momentum, trackRunningStats } = this;
    let factor = momentum ?? 0;
    if (training && trackRunningStats && this.num_batches_tracked !== null) {
      callOperator("aten.add_.Tensor", [this.num_batches_tracked, 1]);
      if (momentum === null) factor = 1 / Number(this.num_batches_tracked.toArray()[0]);
    }
    // Read in PyTorch's order: in strict mode it is that of the inputs.
    const { running_mean: mean, running_var: variance } = this;
    const ofBatch = training || (mean === null && variance === null);
    const keeps = !training || trackRunningStats;
    return F.batchNorm(
      input,
      keeps ? mean : null,
      keeps ? variance : null,
      this.weight,
      this.bias,
      ofBatch,
      factor,
      this.eps,
    );
  }
}

function requireRank(layer: string, input: Tensor, ...ranks: number[]): void {
  if (ranks.includes(input.ndim)) return;
  const wanted = ranks.map((rank) => `${rank}D`).join(" or ");
  throw badSettings(
    layer,
    `expected ${wanted} input (got ${input.ndim}D input)`,
    `give ${layer} an input of ${wanted}`,
  );
}

/** Normalizes `[batch, channels]` or `[batch, channels, length]` (`torch.nn.BatchNorm1d`). */
export class BatchNorm1d extends BatchNorm {
  static override readonly torchClass: string = "torch.nn.modules.batchnorm.BatchNorm1d";

  constructor(...args: NormArguments) {
    super("BatchNorm1d", args);
  }

  protected override checkInput(input: Tensor): void {
    requireRank("BatchNorm1d", input, 2, 3);
  }
}

/** Normalizes `[batch, channels, height, width]` (`torch.nn.BatchNorm2d`). */
export class BatchNorm2d extends BatchNorm {
  static override readonly torchClass: string = "torch.nn.modules.batchnorm.BatchNorm2d";

  constructor(...args: NormArguments) {
    super("BatchNorm2d", args);
  }

  protected override checkInput(input: Tensor): void {
    requireRank("BatchNorm2d", input, 4);
  }
}

/** Normalizes `[batch, channels, depth, height, width]` (`torch.nn.BatchNorm3d`). */
export class BatchNorm3d extends BatchNorm {
  static override readonly torchClass: string = "torch.nn.modules.batchnorm.BatchNorm3d";

  constructor(...args: NormArguments) {
    super("BatchNorm3d", args);
  }

  protected override checkInput(input: Tensor): void {
    requireRank("BatchNorm3d", input, 5);
  }
}

/** What the instance normalizations share. */
abstract class InstanceNorm extends NormBase {
  private readonly layer: string;
  private readonly rank: number;

  protected constructor(layer: string, rank: number, [numFeatures, ...rest]: NormArguments) {
    super(numFeatures, settingsOf(layer, rest, INSTANCE));
    this.layer = layer;
    this.rank = rank;
  }

  override forward(input: Tensor): Tensor {
    requireRank(this.layer, input, this.rank, this.rank + 1);
    const { running_mean: mean, running_var: variance, weight, bias, momentum, eps } = this;
    const normalize = (batch: Tensor): Tensor =>
      F.instanceNorm(
        batch,
        mean,
        variance,
        weight,
        bias,
        this.training || !this.trackRunningStats,
        momentum ?? 0,
        eps,
      );
    if (input.ndim !== this.rank) return normalize(input);
    const batch = callOperator("aten.unsqueeze.default", [input, 0]) as Tensor;
    return callOperator("aten.squeeze.dim", [normalize(batch), 0]) as Tensor;
  }
}

/** Normalizes each sequence of `[batch, channels, length]` (`torch.nn.InstanceNorm1d`). */
export class InstanceNorm1d extends InstanceNorm {
  static override readonly torchClass: string = "torch.nn.modules.instancenorm.InstanceNorm1d";

  constructor(...args: NormArguments) {
    super("InstanceNorm1d", 2, args);
  }
}

/** Normalizes each image of `[batch, channels, height, width]` (`torch.nn.InstanceNorm2d`). */
export class InstanceNorm2d extends InstanceNorm {
  static override readonly torchClass: string = "torch.nn.modules.instancenorm.InstanceNorm2d";

  constructor(...args: NormArguments) {
    super("InstanceNorm2d", 3, args);
  }
}

/**
 * Normalizes each volume of `[batch, channels, depth, height, width]` (`torch.nn.InstanceNorm3d`).
 */
export class InstanceNorm3d extends InstanceNorm {
  static override readonly torchClass: string = "torch.nn.modules.instancenorm.InstanceNorm3d";

  constructor(...args: NormArguments) {
    super("InstanceNorm3d", 4, args);
  }
}
