/** @file Copies tensors into the memory of WebAssembly and back: elements are those of the host. */
import { type DType, dtypeInfo, numel, Storage, Tensor } from "@sconce/tensor";

/** Bytes of the elements of a tensor, one after the other. */
export const elementBytes = ({ dtype, numel }: Tensor): number => numel * dtypeInfo(dtype).itemSize;

/** The elements of a tensor, row by row. */
export function elementsOf(tensor: Tensor): Uint8Array {
  const whole = tensor.isContiguous ? tensor : tensor.contiguous();
  const { itemSize } = dtypeInfo(whole.dtype);
  const start = whole.storageOffset * itemSize;
  return whole.storage.bytes.subarray(start, start + whole.numel * itemSize);
}

/** Copies the elements of a tensor, row by row, to an address. */
export const copyIn = (tensor: Tensor, memory: Uint8Array, address: number): void =>
  memory.set(elementsOf(tensor), address);

/** Copies elements at an address to a new tensor. */
export function copyOut(memory: Uint8Array, address: number, dtype: DType, shape: readonly number[]): Tensor {
  const bytes = numel(shape) * dtypeInfo(dtype).itemSize;
  const storage = new Storage(memory.slice(address, address + bytes));
  return new Tensor({ dtype, shape, storage });
}
