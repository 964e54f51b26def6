/** @file Recorded values as tensors and arguments. */
import {
  type Argument,
  device,
  dtypeLiteral,
  float,
  type LayoutName,
  layout,
  type MemoryFormat,
  memoryFormat,
} from "@sconce/ir";
import { contiguousStrides, dtypeInfo, isDType, numel, Storage, Tensor } from "@sconce/tensor";
import type { CaseTensor, CaseValue, OpCase } from "./case.js";
import { badCase } from "./errors.js";

/** What a case's value becomes: a tensor, an argument literal, or a list of those. */
export type BuiltValue = Tensor | Argument | readonly BuiltValue[];

/** The arguments of a call. */
export interface Call {
  /** Positional arguments. */
  readonly args: readonly BuiltValue[];
  /** Keyword arguments by name. */
  readonly kwargs: Readonly<Record<string, BuiltValue>>;
}

/** Fresh arguments of a case, because calls may write to them. */
export const buildCall = (one: OpCase): Call => ({
  args: one.args.map(buildValue),
  kwargs: Object.fromEntries(Object.entries(one.kwargs).map(([key, value]) => [key, buildValue(value)])),
});

/** Builds a fresh value. */
export function buildValue(value: CaseValue): BuiltValue {
  if ("tensor" in value) return buildTensor(value);
  if ("int" in value) return value.int;
  if ("float" in value) return float(value.float);
  if ("bool" in value) return value.bool;
  if ("str" in value) return value.str;
  if ("list" in value) return value.list.map(buildValue);
  if ("dtype" in value) return dtypeOf(value.dtype);
  if ("memory_format" in value) return memoryFormat(value.memory_format as MemoryFormat);
  if ("layout" in value) return layout(value.layout as LayoutName);
  if ("device" in value) return deviceOf(value.device);
  return null;
}

/** Builds the tensor as it lay in PyTorch's memory. */
export function buildTensor(spec: CaseTensor): Tensor {
  const { dtype, shape, strides = contiguousStrides(shape), storageOffset = 0 } = spec;
  if (spec.storage !== undefined) {
    const storage = new Storage(spec.storage().slice());
    return new Tensor({ dtype, shape, strides, storageOffset, storage });
  }
  const { itemSize } = dtypeInfo(dtype);
  const isEmpty = numel(shape) === 0;
  const last = isEmpty ? 0 : 1 + shape.reduce((sum, size, d) => sum + (size - 1) * strides[d]!, 0);
  const storage = Storage.allocate((storageOffset + last) * itemSize);
  const tensor = new Tensor({ dtype, shape, strides, storageOffset, storage });
  if (spec.tensor !== null && !isEmpty) scatterBytes(tensor, spec.tensor(), itemSize);
  return tensor;
}

function scatterBytes(tensor: Tensor, values: Uint8Array, itemSize: number): void {
  const { shape, strides, storageOffset, storage } = tensor;
  const index = shape.map(() => 0);
  let position = storageOffset;
  for (let at = 0; at < values.length; at += itemSize) {
    storage.bytes.set(values.subarray(at, at + itemSize), position * itemSize);
    for (let d = shape.length - 1; d >= 0; d--) {
      position += strides[d]!;
      if (++index[d]! < shape[d]!) break;
      position -= strides[d]! * shape[d]!;
      index[d] = 0;
    }
  }
}

function dtypeOf(name: string): Argument {
  if (!isDType(name)) throw badCase(`unknown dtype "${name}"`);
  return dtypeLiteral(name);
}

function deviceOf(text: string): Argument {
  const [type, index] = text.split(":");
  return device(type!, index === undefined ? null : Number(index));
}
