/** @file Prunes parameters of modules (`torch.nn.utils.prune`). */
import { fieldsOf } from "@sconce/source-check";
import { Tensor } from "@sconce/tensor";
import { torch } from "../../functions/torch.js";
import { noGrad } from "../../trace/grad-mode.js";
import { badParametrization } from "../errors.js";
import type { Module } from "../module.js";
import type { ModuleBase } from "../module-base.js";
import { registryOf } from "../registered-names.js";
import { parametersOf } from "../state.js";
import { Buffer, type Parameter } from "../tensors.js";
import { parametersToVector } from "./gradients.js";
import { hookOf, install, removeHook } from "./norm-hooks.js";
import { unregister } from "./parametrize.js";
import {
  type BasePruningMethod,
  CustomFromMask,
  combinedMask,
  Identity,
  L1Unstructured,
  LnStructured,
  type NormOrder,
  type PruneAmount,
  RandomStructured,
  RandomUnstructured,
  requireScores,
} from "./pruning-methods.js";

/** A parameter of a module: the module, and the name. */
export type PrunedTensor = readonly [module: Module, name: string];

const tensorOf = (module: ModuleBase, name: string): Tensor => fieldsOf<Tensor>(module)[name]!;

/** Returns the parameter of a name as a product with its mask. */
function masked(module: ModuleBase, name: string): Tensor {
  const original = tensorOf(module, `${name}_orig`);
  return tensorOf(module, `${name}_mask`).to(original.dtype).mul(original);
}

function requireParameter(module: Module, name: string): void {
  if (parametersOf(module).some(([own]) => own === name)) return;
  throw badParametrization(
    `Module '${module.constructor.name}' has no parameter with name '${name}' that can be pruned`,
    "give a name of `module.namedParameters()` without dots, and the submodule that has it",
  );
}

/**
 * Prunes a parameter with a method: `name` becomes the product of the parameter `NAME_orig` and the
 * buffer `NAME_mask`, before each call of the module. A parameter that is pruned already keeps its
 * zeros (`BasePruningMethod.apply`).
 *
 * @param importanceScores the tensor by which elements are chosen, by default the parameter
 * @returns the module
 * @throws SconceError `LAYER_ARGUMENTS` for a name without a parameter, for scores of another
 * shape, and what the method refuses
 */
export function apply<M extends Module>(
  module: M,
  name: string,
  method: BasePruningMethod,
  importanceScores?: Tensor | null,
): M {
  const isAgain = hookOf(module, "prune", name) !== undefined;
  if (!isAgain) requireParameter(module, name);
  const own = tensorOf(module, name);
  const scores = importanceScores ?? own;
  requireScores(scores, own, `parameter ${name} of ${String(module)},`);
  const parts = [`${name}_orig`, `${name}_mask`] as const;
  const mask = noGrad(() => {
    if (!isAgain) return method.computeMask(scores, torch.onesLike(own));
    const before = tensorOf(module, parts[1]).detach().clone({ memoryFormat: "contiguous_format" });
    return combinedMask(method, scores, before);
  });
  removeHook(module, "prune", name);
  if (!isAgain) {
    unregister(module, name);
    module.registerParameter(parts[0], own as Parameter);
  }
  module.registerBuffer(parts[1], new Buffer(mask));
  fieldsOf<Tensor>(module)[name] = masked(module, name);
  install(module, { kind: "prune", name, parts, compute: (called) => masked(called, name) });
  return module;
}

/** Writes a parameter as a product with a mask of ones, and prunes nothing. */
export const identity = <M extends Module>(module: M, name: string): M => apply(module, name, new Identity());

/**
 * Prunes elements of a parameter at random, with PyTorch's numbers.
 *
 * @param amount how many: an integer counts elements, a float is a part of them
 * @example prune.randomUnstructured(layer, "weight", 0.3); // 30 percent
 */
export const randomUnstructured = <M extends Module>(module: M, name: string, amount: PruneAmount): M =>
  apply(module, name, new RandomUnstructured(amount));

