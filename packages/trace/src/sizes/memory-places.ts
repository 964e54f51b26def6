/** @file Where the elements of a tensor lie in its storage. */
import type { FakeTensor } from "@sconce/ir";
import { add, type IntLike, mul, sub } from "@sconce/symbolic";

/** Returns how many elements of its storage a tensor reaches. */
export const lastPlace = ({ shape, strides, storageOffset }: FakeTensor): IntLike =>
  shape.reduce((place, size, dim) => add(place, mul(sub(size, 1), strides[dim]!)), add(storageOffset, 1));

/** Returns whether elements lie behind each other, in the order of rows. */
export const isDense = (shape: readonly IntLike[], strides: readonly IntLike[]): boolean => {
  let expected = 1;
  for (let dim = shape.length - 1; dim >= 0; dim--) {
    if (shape[dim] === 1) continue;
    if (strides[dim] !== expected) return false;
    expected *= shape[dim] as number;
  }
  return true;
};
