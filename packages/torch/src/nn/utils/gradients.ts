/** @file Gradients that are held within bounds, and parameters as one vector (`torch.nn.utils`). */
import { checkOptions, type OptionNames } from "@sconce/errors";
import { float } from "@sconce/ir";
import { Tensor } from "@sconce/tensor";
import { callTorch } from "../../functions/function-tables.js";
import { callOperator } from "../../trace/dispatch.js";
import { noGrad } from "../../trace/grad-mode.js";
import { badParametrization } from "../errors.js";

/** What has a gradient: Sconce's tensors have none, so that it is given beside them. */
export interface WithGradient {
  /** The gradient, which is written to; null or undefined for none. */
  readonly grad?: Tensor | null | undefined;
}

/** Options of {@link clipGradNorm_}. */
export interface TotalNormOptions {
  /** The order of the norm. @defaultValue 2 */
  readonly normType?: number | undefined;
  /** Whether a norm that is NaN or infinite is refused. @defaultValue false */
  readonly errorIfNonfinite?: boolean | undefined;
}

const NORM: OptionNames<TotalNormOptions> = { normType: true, errorIfNonfinite: true };

const gradientsOf = (parameters: Iterable<WithGradient>): Tensor[] =>
  [...parameters].flatMap(({ grad }) => (grad === undefined || grad === null ? [] : [grad]));

/**
 * Returns the norm of some tensors as if they were one vector (`torch.nn.utils.get_total_norm`).
 *
 * @returns a tensor without dimensions
 * @throws SconceError `LAYER_ARGUMENTS` for a norm that is not finite, with `errorIfNonfinite`
 */
export function getTotalNorm(tensors: Iterable<Tensor> | Tensor, options: TotalNormOptions = {}): Tensor {
  checkOptions("getTotalNorm", options, NORM);
  const { normType = 2, errorIfNonfinite = false } = options;
  const order = float(normType);
  const all = tensors instanceof Tensor ? [tensors] : [...tensors];
  if (all.length === 0) return Tensor.empty([], "float32");
  const norm = (tensor: Tensor): Tensor =>
    callOperator("aten.linalg_vector_norm.default", [tensor, order]) as Tensor;
  const total = noGrad(() => norm(callTorch("stack", [all.map(norm)]) as Tensor));
  if (errorIfNonfinite && !Number.isFinite(Number(total.item())))
    throw badParametrization(
      `The total norm of order ${normType} for gradients from \`parameters\` is non-finite, so it cannot be clipped`,
      "remove gradients that are NaN or infinite, or leave out `errorIfNonfinite`",
    );
  return total;
}

/** Scales gradients such that their total norm is at most `maxNorm`, given that norm. */
export function clipGradsWithNorm_(
  parameters: Iterable<WithGradient>,
  maxNorm: number,
  totalNorm: Tensor,
): void {
  const gradients = gradientsOf(parameters);
  if (gradients.length === 0) return;
  noGrad(() => {
    const factor = totalNorm
      .add(1e-6)
      .reciprocal()
      .mul(float(maxNorm))
      .clamp({ max: float(1) });
    for (const gradient of gradients) gradient.mul_(factor);
  });
}

/**
 * Scales gradients such that their total norm is at most `maxNorm`
 * (`torch.nn.utils.clip_grad_norm_`). Sconce records no gradients: each is given as `grad` of an
 * object, such as those that a joint program computes.
 *
 * @returns the norm before, a tensor without dimensions
 */
export function clipGradNorm_(
  parameters: Iterable<WithGradient>,
  maxNorm: number,
  options: TotalNormOptions = {},
): Tensor {
  const all = [...parameters];
  const total = getTotalNorm(gradientsOf(all), options);
  clipGradsWithNorm_(all, maxNorm, total);
  return total;
}

/** Holds the elements of gradients between `-clipValue` and `clipValue`. */
export function clipGradValue_(parameters: Iterable<WithGradient>, clipValue: number): void {
  const [min, max] = [float(-clipValue), float(clipValue)];
  noGrad(() => {
    for (const gradient of gradientsOf(parameters)) gradient.clamp_({ min, max });
  });
}

/** Returns the elements of parameters as one vector (`torch.nn.utils.parameters_to_vector`). */
export const parametersToVector = (parameters: Iterable<Tensor>): Tensor =>
  callTorch("cat", [Array.from(parameters, (parameter) => parameter.view(-1))]) as Tensor;

/**
 * Copies the elements of a vector into parameters, in their order
 * (`torch.nn.utils.vector_to_parameters`).
 */
export function vectorToParameters(vector: Tensor, parameters: Iterable<Tensor>): void {
  let start = 0;
  noGrad(() => {
    for (const parameter of parameters) {
      const { numel } = parameter;
      parameter.copy_(vector.narrow(0, start, numel).viewAs(parameter));
      start += numel;
    }
  });
}
