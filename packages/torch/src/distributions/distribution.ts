/** @file What all distributions share (`torch.distributions.Distribution`). */
import { checkOptions, describeValue, type OptionNames } from "@sconce/errors";
import { sizeText, Tensor } from "@sconce/tensor";
import { torch } from "../functions/torch.js";
import { currentTrace } from "../trace/dispatch.js";
import { enableGrad, noGrad } from "../trace/grad-mode.js";
import { refusal } from "../trace/refusals.js";
import type { Size } from "../trace/sym-int.js";
import type { Constraint } from "./constraints.js";
import { distributionText, valueText } from "./distribution-text.js";
import { badArgument, badValues, checkedInTrace, notImplemented } from "./errors.js";

/** Options of every distribution. */
export interface DistributionOptions {
  /**
   * Whether parameters and values are checked. An export cannot check them, except a strict one,
   * which does not.
   * @defaultValue true, or what `setDefaultValidateArgs` was given
   */
  readonly validateArgs?: boolean | null | undefined;
}

const OPTIONS: OptionNames<DistributionOptions> = { validateArgs: true };

let isValidatedByDefault = true;

/** Sets whether distributions that are made from now on check their arguments. */
export function setDefaultValidateArgs(value: boolean): void {
  isValidatedByDefault = value;
}

/** What a distribution is made of. */
export interface DistributionParts {
  readonly batchShape: readonly Size[];
  readonly eventShape?: readonly Size[];
  readonly options: DistributionOptions;
  /** Parameters with what they satisfy. */
  readonly parameters?: Readonly<Record<string, readonly [value: Tensor, constraint: Constraint]>>;
}

/**
 * A family of distributions over tensors. `batchShape` counts distributions, `eventShape` is the
 * shape of one value.
 */
export abstract class Distribution {
  /** The shape of independent distributions. */
  readonly batchShape: readonly Size[];
  /** The shape of a value of one distribution. */
  readonly eventShape: readonly Size[];
  /** Whether values are checked. */
  readonly validatesArgs: boolean;
  readonly #lazy = new Map<string, Tensor>();
  readonly #parameters: Readonly<Record<string, Tensor>>;

