/**
 * @file Tensors of values that are known when a program runs only: `torch.tensor([n, 2])`
 * (`_internal_new_from_data` in `torch/_refs/__init__.py`).
 */
import { device, dtypeLiteral, kindOf } from "@sconce/ir";
import { type DType, promoteTypes, type Tensor } from "@sconce/tensor";
import { callOperator, type OperatorArgument } from "../trace/dispatch.js";
import { isSym, SymFloat, SymInt } from "../trace/sym-int.js";

/** Returns whether a symbolic value is among values. */
export const hasSymbolic = (values: unknown): boolean =>
  Array.isArray(values) ? values.some(hasSymbolic) : isSym(values);

/** `torch.tensor(values)` of a program that is traced, with symbolic values among them. */
export function symbolicTensor(values: unknown, dtype: DType | null | undefined): Tensor {
  const kind = dtype ?? inferred(values);
  const made = stacked(values, kind);
  const copy = callOperator("aten.to.device", [made, device("cpu"), dtypeLiteral(kind)]) as Tensor;
  return callOperator("aten.detach_.default", [copy]) as Tensor;
}

/** Returns the dtype that all values fit in. */
function inferred(values: unknown): DType {
  if (!Array.isArray(values)) return scalarDType(values);
  const [first, ...rest] = values as readonly unknown[];
  if (first === undefined) return "float32";
  return rest.reduce((dtype: DType, value) => {
    const other = inferred(value);
    callOperator("aten.promote_types.default", [dtypeLiteral(dtype), dtypeLiteral(other)]);
    return promoteTypes(dtype, other);
  }, inferred(first));
}

function scalarDType(value: unknown): DType {
  if (value instanceof SymInt || typeof value === "bigint") return "int64";
  if (value instanceof SymFloat || kindOf(value) === "float") return "float32";
  if (typeof value === "number") return Number.isInteger(value) ? "int64" : "float32";
  return "bool";
}

function stacked(values: unknown, dtype: DType): Tensor {
  if (Array.isArray(values))
    return callOperator("aten.stack.default", [values.map((value) => stacked(value, dtype))]) as Tensor;
  return callOperator("aten.scalar_tensor.default", [values as OperatorArgument], {
    dtype: dtypeLiteral(dtype),
    device: device("cpu"),
    pin_memory: false,
  }) as Tensor;
}
