/** @file Tensors as the files describe them: everything but their storage. */
import { areStatic, type FakeTensor } from "@sconce/ir";
import type { Tensor, TensorLayout } from "@sconce/tensor";
import type { Read } from "../json/place.js";
import { valueReaders } from "./values.js";

/** Reads the metadata of a weight, and refuses symbolic sizes. */
export const readWeightMeta: Read<FakeTensor> = /* @__PURE__ */ valueReaders(undefined).tensor;

/** Everything of a tensor but its storage. */
type StaticLayout = TensorLayout & Pick<Tensor, "requiresGrad">;

/** Returns the layout of a tensor with static sizes; undefined when one of them is symbolic. */
export function staticLayout({
  dtype,
  shape,
  strides,
  storageOffset,
  requiresGrad,
}: FakeTensor): StaticLayout | undefined {
  if (!areStatic(shape) || !areStatic(strides) || typeof storageOffset !== "number") return undefined;
  return { dtype, shape, strides, storageOffset, requiresGrad };
}
