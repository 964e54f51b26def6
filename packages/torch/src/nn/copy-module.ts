import { fieldsOf } from "@sconce/source-check";
import { Tensor } from "@sconce/tensor";
import { Module } from "./module.js";
import { registryOf } from "./registered-names.js";
import { Buffer, Parameter } from "./tensors.js";

/**
 * Copies a module with its state and its submodules, as `copy.deepcopy`. Classes with private
 * members (`#name`) cannot be copied: a copy has none.
 */
export function copyModule<M extends Module>(module: M, copies = new Map<unknown, unknown>()): M {
  const copy = Reflect.construct(Module, [], module.constructor) as M;
  copies.set(module, copy);
  const [own, theirs] = [registryOf(copy), registryOf(module)];
  for (const name of theirs.parameters) own.parameters.add(name);
  for (const [name, persistent] of theirs.buffers) own.buffers.set(name, persistent);
  if (theirs.hooks !== undefined) own.hooks = { ...theirs.hooks };
  for (const [name, value] of Object.entries(module)) setProperty(copy, name, copied(value, copies));
  return copy;
}

function setProperty(module: Module, name: string, value: unknown): void {
  fieldsOf(module)[name] = value;
}

function copied(value: unknown, copies: Map<unknown, unknown>): unknown {
  if (copies.has(value)) return copies.get(value);
  if (value instanceof Module) return copyModule(value, copies);
  if (Array.isArray(value)) return value.map((item) => copied(item, copies));
  if (!(value instanceof Tensor)) return value;
  const copy = copyTensor(value);
  copies.set(value, copy);
  return copy;
}

function copyTensor(tensor: Tensor): Tensor {
  const data = tensor.clone();
  if (tensor instanceof Parameter) return new Parameter(data, tensor.requiresGrad);
  return tensor instanceof Buffer ? new Buffer(data, { persistent: tensor.persistent }) : data;
}
