/** @file Sizes that are numbers. */
import type { FakeTensor } from "./meta.js";

/** Returns whether all sizes are numbers. */
export const areStatic = (sizes: readonly unknown[]): sizes is readonly number[] =>
  sizes.every((size) => typeof size === "number");

/** Returns whether sizes, strides and offset of a tensor are numbers. */
export const hasStaticLayout = ({ shape, strides, storageOffset }: FakeTensor): boolean =>
  typeof storageOffset === "number" && areStatic(shape) && areStatic(strides);
