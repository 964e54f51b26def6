/** @file Tensors made of values: `torch.tensor`, `torch.as_tensor`, `x.new_tensor`. */
import { dtypeLiteral } from "@sconce/ir";
import { type DType, type NestedValues, Tensor } from "@sconce/tensor";
import { callOperator, currentTrace, type OperatorArgument } from "../trace/dispatch.js";
import { deviceOf } from "./arguments.js";
import { deviceOfTensor } from "./conversions.js";

/** Options of `torch.tensor`. */
export interface ConstantOptions {
  readonly dtype?: DType | null | undefined;
  readonly device?: unknown;
  readonly requiresGrad?: boolean | undefined;
}

const unwrap = (values: unknown): unknown => {
  if (Array.isArray(values)) return values.map(unwrap);
  if (typeof values !== "object" || values === null) return values;
  return (values as { readonly kind?: string }).kind === "float"
    ? (values as { value: number }).value
    : values;
};

const isFloatLiteral = (values: unknown): boolean =>
  Array.isArray(values)
    ? values.some(isFloatLiteral)
    : (values as { readonly kind?: string } | null | undefined)?.kind === "float";

/** `1` is an int, `float(1)` and `1.5` are floats, as everywhere in the API. */
function fromValues(values: unknown, dtype: DType | null | undefined): Tensor {
  const chosen = dtype ?? (isFloatLiteral(values) ? "float32" : undefined);
  return Tensor.from(unwrap(values) as NestedValues, { dtype: chosen });
}

function copyOf(source: Tensor, { dtype, device }: ConstantOptions): Tensor {
  const place = device === undefined || device === null ? deviceOfTensor(source) : deviceOf(device);
  const detached = callOperator("aten.detach.default", [source]) as Tensor;
  const kind = dtypeLiteral(dtype ?? source.dtype);
  const copy = callOperator("aten.to.device", [detached, place, kind, false, true]) as Tensor;
  return currentTrace() === undefined ? copy : (callOperator("aten.detach_.default", [copy]) as Tensor);
}

/** The constant as a program has it: a copy of its own for each call. */
const lifted = (constant: Tensor): Tensor =>
  currentTrace() === undefined
    ? constant
    : (callOperator("aten.lift_fresh_copy.default", [constant]) as Tensor);

/** `torch.tensor(values)`: a constant while a program is traced. */
export function tensor(values: unknown, options: ConstantOptions = {}): Tensor {
  if (values instanceof Tensor) return copyOf(values, options);
  const constant = fromValues(values, options.dtype);
  const made =
    options.requiresGrad === true && currentTrace() === undefined ? withGradient(constant) : constant;
  return currentTrace()?.freshConstant(made) ?? made;
}

const withGradient = ({ dtype, shape, storage }: Tensor): Tensor =>
  new Tensor({ dtype, shape, storage, requiresGrad: true });

/** `torch.as_tensor(values)`: a tensor as it is, or of another dtype. */
export function asTensor(values: unknown, { dtype, device }: ConstantOptions = {}): Tensor {
  if (!(values instanceof Tensor)) return lifted(fromValues(values, dtype));
  const kind: OperatorArgument = dtypeLiteral(dtype ?? values.dtype);
  const place = device === undefined || device === null ? deviceOfTensor(values) : deviceOf(device);
  return callOperator("aten.to.device", [values, place, kind]) as Tensor;
}

/** `torch.asarray(values)`: a tensor stays as it is. */
export function asArray(
  values: unknown,
  options: ConstantOptions & { readonly copy?: boolean | null } = {},
): Tensor {
  if (!(values instanceof Tensor)) return lifted(fromValues(values, options.dtype));
  if (options.copy === true)
    return callOperator("aten.clone.default", [asArray(values, { dtype: options.dtype })]) as Tensor;
  if (options.dtype === undefined || options.dtype === null || options.dtype === values.dtype) return values;
  return callOperator("aten.to.dtype", [values, dtypeLiteral(options.dtype)]) as Tensor;
}
