/** @file The state of several modules in one (`torch.func.stack_module_state`). */
import { describeValue } from "@sconce/errors";
import { Tensor } from "@sconce/tensor";
import { callOperator, currentTrace } from "../trace/dispatch.js";
import { invalidArgument } from "./errors.js";
import type { NamedState } from "./functional-call.js";

/** A module whose state is stacked. */
interface Trainable extends NamedState {
  readonly training: boolean;
}

const badModels = (problem: string, fix: string): Error => invalidArgument("stackModuleState", problem, fix);

/** Refuses models that are not alike. @throws SconceError `TORCH_ARGUMENT` */
function requireAlike(models: readonly Trainable[]): void {
  if (models.length === 0) throw badModels("Expected at least one model, got 0.", "pass models of one class");
  const wrong = models.findIndex((model) => typeof model?.namedParameters !== "function");
  if (wrong >= 0) throw badModels(`a model is ${describeValue(models[wrong])}`, "pass modules");
  if (models.some(({ training }) => training !== models[0]!.training))
    throw badModels(
      "Expected all models to have the same training/eval mode.",
      "call `train()` or `eval()` on all models",
    );
  if (models.some((model) => model.constructor !== models[0]!.constructor))
    throw badModels("Expected all models to be of the same class.", "pass models of one class");
}

/** Stacks tensors of one kind, by name. @throws SconceError `TORCH_ARGUMENT` */
function stacked(all: readonly (readonly (readonly [string, Tensor])[])[]): Record<string, Tensor> {
  const states = all.map((named) => new Map(named));
  const names = [...states[0]!.keys()];
  if (states.some((own) => own.size !== names.length || names.some((name) => !own.has(name))))
    throw badModels(
      "the models have different parameters or buffers",
      "pass models of one class, made with the same options",
    );
  const stack = (name: string): Tensor => {
    const tensors = states.map((own) => own.get(name)!);
    if (tensors.some(({ requiresGrad }) => requiresGrad !== tensors[0]!.requiresGrad))
      throw badModels(
        `Expected ${name} from each model to have the same .requires_grad`,
        "call `requiresGrad_()` on all models",
      );
    const result = callOperator("aten.stack.default", [tensors]) as Tensor;
    if (!tensors[0]!.requiresGrad) return result;
    // PyTorch makes a new leaf of it, which TorchDynamo does not record.
    const trace = currentTrace();
    if (trace?.isStrict === true)
      throw badModels(
        "returning intermediate with requires_grad_()",
        "export with `strict: false`, or call `requiresGrad_(false)` on all models",
      );
    if (trace !== undefined) return callOperator("aten.detach.default", [result]) as Tensor;
    return new Tensor({
      dtype: result.dtype,
      shape: result.shape,
      storage: result.storage,
      requiresGrad: true,
    });
  };
  return Object.fromEntries(names.map((name) => [name, stack(name)]));
}

/**
 * Returns the parameters and the buffers of modules of one class, each stacked along a new first
 * dimension (`torch.func.stack_module_state`): what `vmap` takes to run an ensemble.
 *
 * @throws SconceError `TORCH_ARGUMENT` for no models, for values that are not modules, and for
 * models that differ in their class, their mode, the names of their state or its `requiresGrad`
 */
export function stackModuleState(models: Iterable<Trainable>): {
  readonly parameters: Readonly<Record<string, Tensor>>;
  readonly buffers: Readonly<Record<string, Tensor>>;
} {
  if (typeof models?.[Symbol.iterator] !== "function")
    throw badModels(`the models are ${describeValue(models)}`, "pass a list of models");
  const all = [...models];
  requireAlike(all);
  return {
    parameters: stacked(all.map((model) => model.namedParameters())),
    buffers: stacked(all.map((model) => model.namedBuffers())),
  };
}
