/** @file Tensors as operands and results of {@link multiply}. */

import { contiguousStrides, type DType, type StridedView, type Tensor } from "@sconce/tensor";
import { isNativeDType, type NumberArray, readNumbers, writeNumbers } from "../kernel/dense.js";
import { scratch } from "../kernel/scratch.js";
import { type GatherMatrix, multiply, multiplyFloat32, stepped } from "./gemm.js";

/**
 * A tensor's numbers with the strides to read them by: its storage, or a dense copy for halves and
 * int64.
 */
export interface NumberView extends StridedView {
  readonly values: NumberArray;
  readonly shape: readonly number[];
  readonly strides: readonly number[];
  readonly storageOffset: number;
}

export function numberView(tensor: Tensor): NumberView {
  const { shape, strides, storageOffset } = tensor;
  if (isNativeDType(tensor.dtype))
    return { values: tensor.data as NumberArray, shape, strides, storageOffset };
  return { values: readNumbers(tensor), shape, strides: contiguousStrides(shape), storageOffset: 0 };
}

/** Returns the last two dimensions of a view as a matrix. */
export function matrixOf(view: NumberView, offset = view.storageOffset): GatherMatrix {
  const { values, shape, strides } = view;
  const [i, j] = [shape.length - 2, shape.length - 1];
  return { values, rows: stepped(shape[i]!, strides[i]!, offset), columns: stepped(shape[j]!, strides[j]!) };
}

/**
 * Returns the matrices of a batch below each other, as one matrix: the batch of a product whose
 * second operand is expanded along it is one product, whose second operand is packed once.
 */
export function stacked(view: NumberView): GatherMatrix {
  const { values, shape, strides, storageOffset } = view;
  const [batch, count, width] = shape as [number, number, number];
  const rows = scratch(Int32Array, batch * count);
  for (let n = 0, at = 0; n < batch; n++)
    for (let i = 0; i < count; i++) rows[at++] = storageOffset + n * strides[0]! + i * strides[1]!;
  return { values, rows, columns: stepped(width, strides[2]!) };
}

/**
 * Where results go: the storage itself, or for halves and int64 a float64 array that
 * {@link finishTarget} rounds.
 */
export function numberTarget(tensor: Tensor): NumberView {
  if (isNativeDType(tensor.dtype)) return numberView(tensor);
  const { shape } = tensor;
  return {
    values: scratch(Float64Array, tensor.numel),
    shape,
    strides: contiguousStrides(shape),
    storageOffset: 0,
  };
}

export function finishTarget(tensor: Tensor, target: NumberView): Tensor {
  if (target.values.buffer !== tensor.data.buffer) writeNumbers(tensor, target.values);
  return tensor;
}

/** `scale * (A B) + addend`; the addend has the target's shape, `addScale` is its factor. */
export interface Epilogue {
  readonly scale: number;
  readonly addend: GatherMatrix;
  readonly addScale: number;
}

/**
 * Returns how to multiply for a result of this dtype: sums of float32 and bfloat16 overflow. Those
 * of float16 do not, because PyTorch adds them up in float32.
 */
export const multiplierFor = (dtype: DType): typeof multiplyFloat32 =>
  dtype === "float32" || dtype === "bfloat16" ? multiplyFloat32 : multiply;

/** Multiplies into a target given in the same form as the operands. */
export function multiplyInto(
  target: GatherMatrix,
  a: GatherMatrix,
  b: GatherMatrix,
  dtype: DType,
  epilogue?: Epilogue,
): void {
  const { values, rows, columns } = target;
  multiplierFor(dtype)(a, b, (i, j, height, width, block, start, stride) => {
    for (let y = 0; y < height; y++) {
      const from = start + y * stride;
      const row = rows[i + y]!;
      if (epilogue === undefined) {
        for (let x = 0; x < width; x++) values[row + columns[j + x]!] = block[from + x]!;
      } else {
        const { scale, addScale, addend } = epilogue;
        const add = addend.rows[i + y]!;
        for (let x = 0; x < width; x++) {
          values[row + columns[j + x]!] =
            scale * block[from + x]! + addScale * addend.values[add + addend.columns[j + x]!]!;
        }
      }
    }
  });
}
