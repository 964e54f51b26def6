/**
 * @file Weight and spectral normalization as parametrizations (`torch.nn.utils.parametrizations`).
 */
import { pythonTuple } from "@sconce/ir";
import { fieldsOf } from "@sconce/source-check";
import { Tensor, wrapDimension } from "@sconce/tensor";
import { callTorch } from "../../functions/function-tables.js";
import { noGrad } from "../../trace/grad-mode.js";
import { badParametrization, noTensor } from "../errors.js";
import { functional as F } from "../functional.js";
import { Module } from "../module.js";
import { type Settings, settingsOf } from "../settings.js";
import { Buffer } from "../tensors.js";
import { registerParametrization } from "./parametrize.js";

/** Settings of weight normalization. */
export interface WeightNormOptions {
  /** The tensor that is normalized. @defaultValue "weight" */
  readonly name?: string;
  /** The dimension whose items each have a norm; null for one norm of all. @defaultValue 0 */
  readonly dim?: number | null;
}

/** Returns the norm of each item of a dimension, in its shape. */
export const normExceptDim = (weight: Tensor, dim: number): Tensor =>
  callTorch("norm_except_dim", [weight, 2, dim]) as Tensor;

/** `g * v / |v|`. */
export const weightOfNorm = (direction: Tensor, norm: Tensor, dim: number): Tensor =>
  callTorch("_weight_norm", [direction, norm, dim]) as Tensor;

class WeightNorm extends Module {
  static override readonly torchClass: string = "torch.nn.utils.parametrizations._WeightNorm";
  readonly dim: number;

  constructor(dim: number | null) {
    super();
    this.dim = dim ?? -1;
  }

  override forward(norm: Tensor, direction: Tensor): Tensor {
    return weightOfNorm(direction, norm, this.dim);
  }

  rightInverse(weight: Tensor): readonly Tensor[] {
    return pythonTuple(normExceptDim(weight, this.dim), weight);
  }
}

/**
 * Lets a module compute a weight from its direction and its norm, as
 * `torch.nn.utils.parametrizations.weight_norm`. State: `parametrizations.weight.original0`, the
 * norm, and `original1`, the direction.
 *
 * @returns the module
 */
export function weightNorm<M extends Module>(
  module: M,
  ...rest: Settings<[name: string, dim: number | null], WeightNormOptions>
): M {
  const { name, dim } = settingsOf("weightNorm", rest, { name: "weight", dim: 0 as number | null });
  return registerParametrization(module, name, new WeightNorm(dim), { unsafe: true });
}

/** Settings of spectral normalization. */
export interface SpectralNormOptions {
  /** The tensor that is normalized. @defaultValue "weight" */
  readonly name?: string;
  /** Steps of the power iteration in each call while the module trains. @defaultValue 1 */
  readonly nPowerIterations?: number;
  /** Added to norms that are divided by. @defaultValue 1e-12 */
  readonly eps?: number;
  /** The dimension of outputs. @defaultValue 0, and 1 for transposed convolutions */
  readonly dim?: number | null;
}

/** Settings of a spectral norm, in the order of PyTorch or by name. */
export type SpectralNormSettings = Settings<
  [name: string, nPowerIterations: number, eps: number, dim: number | null],
  SpectralNormOptions
>;

/** Default settings of a spectral norm. */
export const SPECTRAL_NORM = {
  name: "weight",
  nPowerIterations: 1,
  eps: 1e-12,
  dim: null as number | null,
};

/** Returns a vector of normal numbers of length 1, as the power iteration begins. */
export const unitVector = (weight: Tensor, size: number, eps: number): Tensor =>
  F.normalize(weight.newEmpty([size]).normal_(0, 1), { dim: 0, eps });

class SpectralNorm extends Module {
  static override readonly torchClass: string = "torch.nn.utils.parametrizations._SpectralNorm";
  readonly dim: number;
  readonly eps: number;
  readonly nPowerIterations: number;

