import { Tensor } from "@sconce/tensor";
import { sym } from "../functions/sym.js";
import { torch } from "../functions/torch.js";
import type { Size } from "../trace/sym-int.js";
import { enumerated, onlyOne, type ProbsOrLogits } from "./bernoulli.js";
import { type Constraint, integersTo, ofVectors, real, simplex } from "./constraints.js";
import { Distribution, type DistributionOptions, requireShape } from "./distribution.js";
import { badArgument } from "./errors.js";
import { logitsToProbs, probsToLogits } from "./helpers.js";

/** The distribution of the integers below a number (`torch.distributions.Categorical`). */
export class Categorical extends Distribution {
  readonly #probs: Tensor | undefined;
  readonly #logits: Tensor | undefined;
  readonly #events: Size;

  /** @throws SconceError `TORCH_ARGUMENT`, `TRACED_VALUES` where arguments are checked */
  constructor({ probs, logits, ...options }: ProbsOrLogits<Tensor> & DistributionOptions = {}) {
    const given = onlyOne("Categorical", { probs, logits }, options);
    const isProbs = probs !== undefined;
    const name = isProbs ? "probs" : "logits";
    if (!(given instanceof Tensor) || given.ndim < 1)
      throw badArgument("Categorical", `\`${name}\` parameter must be at least one-dimensional.`);
    const own = isProbs
      ? given.div(given.sum(-1, { keepdim: true }))
      : given.sub(given.logsumexp(-1, { keepdim: true }));
    const size = own.size();
    super({
      batchShape: size.slice(0, -1),
      options,
      parameters: { [name]: [own, isProbs ? simplex : ofVectors(real)] },
    });
    this.#events = size.at(-1)!;
    this.#probs = isProbs ? own : undefined;
    this.#logits = isProbs ? undefined : own;
  }

  protected get support(): Constraint {
    return integersTo(Number(this.#events) - 1);
  }

  /** Logarithms of the probabilities. */
  get logits(): Tensor {
    return this.#logits ?? this.lazily("logits", () => probsToLogits(this.probs));
  }

  /** The probabilities, which add up to 1. */
  get probs(): Tensor {
    return this.#probs ?? this.lazily("probs", () => logitsToProbs(this.logits));
  }

  #nans(): Tensor {
    const { dtype } = this.probs;
    return torch.full(this.extendedShape(), Number.NaN, { dtype, device: "cpu" });
  }

  get mean(): Tensor {
    return this.#nans();
  }

  get variance(): Tensor {
    return this.#nans();
  }

  override get mode(): Tensor {
    return this.probs.argmax(-1);
  }

  override sample(shape: readonly Size[] = []): Tensor {
    requireShape("Categorical", shape);
    const rows = this.probs.reshape(-1, this.#events);
    const count = shape.reduce<Size>((all, size) => sym.mul(all, size), 1);
    const samples = torch.multinomial(rows, count, true).T;
    return samples.reshape(this.extendedShape(shape));
  }

  logProb(value: Tensor): Tensor {
    this.validateSample(value);
    const [index, logits] = torch.broadcastTensors(value.long().unsqueeze(-1), this.logits) as [
      Tensor,
      Tensor,
    ];
    return logits.gather(-1, index.at("...", torch.slice(null, 1))).squeeze(-1);
  }

  entropy(): Tensor {
    const logits = torch.clamp(this.logits, { min: torch.finfo(this.logits.dtype).min });
    return logits.mul(this.probs).sum(-1).neg();
  }

  override enumerateSupport(expand = true): Tensor {
    const values = torch.arange(this.#events, { dtype: "int64", device: "cpu" });
    return enumerated(values, this.batchShape, expand);
  }
}
