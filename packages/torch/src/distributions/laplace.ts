import type { Tensor } from "@sconce/tensor";
import { torch } from "../functions/torch.js";
import type { Size } from "../trace/sym-int.js";
import { emptyLike } from "./helpers.js";
import { LocationScale } from "./location-scale.js";

/**
 * The Laplace distribution (`torch.distributions.Laplace`). `scale` is the standard deviation
 * divided by `sqrt(2)`.
 */
export class Laplace extends LocationScale {
  get variance(): Tensor {
    return this.scale.pow(2).mul(2);
  }

  override get stddev(): Tensor {
    return this.scale.mul(Math.SQRT2);
  }

  override rsample(shape: readonly Size[] = []): Tensor {
    const { eps } = torch.finfo(this.loc.dtype);
    const u = emptyLike(this.loc, this.extendedShape(shape)).uniform_(eps - 1, 1);
    return this.loc.sub(this.scale.mul(u.sign()).mul(torch.log1p(u.abs().neg())));
  }

  logProb(value: Tensor): Tensor {
    this.validateSample(value);
    const logScale = this.scale.mul(2).log().neg();
    return logScale.sub(value.sub(this.loc).abs().div(this.scale));
  }

  override cdf(value: Tensor): Tensor {
    this.validateSample(value);
    const sign = value.sub(this.loc).sign().mul(0.5);
    const tail = torch.expm1(value.sub(this.loc).abs().neg().div(this.scale));
    return torch.rsub(sign.mul(tail), 0.5);
  }

  override icdf(value: Tensor): Tensor {
    const term = value.sub(0.5);
    return this.loc.sub(this.scale.mul(term.sign()).mul(torch.log1p(term.abs().mul(-2))));
  }

  entropy(): Tensor {
    return this.scale.mul(2).log().add(1);
  }
}
