/** @file Replaces the state of modules: other dtypes, other devices, other tensors. */
import { fieldsOf } from "@sconce/source-check";
import { castTensor, type DType, type Tensor } from "@sconce/tensor";
import type { Device } from "../functions/argument-types.js";
import { deviceOf, isMetaDevice } from "../functions/arguments.js";
import { invalidArgument } from "../functions/errors.js";
import { metaWithoutValues } from "../trace/errors.js";
import { isMeta, metaTensor } from "../trace/meta-tensors.js";
import type { ModuleBase } from "./module-base.js";
import { buffersOf, descendants, joinPath, parametersOf } from "./state.js";
import { emptyState } from "./state-place.js";
import { Buffer, Parameter } from "./tensors.js";

/** `data` as the kind of tensor that `own` is. */
function likeOwn(own: Tensor, data: Tensor): Tensor {
  if (own instanceof Parameter) return new Parameter(data, own.requiresGrad);
  return own instanceof Buffer ? new Buffer(data, { persistent: own.persistent }) : data;
}

/** Replaces parameters and buffers of modules. Tensors that modules share stay shared. */
function replaceState(modules: Iterable<ModuleBase>, make: (data: Tensor) => Tensor): void {
  const replaced = new Map<Tensor, Tensor>();
  for (const module of modules)
    for (const [name, own] of [...parametersOf(module), ...buffersOf(module)]) {
      const made = replaced.get(own) ?? make(own);
      if (made === own) continue;
      const value = replaced.has(own) ? made : likeOwn(own, made);
      replaced.set(own, value);
      fieldsOf(module)[name] = value;
    }
}

const modulesOf = (root: ModuleBase): ModuleBase[] => descendants(root, true).map(([, module]) => module);

/** Replaces the state of a module and all below it with state of another dtype. */
export function convertState<M extends ModuleBase>(root: M, choose: (own: DType) => DType): M {
  replaceState(modulesOf(root), (tensor) => {
    const dtype = choose(tensor.dtype);
    if (dtype === tensor.dtype) return tensor;
    return isMeta(tensor)
      ? metaTensor({ dtype, shape: tensor.shape, strides: tensor.strides })
      : castTensor(tensor, dtype);
  });
  return root;
}

/** Moves the state of a module and all below it. @throws SconceError `NO_VALUES` */
export function moveState<M extends ModuleBase>(root: M, device: Device): M {
  const toMeta = isMetaDevice(device);
  replaceState(modulesOf(root), (tensor) => {
    if (isMeta(tensor) === toMeta) return tensor;
    if (toMeta) return metaTensor(tensor);
    throw metaWithoutValues(
      `${root.constructor.name}.to`,
      "Cannot copy out of meta tensor; no data! Please use torch.nn.Module.to_empty() instead of torch.nn.Module.to() when moving module from meta to a different device.",
    );
  });
  return root;
}

/** Gives the state of a module new memory. */
export function emptyStateOf<M extends ModuleBase>(root: M, device: Device, recurse: boolean): M {
  replaceState(recurse ? modulesOf(root) : [root], ({ dtype, shape }) =>
    emptyState(shape, { device, dtype }),
  );
  return root;
}

/** Puts tensors in the places of state, by their fully qualified names. */
export function assignState(root: ModuleBase, given: ReadonlyMap<string, Tensor>): void {
  for (const [path, module] of descendants(root, false))
    for (const [name, own] of [...parametersOf(module), ...buffersOf(module)]) {
      const value = given.get(joinPath(path, name));
      if (value !== undefined) fieldsOf(module)[name] = likeOwn(own, value);
    }
}

/**
 * Returns the device of a model. @throws SconceError `TORCH_ARGUMENT` for another than the CPU and
 * `meta`
 */
export function placeOf(owner: string, device: Device): Device {
  const { type } = deviceOf(device);
  if (type === "cpu" || type === "meta") return device;
  throw invalidArgument(
    `${owner}.to`,
    `the device ${type} is not one that models run on`,
    'leave the model on "cpu", and choose a backend where the program runs',
  );
}