  constructor({ batchShape, eventShape = [], options, parameters = {} }: DistributionParts) {
    checkOptions(new.target.name, options, OPTIONS);
    this.batchShape = batchShape;
    this.eventShape = eventShape;
    this.validatesArgs = options.validateArgs ?? isValidatedByDefault;
    const values = Object.entries(parameters).map(([name, [value]]) => [name, value] as const);
    this.#parameters = Object.fromEntries(values);
    if (!this.validatesArgs) return;
    for (const [name, [value, constraint]] of Object.entries(parameters))
      this.#require(
        constraint,
        value,
        `parameter ${name}`,
        (size) =>
          `Expected parameter ${name} (Tensor of shape ${size}) of distribution ${String(this)} to satisfy the constraint ${constraint.text}, but found invalid values:\n${valueText(value)}`,
      );
  }

  /** The mean, of the shape `batchShape` and `eventShape`. */
  abstract get mean(): Tensor;
  /** The variance, of the same shape. */
  abstract get variance(): Tensor;
  /** Values that `logProb` is defined for. */
  protected abstract get support(): Constraint;

  /** The most likely value. @throws SconceError `TORCH_ARGUMENT` for families without one */
  get mode(): Tensor {
    throw notImplemented(this.constructor.name, "mode");
  }

  /** The standard deviation. */
  get stddev(): Tensor {
    return this.variance.sqrt();
  }

  /**
   * Draws values, without gradients. `shape` is that of independent draws.
   * @throws SconceError `TORCH_ARGUMENT` for a shape that is not a list
   */
  sample(shape: readonly Size[] = []): Tensor {
    return noGrad(() => this.rsample(shape));
  }

  /**
   * Draws values that are differentiable in the parameters.
   * @throws SconceError `TORCH_ARGUMENT` for families without such draws
   */
  rsample(_shape: readonly Size[] = []): Tensor {
    throw notImplemented(this.constructor.name, "rsample");
  }

  /** Returns the logarithm of the density or the probability of a value. */
  abstract logProb(value: Tensor): Tensor;

  /** Returns the entropy, of the shape `batchShape`. */
  abstract entropy(): Tensor;

  /** Returns the exponential of the entropy. */
  perplexity(): Tensor {
    return this.entropy().exp();
  }

  /**
   * Returns the probability that a draw is at most `value`.
   * @throws SconceError `TORCH_ARGUMENT` for families without
   */
  cdf(_value: Tensor): Tensor {
    throw notImplemented(this.constructor.name, "cdf");
  }

  /**
   * Returns the inverse of {@link cdf}. @throws SconceError `TORCH_ARGUMENT` for families without
   */
  icdf(_value: Tensor): Tensor {
    throw notImplemented(this.constructor.name, "icdf");
  }

  /**
   * Returns all values, along a new first dimension. @throws SconceError `TORCH_ARGUMENT` for
   * infinite ones
   */
  enumerateSupport(_expand = true): Tensor {
    throw notImplemented(this.constructor.name, "enumerate_support");
  }

  /** Returns PyTorch's text of the distribution. */
  toString(): string {
    return distributionText(this.constructor.name, this.#parameters);
  }

  /** Returns the shape of `shape` independent draws. */
  protected extendedShape(shape: readonly Size[] = []): readonly Size[] {
    requireShape(this.constructor.name, shape);
    return [...shape, ...this.batchShape, ...this.eventShape];
  }

  /** Returns a property that is computed once, when it is read first. */
  protected lazily(name: string, compute: () => Tensor): Tensor {
    const known = this.#lazy.get(name) ?? enableGrad(compute);
    this.#lazy.set(name, known);
    return known;
  }

  /** @throws SconceError `TORCH_ARGUMENT`, `TRACED_VALUES` for a value outside of the support */
  protected validateSample(value: Tensor): void {
    if (!(value instanceof Tensor))
      throw badArgument(this.constructor.name, "The value argument to log_prob must be a Tensor");
    if (!this.validatesArgs) return;
    this.#require(
      this.support,
      value,
      "the value",
      (size) =>
        `Expected value argument (Tensor of shape ${size}) to be within the support (${this.support.text}) of the distribution ${String(this)}, but found invalid values:\n${valueText(value)}`,
    );
  }

  #require(constraint: Constraint, value: Tensor, what: string, message: (size: string) => string): void {
    const trace = currentTrace();
    const { name } = this.constructor;
    // TorchDynamo sets the default to false.
    if (trace?.isStrict === true) return;
    if (trace !== undefined) throw refusal(checkedInTrace(name, what));
    if (Number(constraint.check(value).all().item()) !== 1)
      throw badValues(name, message(sizeText(value.shape)));
  }
}

/** @throws SconceError `TORCH_ARGUMENT` for a shape of draws that is not a list */
export function requireShape(where: string, shape: unknown): void {
  if (Array.isArray(shape)) return;
  throw badArgument(
    where,
    `the shape of draws is ${describeValue(shape)}, not a list of sizes`,
    "pass a list of sizes, `sample([3])`",
  );
}

/** A tensor, or a number for all distributions. */
export type Parameter = Tensor | number;

/**
 * Parameters as tensors of one shape (`broadcast_all`). @throws SconceError `TORCH_ARGUMENT` for
 * what is neither a number nor a tensor
 */
export function broadcastAll(...values: readonly Parameter[]): Tensor[] {
  if (!values.every((value: unknown) => value instanceof Tensor || typeof value === "number"))
    throw badArgument(
      "broadcast_all",
      "Input arguments must all be instances of Number, torch.Tensor or objects implementing __torch_function__.",
    );
  const first = values.find((value) => value instanceof Tensor);
  const dtype = first?.dtype ?? "float32";
  const tensors = values.map((value) => (value instanceof Tensor ? value : torch.tensor(value, { dtype })));
  return [...torch.broadcastTensors(...tensors)];
}

/** Returns the batch shape: `[]` if all parameters are numbers. */
export const batchOf = (given: readonly Parameter[], tensor: Tensor): readonly Size[] =>
  given.some((value) => value instanceof Tensor) ? tensor.size() : [];

/** Numbers of the standard normal distribution. */
export const standardNormal = (shape: readonly Size[], like: Tensor): Tensor =>
  torch.empty(shape, { dtype: like.dtype, device: "cpu" }).normal_();

/** Returns the sum over the last dimensions. */
export function sumRightmost(value: Tensor, dims: number): Tensor {
  if (dims === 0) return value;
  return value.reshape([...value.size().slice(0, -dims), -1]).sum(-1);
}
