import { FakeTensor } from "@sconce/ir";
import type { Tensor } from "@sconce/tensor";
import { placeOf } from "./meta-tensors.js";

/** Returns what is known of a tensor without its values, all sizes static. */
export const fakeOf = (tensor: Tensor, requiresGrad: boolean = tensor.requiresGrad): FakeTensor =>
  new FakeTensor({
    dtype: tensor.dtype,
    shape: tensor.shape,
    strides: tensor.strides,
    storageOffset: tensor.storageOffset,
    requiresGrad,
    ...placeOf(tensor),
  });
