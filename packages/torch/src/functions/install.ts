/** @file Gives tensors PyTorch's methods, where the class has none of the name. */

import { fieldsOf } from "@sconce/source-check";
import { Tensor } from "@sconce/tensor";
import { callOperator } from "../trace/dispatch.js";
import { isMeta } from "../trace/meta-tensors.js";
import { tensorMethods } from "./function-tables.js";
import {
  type AnyMethod,
  OWN_FIELDS,
  PYTHON_METHODS,
  recordsMethods,
  SHARED_METHODS,
  VIEW_GETTERS,
} from "./methods.js";
import { named } from "./python-function.js";

const define = (name: string, descriptor: PropertyDescriptor): void => {
  Object.defineProperty(Tensor.prototype, name, { configurable: true, enumerable: false, ...descriptor });
};

const PYTORCH_NAMES: Readonly<Record<string, string>> = { asStrided: "as_strided" };

function installShared(name: string): void {
  const own = fieldsOf<AnyMethod>(Tensor.prototype)[name]!;
  const record = SHARED_METHODS[name]!;
  define(name, {
    writable: true,
    value: function (this: Tensor, ...given: readonly unknown[]) {
      if (!recordsMethods() && !isMeta(this)) return own.apply(this, given as unknown[]);
      return named(PYTORCH_NAMES[name] ?? name, "method_descriptor", () => record(this, given));
    },
  });
}

/**
 * Adds the methods to `Tensor.prototype`; again is harmless. What users begin with calls it: the
 * functions, modules and `exportProgram`, so that a bundle without them has no methods either.
 */
export function installMethods(): void {
  if ("relu" in Tensor.prototype) return;
  const methods = { ...tensorMethods(), ...PYTHON_METHODS };
  for (const [name, method] of Object.entries(methods))
    if (!(name in Tensor.prototype || OWN_FIELDS.includes(name)))
      define(name, { writable: true, value: method });
  for (const name of Object.keys(SHARED_METHODS)) installShared(name);
  for (const [name, target] of Object.entries(VIEW_GETTERS))
    define(name, {
      get(this: Tensor) {
        return named("__get__", "method-wrapper", () => callOperator(target, [this]));
      },
    });
}
