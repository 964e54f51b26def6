/** @file Sizes of tensors, traced or not. */
import { type SymInt as Expr, mul, SymExpr } from "@sconce/symbolic";
import type { Tensor } from "@sconce/tensor";
import { isSym, type Size, SymInt } from "../trace/sym-int.js";
import { isTraced } from "./arguments.js";
import { invalidArgument } from "./errors.js";

const sizeValue = (size: Expr): Size => (size instanceof SymExpr ? new SymInt(size) : size);

/** A size as text; a dynamic one shows its expression. */
export const sizeText = (size: unknown): string => (isSym(size) ? size.toString() : String(size));

/** Sizes as text: `2, s0`. */
export const sizesText = (sizes: readonly unknown[]): string => sizes.map(sizeText).join(", ");

/** The sizes of a tensor, outermost dimension first. */
export const sizesOf = (tensor: Tensor): readonly Size[] =>
  isTraced(tensor) ? tensor.fake.shape.map(sizeValue) : tensor.shape;

/** The strides of a tensor, in elements. */
export const stridesOf = (tensor: Tensor): readonly Size[] =>
  isTraced(tensor) ? tensor.fake.strides.map(sizeValue) : tensor.strides;

/** Where the first element lies in the storage. */
export const storageOffsetOf = (tensor: Tensor): Size =>
  isTraced(tensor) ? sizeValue(tensor.fake.storageOffset) : tensor.storageOffset;

/** A dimension counted from the end, counted from the start. */
export function dimensionOf(ndim: number, dim: number): number {
  const range = Math.max(ndim, 1);
  if (!(Number.isInteger(dim) && dim >= -range && dim < range))
    throw invalidArgument(
      "dim",
      `${String(dim)} is not a dimension of a tensor of ${ndim} dimensions`,
      `use a whole number from ${-range} to ${range - 1}`,
    );
  return dim < 0 ? dim + range : dim;
}

/** The size of one dimension; -1 is the last. */
export const sizeOf = (tensor: Tensor, dim: number): Size =>
  sizesOf(tensor)[dimensionOf(tensor.ndim, dim)] as Size;

/** The number of elements. */
export const numelOf = (tensor: Tensor): Size =>
  isTraced(tensor) ? sizeValue(tensor.fake.shape.reduce((a, b) => mul(a, b), 1 as Expr)) : tensor.numel;
