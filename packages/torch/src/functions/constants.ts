/** @file Tensors made of values: `torch.tensor`, `torch.as_tensor`, `x.new_tensor`. */
import { type Argument, type DeviceLiteral, dtypeLiteral, kindOf, unwrapFloat } from "@sconce/ir";
import { type DType, type NestedValues, Tensor } from "@sconce/tensor";
import { callOperator, currentTrace } from "../trace/dispatch.js";
import { noteMade } from "../trace/lane-items.js";
import { isMeta, META, metaTensor } from "../trace/meta-tensors.js";
import { SymInt } from "../trace/sym-int.js";
import { deviceOf, isMetaDevice } from "./arguments.js";
import { deviceOfTensor } from "./conversions.js";
import { invalidArgument } from "./errors.js";
import { requireGradients } from "./gradients.js";
import { hasSymbolic, symbolicTensor } from "./symbolic-constants.js";
import { refuseAmbiguous } from "./whole-numbers.js";

/** Options of `torch.tensor`. */
export interface ConstantOptions {
  readonly dtype?: DType | null | undefined;
  readonly device?: unknown;
  readonly requiresGrad?: boolean | undefined;
}

/**
 * Returns the numbers of Python floats in nested lists. A dynamic size becomes its example value.
 */
function unwrap(values: unknown): unknown {
  if (Array.isArray(values)) return values.map(unwrap);
  return values instanceof SymInt
    ? currentTrace()?.env.guardInt(values.expr)
    : unwrapFloat(values as Argument);
}

const hasFloat = (values: unknown): boolean =>
  Array.isArray(values) ? values.some(hasFloat) : kindOf(values) === "float";

/** Returns the device that is asked for, or that of the tensor. */
const placeOf = (source: Tensor, device: unknown): DeviceLiteral =>
  (device ?? null) === null ? deviceOfTensor(source) : deviceOf(device);

/** `1` is an int, `float(1)` and `1.5` are floats, as everywhere in the API. */
function fromValues(name: string, values: unknown, options: ConstantOptions): Tensor {
  requireCpu(name, options.device);
  if ((options.dtype ?? null) === null) refuseAmbiguous(name, values);
  const dtype = options.dtype ?? (hasFloat(values) ? "float32" : undefined);
  const requiresGrad = options.requiresGrad === true && currentTrace() === undefined;
  const made = Tensor.from(unwrap(values) as NestedValues, { dtype, requiresGrad });
  if (options.requiresGrad === true) requireGradients(made, name);
  noteMade(made);
  return isMetaDevice(options.device) && currentTrace() === undefined ? metaTensor(made) : made;
}

/** A program that is traced holds its constants on the CPU; eager tensors have no other device. */
function requireCpu(name: string, device: unknown): void {
  if ((device ?? null) === null) return;
  const { type } = deviceOf(device);
  if (type !== "cpu" && currentTrace() !== undefined)
    throw invalidArgument(
      name,
      `a constant on the device ${type} is not supported in an export`,
      "leave out device, and move the tensor with `to`",
    );
}

function copyOf(source: Tensor, { dtype, device, requiresGrad }: ConstantOptions): Tensor {
  const detached = callOperator("aten.detach.default", [source]) as Tensor;
  const kind = dtypeLiteral(dtype ?? source.dtype);
  const copy = callOperator("aten.to.device", [
    detached,
    placeOf(source, device),
    kind,
    false,
    true,
  ]) as Tensor;
  if (currentTrace() !== undefined) return callOperator("aten.detach_.default", [copy]) as Tensor;
  return requiresGrad === true ? withGradient(copy) : copy;
}

/** Returns a constant as a program has it: a copy of its own for each call. */
export const lifted = (constant: Tensor): Tensor =>
  currentTrace() === undefined
    ? constant
    : (callOperator("aten.lift_fresh_copy.default", [constant]) as Tensor);

/** `torch.tensor(values)`: a constant while a program is traced. */
export function tensor(values: unknown, options: ConstantOptions = {}): Tensor {
  if (values instanceof Tensor) return copyOf(values, options);
  if (!hasSymbolic(values)) return constant("torch.tensor", values, options);
  requireCpu("torch.tensor", options.device);
  return symbolicTensor(values, options.dtype);
}

function constant(name: string, values: unknown, options: ConstantOptions): Tensor {
  const made = fromValues(name, values, options);
  return currentTrace()?.freshConstant(made) ?? made;
}

/** `x.new_tensor(values)`: of the dtype of `x`. PyTorch takes dynamic sizes for constants here. */
export function newTensor(self: Tensor, values: unknown, options: ConstantOptions): Tensor {
  const place = isMeta(self) ? { device: options.device ?? META } : {};
  const typed = { ...options, ...place, dtype: options.dtype ?? self.dtype };
  return values instanceof Tensor ? copyOf(values, typed) : constant("newTensor", values, typed);
}

/** Returns the same elements, as a tensor that asks for gradients. */
export const withGradient = ({ dtype, shape, strides, storageOffset, storage }: Tensor): Tensor =>
  new Tensor({ dtype, shape, strides, storageOffset, storage, requiresGrad: true });

/** `torch.as_tensor(values)`: a tensor as it is, or of another dtype. */
export function asTensor(values: unknown, { dtype, device }: ConstantOptions = {}): Tensor {
  if (!(values instanceof Tensor)) return lifted(fromValues("torch.asTensor", values, { dtype, device }));
  const kind = dtypeLiteral(dtype ?? values.dtype);
  return callOperator("aten.to.device", [values, placeOf(values, device), kind]) as Tensor;
}

/** `torch.asarray(values)`: a tensor of the dtype and on the device stays as it is. */
export function asArray(
  values: unknown,
  options: ConstantOptions & { readonly copy?: boolean | null } = {},
): Tensor {
  if (!(values instanceof Tensor)) return lifted(fromValues("torch.asarray", values, options));
  const { dtype, device, copy } = options;
  const place = placeOf(values, device);
  const changes = (dtype ?? values.dtype) !== values.dtype || !isSameDevice(place, deviceOfTensor(values));
  if (!changes) return copy === true ? (callOperator("aten.clone.default", [values]) as Tensor) : values;
  const kind = dtypeLiteral(dtype ?? values.dtype);
  return callOperator("aten.to.device", [values, place, kind, false, copy === true]) as Tensor;
}

const isSameDevice = (a: DeviceLiteral, b: DeviceLiteral): boolean =>
  a.type === b.type && a.index === b.index;
