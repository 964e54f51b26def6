import type { Tensor } from "@sconce/tensor";
import { torch } from "../functions/torch.js";
import { functional as F } from "../nn/functional.js";
import { noGrad } from "../trace/grad-mode.js";
import type { Size } from "../trace/sym-int.js";
import { boolean, type Constraint, real, unitInterval } from "./constraints.js";
import {
  batchOf,
  broadcastAll,
  Distribution,
  type DistributionOptions,
  type Parameter,
} from "./distribution.js";
import { badArgument } from "./errors.js";
import { logitsToProbs, probsToLogits } from "./helpers.js";

/** The parameter of a distribution over few values: one of the two. */
export interface ProbsOrLogits<P> {
  /** Probabilities. */
  readonly probs?: P | undefined;
  /** Logarithms of odds. */
  readonly logits?: P | undefined;
}

/** Returns the one that is given. @throws SconceError `TORCH_ARGUMENT` for both or none */
export function onlyOne<P>(
  where: string,
  { probs, logits }: ProbsOrLogits<P>,
  options: DistributionOptions,
): P {
  // The parts of a tensor look like options.
  if ("storage" in options)
    throw badArgument(where, `the argument is a tensor: pass \`new ${where}({ probs })\` or \`{ logits }\``);
  const given = probs ?? logits;
  if (given === undefined || (probs === undefined) === (logits === undefined))
    throw badArgument(where, "Either `probs` or `logits` must be specified, but not both.");
  return given;
}

/** The distribution of 0 and 1 (`torch.distributions.Bernoulli`). */
export class Bernoulli extends Distribution {
  readonly #probs: Tensor | undefined;
  readonly #logits: Tensor | undefined;
  readonly #parameter: Tensor;

  /** @throws SconceError `TORCH_ARGUMENT`, `TRACED_VALUES` where arguments are checked */
  constructor({ probs, logits, ...options }: ProbsOrLogits<Parameter> & DistributionOptions = {}) {
    const given = onlyOne("Bernoulli", { probs, logits }, options);
    const [own] = broadcastAll(given) as [Tensor];
    const isProbs = probs !== undefined;
    super({
      batchShape: batchOf([given], own),
      options,
      parameters: isProbs ? { probs: [own, unitInterval] } : { logits: [own, real] },
    });
    this.#parameter = own;
    this.#probs = isProbs ? own : undefined;
    this.#logits = isProbs ? undefined : own;
  }

  protected get support(): Constraint {
    return boolean;
  }

  /** The logarithm of the odds of 1. */
  get logits(): Tensor {
    return this.#logits ?? this.lazily("logits", () => probsToLogits(this.probs, true));
  }

  /** The probability of 1. */
  get probs(): Tensor {
    return this.#probs ?? this.lazily("probs", () => logitsToProbs(this.logits, true));
  }

  get mean(): Tensor {
    return this.probs;
  }

  override get mode(): Tensor {
    const mode = this.probs.ge(0.5).to(this.probs);
    mode.setAt([this.probs.eq(0.5)], Number.NaN);
    return mode;
  }

  get variance(): Tensor {
    return this.probs.mul(torch.rsub(this.probs, 1));
  }

  override sample(shape: readonly Size[] = []): Tensor {
    const extended = this.extendedShape(shape);
    return noGrad(() => torch.bernoulli(this.probs.expand(extended)));
  }

  logProb(value: Tensor): Tensor {
    this.validateSample(value);
    const [logits, target] = broadcastAll(this.logits, value) as [Tensor, Tensor];
    return F.binaryCrossEntropyWithLogits(logits, target, { reduction: "none" }).neg();
  }

  entropy(): Tensor {
    return F.binaryCrossEntropyWithLogits(this.logits, this.probs, { reduction: "none" });
  }

  override enumerateSupport(expand = true): Tensor {
    const values = torch.arange(2, { dtype: this.#parameter.dtype, device: "cpu" });
    return enumerated(values, this.batchShape, expand);
  }
}

/** Values along a new first dimension, for all distributions. */
export function enumerated(values: Tensor, batch: readonly Size[], expand: boolean): Tensor {
  const columns = values.view([-1, ...batch.map(() => 1)]);
  return expand ? columns.expand([-1, ...batch]) : columns;
}
