/**
 * @file Tensors on the `meta` device: they have dtypes, shapes and strides, but no values.
 * Operators on them give what their shape rules say.
 */
import { type DeviceLiteral, device } from "@sconce/ir";
import {
  contiguousStrides,
  dtypeInfo,
  requiredBytes,
  Storage,
  Tensor,
  type TensorInit,
} from "@sconce/tensor";

/** The `meta` device. */
export const META: DeviceLiteral = device("meta");

const storages = new WeakSet<Storage>();

/**
 * Returns whether a tensor is on the `meta` device. Tensors without values that come from files
 * need not be: their programs may be of another device.
 */
export const isMeta = ({ storage }: Tensor): boolean => storages.has(storage);

/** Returns a tensor on the `meta` device, with separate memory. */
export function metaTensor(init: Omit<TensorInit, "storage">): Tensor {
  const { dtype, shape, strides = contiguousStrides(shape), storageOffset = 0 } = init;
  const storage = Storage.withoutValues(
    requiredBytes(shape, strides, storageOffset, dtypeInfo(dtype).itemSize),
  );
  storages.add(storage);
  return new Tensor({ ...init, strides, storageOffset, storage });
}

/** Returns whether a tensor on the `meta` device is among values, in lists too. */
export const hasMeta = (values: readonly unknown[]): boolean =>
  values.some((value) =>
    value instanceof Tensor ? isMeta(value) : Array.isArray(value) && hasMeta(value as readonly unknown[]),
  );

/** Returns the device that a fake of a tensor has, unless it is the CPU. */
export const placeOf = (tensor: Tensor): { readonly device?: DeviceLiteral } =>
  isMeta(tensor) ? { device: META } : {};

/** Operators whose operands may be on different devices. */
const MIXED = /^aten\.(?:copy_?|index(?:_put_?)?|_index_put_impl_?|to|_to_copy|is_same_size|set_)\./;

/** Returns whether a call may have operands on the CPU of these ranks beside operands on `meta`. */
export const mayMix = (target: string, others: readonly { readonly ndim: number }[]): boolean =>
  MIXED.test(target) || others.every(({ ndim }) => ndim === 0);
