/** @file What distributions with a location and a scale share. */
import type { Tensor } from "@sconce/tensor";
import { type Constraint, positive, real } from "./constraints.js";
import {
  batchOf,
  broadcastAll,
  Distribution,
  type DistributionOptions,
  type Parameter,
} from "./distribution.js";

/** A distribution of real numbers around a mean. */
export abstract class LocationScale extends Distribution {
  /** The mean. */
  readonly loc: Tensor;
  /** The scale, which is positive. */
  readonly scale: Tensor;

  /** @throws SconceError `TORCH_ARGUMENT`, `TRACED_VALUES` where arguments are checked */
  constructor(loc: Parameter, scale: Parameter, options: DistributionOptions = {}) {
    const [mean, spread] = broadcastAll(loc, scale) as [Tensor, Tensor];
    super({
      batchShape: batchOf([loc, scale], mean),
      options,
      parameters: { loc: [mean, real], scale: [spread, positive] },
    });
    this.loc = mean;
    this.scale = spread;
  }

  protected get support(): Constraint {
    return real;
  }

  get mean(): Tensor {
    return this.loc;
  }

  override get mode(): Tensor {
    return this.loc;
  }
}
