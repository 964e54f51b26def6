/** @file The inputs of a call of a model, as methods of PyTorch's specifications take them. */
import { type AnyFunction, functionParameters } from "@sconce/source-check";
import { bindInputs } from "./bind-inputs.js";
import type { NamedInputs } from "./check-shapes.js";
import { badDynamicShapes } from "./errors.js";
import { containerOf, pythonType } from "./tree.js";

/** A model: a module with `forward`, or a function. */
export type Called = AnyFunction | { readonly forward: AnyFunction };

/**
 * Returns a function that binds arguments to the names of a model's parameters.
 *
 * @param method names the call in errors
 * @throws SconceError `BAD_DYNAMIC_SHAPES` for what is not a model, or arguments that are not a
 * list
 */
export function binderOf(
  method: string,
  model: Called,
): (args: readonly unknown[], kwargs?: Readonly<Record<string, unknown>>) => NamedInputs {
  const fn =
    typeof model === "function" ? model : (model as { forward?: unknown } | null | undefined)?.forward;
  if (typeof fn !== "function")
    throw badDynamicShapes(
      `${method} takes a model first, a module or a function, not ${pythonType(model)}`,
      `write ${method}(model, [x])`,
    );
  const parameters = functionParameters(fn as AnyFunction);
  return (args, kwargs = {}) => {
    if (!Array.isArray(args) || containerOf(kwargs)?.kind !== "dict")
      throw badDynamicShapes(
        `${method} takes the positional arguments as a list, and the keyword arguments as an object, not ${pythonType(args)} and ${pythonType(kwargs)}`,
        `write ${method}(model, [x])`,
      );
    return bindInputs(parameters, args, kwargs);
  };
}
