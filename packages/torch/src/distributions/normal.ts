import { float } from "@sconce/ir";
import type { Tensor } from "@sconce/tensor";
import { torch } from "../functions/torch.js";
import { noGrad } from "../trace/grad-mode.js";
import type { Size } from "../trace/sym-int.js";
import { standardNormal } from "./distribution.js";
import { LocationScale } from "./location-scale.js";

/** The normal distribution (`torch.distributions.Normal`). `scale` is the standard deviation. */
export class Normal extends LocationScale {
  override get stddev(): Tensor {
    return this.scale;
  }

  get variance(): Tensor {
    return this.stddev.pow(2);
  }

  override sample(shape: readonly Size[] = []): Tensor {
    const extended = this.extendedShape(shape);
    return noGrad(() => torch.normal(this.loc.expand(extended), this.scale.expand(extended)));
  }

  override rsample(shape: readonly Size[] = []): Tensor {
    const noise = standardNormal(this.extendedShape(shape), this.loc);
    return this.loc.add(noise.mul(this.scale));
  }

  logProb(value: Tensor): Tensor {
    this.validateSample(value);
    const variance = this.scale.pow(2);
    const logScale = this.scale.log();
    const squares = value.sub(this.loc).pow(2).neg();
    return squares
      .div(variance.mul(2))
      .sub(logScale)
      .sub(Math.log(Math.sqrt(2 * Math.PI)));
  }

  override cdf(value: Tensor): Tensor {
    this.validateSample(value);
    const scaled = value.sub(this.loc).mul(this.scale.reciprocal()).div(Math.SQRT2);
    return torch.erf(scaled).add(1).mul(0.5);
  }

  override icdf(value: Tensor): Tensor {
    return this.loc.add(this.scale.mul(torch.erfinv(value.mul(2).sub(1))).mul(Math.SQRT2));
  }

  entropy(): Tensor {
    return this.scale.log().add(float(0.5 + 0.5 * Math.log(2 * Math.PI)));
  }
}