/** Prunes the elements of a parameter, or of scores, that have the smallest magnitudes. */
export const l1Unstructured = <M extends Module>(
  module: M,
  name: string,
  amount: PruneAmount,
  importanceScores?: Tensor | null,
): M => apply(module, name, new L1Unstructured(amount), importanceScores);

/** Prunes slices of a dimension of a parameter at random, with PyTorch's numbers. */
export const randomStructured = <M extends Module>(
  module: M,
  name: string,
  amount: PruneAmount,
  dim: number,
): M => apply(module, name, new RandomStructured(amount, dim));

/**
 * Prunes the slices of a dimension of a parameter, or of scores, that have the smallest norms.
 *
 * @param n the order of the norm
 */
export const lnStructured = <M extends Module>(
  module: M,
  name: string,
  amount: PruneAmount,
  n: NormOrder,
  dim: number,
  importanceScores?: Tensor | null,
): M => apply(module, name, new LnStructured(amount, n, dim), importanceScores);

/** Prunes what a mask says, which has the shape of the parameter: 0 for what is pruned. */
export const customFromMask = <M extends Module>(module: M, name: string, mask: Tensor): M =>
  apply(module, name, new CustomFromMask(mask));

/**
 * Prunes parameters of several modules as if they were one.
 *
 * @param method chooses elements by all parameters in a row: `new prune.L1Unstructured(0.2)`
 * @param importanceScores tensors by which elements are chosen, for some of the parameters
 * @throws SconceError `LAYER_ARGUMENTS` for a method that is not unstructured
 */
export function globalUnstructured(
  parameters: Iterable<PrunedTensor>,
  method: BasePruningMethod,
  importanceScores: Iterable<readonly [...PrunedTensor, scores: Tensor]> = [],
): void {
  const all = [...parameters];
  const scores = [...importanceScores];
  if (method.pruningType !== "unstructured")
    throw badParametrization(
      `Only "unstructured" PRUNING_TYPE supported for the \`pruning_method\`. Found method ${method.constructor.name} of type ${method.pruningType}`,
      "use `new prune.L1Unstructured(amount)` or `new prune.RandomUnstructured(amount)`",
    );
  for (const [module, name] of all)
    if (hookOf(module, "prune", name) === undefined) requireParameter(module, name);
  const scoreOf = ([module, name]: PrunedTensor): Tensor =>
    scores.find(([owner, own]) => owner === module && own === name)?.[2] ?? tensorOf(module, name);
  const maskOf = ([module, name]: PrunedTensor): Tensor => {
    const mask = fieldsOf<unknown>(module)[`${name}_mask`];
    return mask instanceof Tensor ? mask : torch.onesLike(tensorOf(module, name));
  };
  const vectors = [scoreOf, maskOf].map((read) => parametersToVector(all.map(read)));
  const mask = noGrad(() => combinedMask(method, vectors[0]!, vectors[1]!));
  let start = 0;
  for (const [module, name] of all) {
    const own = tensorOf(module, name);
    customFromMask(module, name, mask.narrow(0, start, own.numel).viewAs(own));
    start += own.numel;
  }
}

/**
 * Makes a pruned parameter an ordinary one: its zeros stay.
 *
 * @returns the module
 * @throws SconceError `LAYER_ARGUMENTS` for a parameter that is not pruned
 */
export function remove<M extends Module>(module: M, name: string): M {
  const hook = removeHook(module, "prune", name);
  if (hook === undefined)
    throw badParametrization(
      `Parameter '${name}' of module ${String(module)} has to be pruned before pruning can be removed`,
      "name a parameter that is pruned: `prune.isPruned(module)`",
    );
  const original = tensorOf(module, `${name}_orig`) as Parameter;
  // The parameter stays the same: other modules may have it, too.
  noGrad(() => original.copy_(masked(module, name)));
  for (const part of [name, ...hook.parts]) unregister(module, part);
  module.registerParameter(name, original);
  return module;
}

/** Returns whether a parameter of a module, or of one below it, is pruned. */
export const isPruned = (module: Module): boolean =>
  module
    .modules()
    .some((own) => registryOf(own).hooks?.before.some(({ norm }) => norm?.kind === "prune") === true);
