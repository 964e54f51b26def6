/** @file Converts tensors to the float32 elements of device memory, and back. */
import {
  type DType,
  dtypeInfo,
  isBigIntDType,
  isFloatDType,
  numel as numelOf,
  Storage,
  Tensor,
} from "@sconce/tensor";
import { valueRange } from "../device/errors.js";
import { EXACT } from "../emit/dialect.js";

/**
 * Row-major elements as float32: the tensor's own memory where it is that already. @throws
 * SconceError `VALUE_RANGE`
 */
export function elementsOf(tensor: Tensor): Float32Array {
  const { dtype, storageOffset, numel } = tensor;
  if (dtype === "float32" && tensor.isContiguous)
    return (tensor.data as Float32Array).subarray(storageOffset, storageOffset + numel);
  const elements = tensor.toFloat64Array();
  if (!isFloatDType(dtype) && dtypeInfo(dtype).itemSize > 2)
    for (const element of elements) if (Math.abs(element) > EXACT) throw valueRange("a tensor");
  return Float32Array.from(elements);
}

/**
 * Returns the first elements as a row-major tensor; in the memory of the elements themselves where
 * nothing else needs it.
 */
export function tensorOf(
  elements: Float32Array,
  dtype: DType,
  shape: readonly number[],
  isOurs = false,
): Tensor {
  const { buffer, byteLength } = elements;
  // Fresh pages cost as much as what a short kernel computes.
  if (isOurs && dtype === "float32" && buffer.byteLength === byteLength && numelOf(shape) === elements.length)
    return new Tensor({ dtype, shape, storage: new Storage(new Uint8Array(buffer as ArrayBuffer)) });
  const tensor = Tensor.empty(shape, dtype);
  const { data, numel } = tensor;
  if (isBigIntDType(dtype)) {
    const wide = data as BigInt64Array;
    for (let at = 0; at < numel; at++) wide[at] = BigInt(elements[at]!);
  } else {
    // All other lane types take numbers.
    (data as Float32Array).set(elements.length === numel ? elements : elements.subarray(0, numel));
  }
  return tensor;
}
