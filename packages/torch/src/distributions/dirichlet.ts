import { float } from "@sconce/ir";
import { Tensor } from "@sconce/tensor";
import { torch } from "../functions/torch.js";
import { functional as F } from "../nn/functional.js";
import type { Size } from "../trace/sym-int.js";
import { type Constraint, ofVectors, positive, simplex, unitInterval } from "./constraints.js";
import { broadcastAll, Distribution, type DistributionOptions, type Parameter } from "./distribution.js";
import { badArgument } from "./errors.js";
import { oneMinus } from "./helpers.js";

/** The Dirichlet distribution over the last dimension (`torch.distributions.Dirichlet`). */
export class Dirichlet extends Distribution {
  /** The parameter of each part, alpha. */
  readonly concentration: Tensor;

  /** @throws SconceError `TORCH_ARGUMENT`, `TRACED_VALUES` where arguments are checked */
  constructor(concentration: Tensor, options: DistributionOptions = {}) {
    if (concentration.ndim < 1)
      throw badArgument("Dirichlet", "`concentration` parameter must be at least one-dimensional.");
    const size = concentration.size();
    super({
      batchShape: size.slice(0, -1),
      eventShape: size.slice(-1),
      options,
      parameters: { concentration: [concentration, ofVectors(positive)] },
    });
    this.concentration = concentration;
  }

  protected get support(): Constraint {
    return simplex;
  }

  get mean(): Tensor {
    return this.concentration.div(this.concentration.sum(-1, true));
  }

  override get mode(): Tensor {
    const above = this.concentration.sub(1).clamp({ min: float(0) });
    const mode = above.div(above.sum(-1, true));
    const isCorner = this.concentration.lt(1).all(-1);
    const corner = F.oneHot(mode.at(isCorner).argmax(-1), Number(mode.size(-1))).to(mode);
    mode.setAt([isCorner], corner);
    return mode;
  }

  get variance(): Tensor {
    const total = this.concentration.sum(-1, true);
    return this.concentration.mul(total.sub(this.concentration)).div(total.pow(2).mul(total.add(1)));
  }

  override rsample(shape: readonly Size[] = []): Tensor {
    return torch.ops.aten._sample_dirichlet.default(this.concentration.expand(this.extendedShape(shape)));
  }

  logProb(value: Tensor): Tensor {
    this.validateSample(value);
    return torch
      .xlogy(this.concentration.sub(float(1)), value)
      .sum(-1)
      .add(torch.lgamma(this.concentration.sum(-1)))
      .sub(torch.lgamma(this.concentration).sum(-1));
  }

  entropy(): Tensor {
    const { concentration } = this;
    const parts = concentration.size(-1);
    const total = concentration.sum(-1);
    const first = torch.lgamma(concentration).sum(-1).sub(torch.lgamma(total));
    const rest = torch.rsub(total, parts as number).mul(torch.digamma(total));
    return first.sub(rest).sub(concentration.sub(float(1)).mul(torch.digamma(concentration)).sum(-1));
  }
}

/** The beta distribution (`torch.distributions.Beta`). */
export class Beta extends Distribution {
  readonly #dirichlet: Dirichlet;

  /** @throws SconceError `TORCH_ARGUMENT`, `TRACED_VALUES` where arguments are checked */
  constructor(concentration1: Parameter, concentration0: Parameter, options: DistributionOptions = {}) {
    const dirichlet = new Dirichlet(stacked(concentration1, concentration0), options);
    super({ batchShape: dirichlet.batchShape, options });
    this.#dirichlet = dirichlet;
  }

  protected get support(): Constraint {
    return unitInterval;
  }

  /** The first parameter, alpha. */
  get concentration1(): Tensor {
    return this.#dirichlet.concentration.at("...", 0);
  }

  /** The second parameter, beta. */
  get concentration0(): Tensor {
    return this.#dirichlet.concentration.at("...", 1);
  }

  get mean(): Tensor {
    return this.concentration1.div(this.concentration1.add(this.concentration0));
  }

  override get mode(): Tensor {
    return this.#dirichlet.mode.at("...", 0);
  }

  get variance(): Tensor {
    const total = this.concentration1.add(this.concentration0);
    return this.concentration1.mul(this.concentration0).div(total.pow(2).mul(total.add(1)));
  }

  override rsample(shape: readonly Size[] = []): Tensor {
    return this.#dirichlet.rsample(shape).select(-1, 0);
  }

  logProb(value: Tensor): Tensor {
    this.validateSample(value);
    return this.#dirichlet.logProb(torch.stack([value, oneMinus(value)], -1));
  }

  entropy(): Tensor {
    return this.#dirichlet.entropy();
  }
}

function stacked(first: Parameter, second: Parameter): Tensor {
  if (first instanceof Tensor || second instanceof Tensor)
    return torch.stack(broadcastAll(first, second), -1);
  return torch.tensor([float(first), float(second)]);
}
