/** @file Tensors as the float32 cells that device memory has, and back. */
import {
  type DType,
  dtypeInfo,
  isBigIntDType,
  isFloatDType,
  numel as numelOf,
  Storage,
  Tensor,
} from "@sconce/tensor";
import { EXACT } from "../emit/dialect.js";
import { valueRange } from "../errors.js";

/** Row-major cells as float32: the tensor's own memory where it is that already. @throws SconceError `VALUE_RANGE` */
export function cellsOf(tensor: Tensor): Float32Array {
  const { dtype, storageOffset, numel } = tensor;
  if (dtype === "float32" && tensor.isContiguous)
    return (tensor.data as Float32Array).subarray(storageOffset, storageOffset + numel);
  const cells = tensor.toFloat64Array();
  if (!isFloatDType(dtype) && dtypeInfo(dtype).itemSize > 2)
    for (const cell of cells) if (Math.abs(cell) > EXACT) throw valueRange("a tensor");
  return Float32Array.from(cells);
}

/** The first cells as a row-major tensor; in the memory of the cells themselves where nobody else needs it. */
export function tensorOf(
  cells: Float32Array,
  dtype: DType,
  shape: readonly number[],
  isOurs = false,
): Tensor {
  const { buffer, byteLength } = cells;
  // Fresh pages cost as much as what a short kernel computes.
  if (isOurs && dtype === "float32" && buffer.byteLength === byteLength && numelOf(shape) === cells.length)
    return new Tensor({ dtype, shape, storage: new Storage(new Uint8Array(buffer as ArrayBuffer)) });
  const tensor = Tensor.empty(shape, dtype);
  const { data, numel } = tensor;
  if (isBigIntDType(dtype)) {
    const wide = data as BigInt64Array;
    for (let at = 0; at < numel; at++) wide[at] = BigInt(cells[at]!);
  } else {
    // All other lane types take numbers.
    (data as Float32Array).set(cells.length === numel ? cells : cells.subarray(0, numel));
  }
  return tensor;
}
