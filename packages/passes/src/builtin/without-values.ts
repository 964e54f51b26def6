import { Storage, Tensor } from "@sconce/tensor";

/** Makes copies of tensors without values; those that share memory still do. */
export function withoutValues(): (tensor: Tensor) => Tensor {
  const storages = new Map<Storage, Storage>();
  return ({ dtype, shape, strides, storageOffset, requiresGrad, storage: given }) => {
    const storage = storages.get(given) ?? Storage.withoutValues(given.byteLength);
    storages.set(given, storage);
    return new Tensor({ dtype, shape, strides, storageOffset, requiresGrad, storage });
  };
}