  constructor(weight: Tensor, steps: number, dim: number, eps: number) {
    super();
    this.dim = wrapDimension(dim, weight.ndim);
    this.eps = eps;
    this.nPowerIterations = steps;
    if (weight.ndim <= 1) return;
    const matrix = outputsFirst(weight, this.dim).flatten(1);
    const [height = 0, width = 0] = matrix.shape;
    this.registerBuffer("_u", new Buffer(unitVector(matrix, height, eps)));
    this.registerBuffer("_v", new Buffer(unitVector(matrix, width, eps)));
    iterate(this, matrix, 15);
  }

  override forward(weight: Tensor): Tensor {
    if (weight.ndim === 1) return F.normalize(weight, { dim: 0, eps: this.eps });
    const matrix = outputsFirst(weight, this.dim).flatten(1);
    if (this.training) iterate(this, matrix, this.nPowerIterations);
    const state = fieldsOf<Tensor>(this);
    const u = state["_u"]!.clone({ memoryFormat: CONTIGUOUS });
    const v = state["_v"]!.clone({ memoryFormat: CONTIGUOUS });
    return weight.div(u.vdot(matrix.mv(v)));
  }

  rightInverse(value: Tensor): Tensor {
    return value;
  }
}

/** Improves the vectors by steps of the power iteration. */
function iterate(module: SpectralNorm, matrix: Tensor, steps: number): void {
  const state = fieldsOf<Tensor>(module);
  const into = (out: Tensor, value: Tensor): void => {
    F.normalize(value, { dim: 0, eps: module.eps, out });
  };
  noGrad(() => {
    for (let step = 0; step < steps; step++) {
      into(state["_u"]!, matrix.mv(state["_v"]!));
      into(state["_v"]!, matrix.H.mv(state["_u"]!));
    }
  });
}

/** The layout of the vectors that a weight is divided by. */
export const CONTIGUOUS = "contiguous_format";

/** Returns all dimensions but one, which is counted from the start. */
export const otherDims = (dim: number, ndim: number): number[] =>
  Array.from({ length: ndim }, (_, d) => d).filter((d) => d !== dim);

/** Returns the weight with the dimension of its outputs first. */
export const outputsFirst = (weight: Tensor, dim: number): Tensor =>
  dim === 0 ? weight : weight.permute([dim, ...otherDims(dim, weight.ndim)]);

/** Returns the tensor that is normalized, and the dimension of its outputs. */
export function spectralTarget(
  module: Module,
  { name, nPowerIterations, dim }: { name: string; nPowerIterations: number; dim: number | null },
): { readonly weight: Tensor; readonly dim: number } {
  const weight = fieldsOf<unknown>(module)[name];
  if (!(weight instanceof Tensor)) throw noTensor(module.constructor.name, name);
  if (!(nPowerIterations > 0))
    throw badParametrization(
      `Expected n_power_iterations to be positive, but got n_power_iterations=${nPowerIterations}`,
      "give a positive `nPowerIterations`",
    );
  const isTransposed = /^(Parametrized)*ConvTranspose[123]d$/.test(module.constructor.name);
  const own = dim ?? (isTransposed ? 1 : 0);
  if (own >= weight.ndim || own < -weight.ndim)
    throw badParametrization(
      `Dimension out of range (expected to be in range of [-${weight.ndim}, ${weight.ndim - 1}] but got ${own})`,
      "give a `dim` of the weight",
    );
  return { weight, dim: own };
}

/**
 * Lets a module divide a weight by its largest singular value, which a power iteration finds, as
 * `torch.nn.utils.parametrizations.spectral_norm`. While the module trains, each call improves the
 * buffers `parametrizations.weight.0._u` and `_v`.
 *
 * @returns the module
 */
export function spectralNorm<M extends Module>(module: M, ...rest: SpectralNormSettings): M {
  const settings = settingsOf("spectralNorm", rest, SPECTRAL_NORM);
  const { weight, dim } = spectralTarget(module, settings);
  const { name, nPowerIterations, eps } = settings;
  return registerParametrization(module, name, new SpectralNorm(weight, nPowerIterations, dim, eps));
}
