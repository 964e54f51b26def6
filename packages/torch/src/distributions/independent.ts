import type { Tensor } from "@sconce/tensor";
import type { Size } from "../trace/sym-int.js";
import { type Constraint, real } from "./constraints.js";
import { Distribution, type DistributionOptions, sumRightmost } from "./distribution.js";
import { badArgument, notImplemented } from "./errors.js";

/**
 * A distribution whose last batch dimensions are part of its values
 * (`torch.distributions.Independent`).
 */
export class Independent<D extends Distribution = Distribution> extends Distribution {
  /** The distribution of the parts. */
  readonly baseDist: D;
  /** How many batch dimensions are part of the values. */
  readonly reinterpretedBatchNdims: number;

  /** @throws SconceError `TORCH_ARGUMENT` for more dimensions than there are */
  constructor(base: D, reinterpretedBatchNdims: number, options: DistributionOptions = {}) {
    if (reinterpretedBatchNdims > base.batchShape.length)
      throw badArgument(
        "Independent",
        `Expected reinterpreted_batch_ndims <= len(base_distribution.batch_shape), actual ${reinterpretedBatchNdims} vs ${base.batchShape.length}`,
      );
    const shape = [...base.batchShape, ...base.eventShape];
    const end = base.batchShape.length - reinterpretedBatchNdims;
    super({ batchShape: shape.slice(0, end), eventShape: shape.slice(end), options });
    this.baseDist = base;
    this.reinterpretedBatchNdims = reinterpretedBatchNdims;
  }

  override toString(): string {
    return `Independent(${String(this.baseDist)}, ${this.reinterpretedBatchNdims})`;
  }

  protected get support(): Constraint {
    return real;
  }

  get mean(): Tensor {
    return this.baseDist.mean;
  }

  override get mode(): Tensor {
    return this.baseDist.mode;
  }

  get variance(): Tensor {
    return this.baseDist.variance;
  }

  override sample(shape: readonly Size[] = []): Tensor {
    return this.baseDist.sample(shape);
  }

  override rsample(shape: readonly Size[] = []): Tensor {
    return this.baseDist.rsample(shape);
  }

  logProb(value: Tensor): Tensor {
    return sumRightmost(this.baseDist.logProb(value), this.reinterpretedBatchNdims);
  }

  entropy(): Tensor {
    return sumRightmost(this.baseDist.entropy(), this.reinterpretedBatchNdims);
  }

  override enumerateSupport(expand = true): Tensor {
    if (this.reinterpretedBatchNdims > 0) throw notImplemented("Independent", "enumerate_support");
    return this.baseDist.enumerateSupport(expand);
  }
}
