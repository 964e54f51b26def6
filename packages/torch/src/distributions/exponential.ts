import { float } from "@sconce/ir";
import type { Tensor } from "@sconce/tensor";
import { torch } from "../functions/torch.js";
import type { Size } from "../trace/sym-int.js";
import { type Constraint, nonnegative, positive } from "./constraints.js";
import {
  batchOf,
  broadcastAll,
  Distribution,
  type DistributionOptions,
  type Parameter,
} from "./distribution.js";
import { emptyLike, oneMinus } from "./helpers.js";

/** The exponential distribution (`torch.distributions.Exponential`). */
export class Exponential extends Distribution {
  /** The rate: 1 / mean. */
  readonly rate: Tensor;

  /** @throws SconceError `TORCH_ARGUMENT`, `TRACED_VALUES` where arguments are checked */
  constructor(rate: Parameter, options: DistributionOptions = {}) {
    const [own] = broadcastAll(rate) as [Tensor];
    super({ batchShape: batchOf([rate], own), options, parameters: { rate: [own, positive] } });
    this.rate = own;
  }

  protected get support(): Constraint {
    return nonnegative;
  }

  get mean(): Tensor {
    return this.rate.reciprocal();
  }

  override get mode(): Tensor {
    return torch.zerosLike(this.rate);
  }

  override get stddev(): Tensor {
    return this.rate.reciprocal();
  }

  get variance(): Tensor {
    return this.rate.pow(-2);
  }

  override rsample(shape: readonly Size[] = []): Tensor {
    return emptyLike(this.rate, this.extendedShape(shape)).exponential_().div(this.rate);
  }

  logProb(value: Tensor): Tensor {
    this.validateSample(value);
    return this.rate.log().sub(this.rate.mul(value));
  }

  override cdf(value: Tensor): Tensor {
    this.validateSample(value);
    return torch.rsub(this.rate.neg().mul(value).exp(), 1);
  }

  override icdf(value: Tensor): Tensor {
    return torch.log1p(value.neg()).neg().div(this.rate);
  }

  entropy(): Tensor {
    return oneMinus(this.rate.log());
  }
}

/** The gamma distribution (`torch.distributions.Gamma`). */
export class Gamma extends Distribution {
  /** The shape parameter, alpha. */
  readonly concentration: Tensor;
  /** The rate, beta: 1 / scale. */
  readonly rate: Tensor;

  /** @throws SconceError `TORCH_ARGUMENT`, `TRACED_VALUES` where arguments are checked */
  constructor(concentration: Parameter, rate: Parameter, options: DistributionOptions = {}) {
    const [alpha, beta] = broadcastAll(concentration, rate) as [Tensor, Tensor];
    super({
      batchShape: batchOf([concentration, rate], alpha),
      options,
      parameters: { concentration: [alpha, positive], rate: [beta, positive] },
    });
    this.concentration = alpha;
    this.rate = beta;
  }

  protected get support(): Constraint {
    return nonnegative;
  }

  get mean(): Tensor {
    return this.concentration.div(this.rate);
  }

  override get mode(): Tensor {
    return this.concentration.sub(1).div(this.rate).clamp({ min: 0 });
  }

  get variance(): Tensor {
    return this.concentration.div(this.rate.pow(2));
  }

  override rsample(shape: readonly Size[] = []): Tensor {
    const extended = this.extendedShape(shape);
    const drawn = torch.ops.aten._standard_gamma.default(this.concentration.expand(extended));
    const value = drawn.div(this.rate.expand(extended));
    value.detach().clamp_({ min: torch.finfo(value.dtype).tiny });
    return value;
  }

  logProb(given: Tensor): Tensor {
    const value = torch.ops.aten.to.device(given, "cpu", this.rate.dtype);
    this.validateSample(value);
    return torch
      .xlogy(this.concentration, this.rate)
      .add(torch.xlogy(this.concentration.sub(1), value))
      .sub(this.rate.mul(value))
      .sub(torch.lgamma(this.concentration));
  }

  override cdf(value: Tensor): Tensor {
    this.validateSample(value);
    return torch.special.gammainc(this.concentration, this.rate.mul(value));
  }

  entropy(): Tensor {
    const { concentration } = this;
    return concentration
      .sub(this.rate.log())
      .add(torch.lgamma(concentration))
      .add(torch.rsub(concentration, float(1)).mul(torch.digamma(concentration)));
  }
}
