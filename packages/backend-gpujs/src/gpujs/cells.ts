/** @file Tensors as the float32 cells that device memory has, and back. */
import { type DType, dtypeInfo, isBigIntDType, isFloatDType, Tensor } from "@sconce/tensor";
import { EXACT } from "../emit/dialect.js";
import { valueRange } from "../errors.js";

/** Row-major cells as float32. @throws SconceError `VALUE_RANGE` */
export function cellsOf(tensor: Tensor): Float32Array {
  const { dtype, storageOffset, numel } = tensor;
  if (dtype === "float32" && tensor.isContiguous)
    return (tensor.data as Float32Array).slice(storageOffset, storageOffset + numel);
  const cells = tensor.toFloat64Array();
  if (!isFloatDType(dtype) && dtypeInfo(dtype).itemSize > 2)
    for (const cell of cells) if (Math.abs(cell) > EXACT) throw valueRange("a tensor");
  return Float32Array.from(cells);
}

/** The first cells as a row-major tensor. */
export function tensorOf(cells: Float32Array, dtype: DType, shape: readonly number[]): Tensor {
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
