import type { Tensor } from "@sconce/tensor";
import { torch } from "../functions/torch.js";
import type { Size } from "../trace/sym-int.js";
import { between, type Constraint, greaterThan, lessThan } from "./constraints.js";
import {
  batchOf,
  broadcastAll,
  Distribution,
  type DistributionOptions,
  type Parameter,
} from "./distribution.js";

/** The uniform distribution from `low` to `high` (`torch.distributions.Uniform`). */
export class Uniform extends Distribution {
  /** The least value. */
  readonly low: Tensor;
  /** The bound above the values. */
  readonly high: Tensor;

  /** @throws SconceError `TORCH_ARGUMENT`, `TRACED_VALUES` where arguments are checked */
  constructor(low: Parameter, high: Parameter, options: DistributionOptions = {}) {
    const [least, bound] = broadcastAll(low, high) as [Tensor, Tensor];
    super({
      batchShape: batchOf([low, high], least),
      options,
      parameters: { low: [least, lessThan(bound)], high: [bound, greaterThan(least)] },
    });
    this.low = least;
    this.high = bound;
  }

  protected get support(): Constraint {
    return between(this.low, this.high);
  }

  get mean(): Tensor {
    return this.high.add(this.low).div(2);
  }

  override get mode(): Tensor {
    return this.high.mul(Number.NaN);
  }

  override get stddev(): Tensor {
    return this.high.sub(this.low).div(Math.sqrt(12));
  }

  get variance(): Tensor {
    return this.high.sub(this.low).pow(2).div(12);
  }

  override rsample(shape: readonly Size[] = []): Tensor {
    const { dtype } = this.low;
    const drawn = torch.rand(this.extendedShape(shape), { dtype, device: "cpu" });
    return this.low.add(drawn.mul(this.high.sub(this.low)));
  }

  logProb(value: Tensor): Tensor {
    this.validateSample(value);
    const above = this.low.le(value).typeAs(this.low);
    const below = this.high.gt(value).typeAs(this.low);
    return above.mul(below).log().sub(this.high.sub(this.low).log());
  }

  override cdf(value: Tensor): Tensor {
    this.validateSample(value);
    return value.sub(this.low).div(this.high.sub(this.low)).clamp({ min: 0, max: 1 });
  }

  override icdf(value: Tensor): Tensor {
    return value.mul(this.high.sub(this.low)).add(this.low);
  }

  entropy(): Tensor {
    return this.high.sub(this.low).log();
  }
}
