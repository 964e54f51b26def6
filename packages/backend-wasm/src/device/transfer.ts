/** @file Copies tensors into the memory of WebAssembly and back: elements are those of the host. */
import { type DType, dtypeInfo, numel, Storage, Tensor } from "@sconce/tensor";

/** Bytes of the elements of a tensor, one after the other. */
export const elementBytes = ({ dtype, numel }: Tensor): number => numel * dtypeInfo(dtype).itemSize;

/** Returns the elements of a tensor, row by row. */
export function elementsOf(tensor: Tensor): Uint8Array {
  const whole = tensor.isContiguous ? tensor : tensor.contiguous();
  const { itemSize } = dtypeInfo(whole.dtype);
  const start = whole.storageOffset * itemSize;
  return whole.storage.bytes.subarray(start, start + whole.numel * itemSize);
}

/** Returns a tensor of elements that are read, by the count of their bytes. */
export function tensorOf(
  read: (bytes: number) => Uint8Array<ArrayBuffer>,
  dtype: DType,
  shape: readonly number[],
): Tensor {
  const storage = new Storage(read(numel(shape) * dtypeInfo(dtype).itemSize));
  return new Tensor({ dtype, shape, storage });
}
