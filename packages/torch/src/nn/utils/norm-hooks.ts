/**
 * @file Weight and spectral normalization by hooks (`torch.nn.utils.weight_norm`, `spectral_norm`).
 */
import { fieldsOf } from "@sconce/source-check";
import { Tensor } from "@sconce/tensor";
import { noGrad } from "../../trace/grad-mode.js";
import { badParametrization } from "../errors.js";
import { functional as F } from "../functional.js";
import { addHook } from "../hooks.js";
import type { Module } from "../module.js";
import type { ModuleBase } from "../module-base.js";
import { type NormHook, registryOf } from "../registered-names.js";
import { type Settings, settingsOf } from "../settings.js";
import { Buffer, Parameter } from "../tensors.js";
import {
  CONTIGUOUS,
  normExceptDim,
  outputsFirst,
  SPECTRAL_NORM,
  type SpectralNormSettings,
  spectralTarget,
  unitVector,
  type WeightNormOptions,
  weightOfNorm,
} from "./parametrizations.js";
import { unregister } from "./parametrize.js";

type Kind = NormHook["kind"];

/** Computes a weight before each call of a module. */
export function install(module: Module, norm: NormHook): void {
  const run = (own: Module): void => {
    fieldsOf<Tensor>(own)[norm.name] = norm.compute(own, true);
  };
  addHook(module, "before", run, {}, norm);
}

/** Returns the hook that computes a weight of a module; undefined for none. */
export const hookOf = (module: Module, kind: Kind, name: string): NormHook | undefined =>
  registryOf(module).hooks?.before.find(({ norm }) => norm?.kind === kind && norm.name === name)?.norm;

/** Removes the hook that computes a weight of a module, and returns it; undefined for none. */
export function removeHook(module: Module, kind: Kind, name: string): NormHook | undefined {
  const found = hookOf(module, kind, name);
  const { hooks } = registryOf(module);
  if (found !== undefined && hooks !== undefined)
    hooks.before = hooks.before.filter(({ norm }) => norm !== found);
  return found;
}

function refuseTwo(module: Module, kind: Kind, name: string): void {
  if (hookOf(module, kind, name) !== undefined)
    throw badParametrization(`Cannot register two ${kind} hooks on the same parameter ${name}`);
}

function remove<M extends Module>(module: M, kind: Kind, name: string): M {
  const norm = removeHook(module, kind, name);
  if (norm === undefined) throw badParametrization(`${kind} of '${name}' not found in ${String(module)}`);
  const weight = noGrad(() => norm.compute(module, false));
  for (const part of [name, ...norm.parts]) unregister(module, part);
  module.registerParameter(name, new Parameter(weight));
  return module;
}

/** Returns the tensor of a name. @throws SconceError `LAYER_ARGUMENTS` */
function tensorOf(module: ModuleBase, name: string): Tensor {
  const tensor = fieldsOf<unknown>(module)[name];
  if (tensor instanceof Tensor) return tensor;
  throw badParametrization(`Module '${module.constructor.name}' has no parameter with name '${name}'`);
}

/**
 * Lets a module compute a weight before each call, as `torch.nn.utils.weight_norm`. State:
 * `weight_g`, the norm, and `weight_v`, the direction. PyTorch prefers
 * `nn.utils.parametrizations.weightNorm`.
 *
 * @returns the module
 */
export function weightNorm<M extends Module>(
  module: M,
  ...rest: Settings<[name: string, dim: number | null], WeightNormOptions>
): M {
  const settings = settingsOf("weightNorm", rest, { name: "weight", dim: 0 as number | null });
  const { name } = settings;
  const dim = settings.dim ?? -1;
  refuseTwo(module, "weight_norm", name);
  const weight = tensorOf(module, name);
  const [norm, direction] = [`${name}_g`, `${name}_v`];
  const compute = (own: ModuleBase): Tensor =>
    weightOfNorm(tensorOf(own, direction), tensorOf(own, norm), dim);
  unregister(module, name);
  module.registerParameter(norm, new Parameter(normExceptDim(weight, dim)));
  module.registerParameter(direction, new Parameter(weight));
  fieldsOf<Tensor>(module)[name] = compute(module);
  install(module, { kind: "weight_norm", name, parts: [norm, direction], compute });
  return module;
}

/** Makes a weight of {@link weightNorm} an ordinary parameter again. */
export const removeWeightNorm = <M extends Module>(module: M, name = "weight"): M =>
  remove(module, "weight_norm", name);

/**
 * Lets a module divide a weight by its largest singular value before each call, as
 * `torch.nn.utils.spectral_norm`. State: the parameter `weight_orig`, the buffers `weight_u` and
 * `weight_v`. PyTorch prefers `nn.utils.parametrizations.spectralNorm`.
 *
 * @returns the module
 */
export function spectralNorm<M extends Module>(module: M, ...rest: SpectralNormSettings): M {
  const settings = settingsOf("spectralNorm", rest, SPECTRAL_NORM);
  const { name, eps, nPowerIterations } = settings;
  refuseTwo(module, "spectral_norm", name);
  const { weight, dim } = spectralTarget(module, settings);
  const matrix = matrixOf(weight, dim);
  const [height = 0, width = 0] = matrix.shape;
  const u = unitVector(weight, height, eps);
  const v = unitVector(weight, width, eps);
  const parts = [`${name}_orig`, `${name}_u`, `${name}_v`];
  const compute = (own: ModuleBase, isCall: boolean): Tensor =>
    dividedWeight(parts.map((part) => tensorOf(own, part)) as [Tensor, Tensor, Tensor], {
      dim,
      eps,
      steps: isCall && own.training ? nPowerIterations : 0,
    });
  unregister(module, name);
  module.registerParameter(parts[0]!, weight instanceof Parameter ? weight : new Parameter(weight));
  fieldsOf<Tensor>(module)[name] = weight.detach();
  module.registerBuffer(parts[1]!, new Buffer(u));
  module.registerBuffer(parts[2]!, new Buffer(v));
  install(module, { kind: "spectral_norm", name, parts, compute });
  return module;
}

/** Makes a weight of {@link spectralNorm} an ordinary parameter again. */
export const removeSpectralNorm = <M extends Module>(module: M, name = "weight"): M =>
  remove(module, "spectral_norm", name);

function matrixOf(weight: Tensor, dim: number): Tensor {
  const first = outputsFirst(weight, dim);
  return first.reshape([first.size(0), -1]);
}

function dividedWeight(
  [weight, ...vectors]: readonly [Tensor, Tensor, Tensor],
  { dim, eps, steps }: { readonly dim: number; readonly eps: number; readonly steps: number },
): Tensor {
  const matrix = matrixOf(weight, dim);
  let [u, v] = vectors;
  if (steps > 0)
    noGrad(() => {
      for (let step = 0; step < steps; step++) {
        v = F.normalize(matrix.t().mv(u), { dim: 0, eps, out: v });
        u = F.normalize(matrix.mv(v), { dim: 0, eps, out: u });
      }
      u = u.clone({ memoryFormat: CONTIGUOUS });
      v = v.clone({ memoryFormat: CONTIGUOUS });
    });
  return weight.div(u.dot(matrix.mv(v)));
}
