/** @file Sizes of tensors, traced or not. */
import { elementsOf } from "@sconce/ops";
import { and, eq, gt, type IntLike, le, mul, SymExpr, sub } from "@sconce/symbolic";
import type { Tensor } from "@sconce/tensor";
import { currentTrace, type Recorder } from "../trace/dispatch.js";
import { isSym, type Size, SymInt } from "../trace/sym-int.js";
import { isTraced } from "./arguments.js";
import { invalidArgument } from "./errors.js";

const sizeValue = (size: IntLike): Size => (size instanceof SymExpr ? new SymInt(size) : size);

/** Returns a size as text; a dynamic one shows its expression. */
export const sizeText = (size: unknown): string => (isSym(size) ? size.toString() : String(size));

/** Sizes as text: `2, s0`. */
export const sizesText = (sizes: readonly unknown[]): string => sizes.map(sizeText).join(", ");

/** Returns the sizes of a tensor, outermost dimension first. */
export function sizesOf(tensor: Tensor): readonly Size[] {
  if (!isTraced(tensor)) return tensor.shape;
  const sizes = tensor.fake.shape.map(sizeValue);
  if (sizes.some(isSym)) currentTrace()?.readsSizes?.(tensor);
  return sizes;
}

/** Returns the strides of a tensor, in elements. */
export const stridesOf = (tensor: Tensor): readonly Size[] =>
  isTraced(tensor) ? tensor.fake.strides.map(sizeValue) : tensor.strides;

/** Where the first element lies in the storage. */
export const storageOffsetOf = (tensor: Tensor): Size =>
  isTraced(tensor) ? sizeValue(tensor.fake.storageOffset) : tensor.storageOffset;

/** Returns a dimension counted from the end, counted from the start. */
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

/** Returns the size of one dimension; -1 is the last. */
export function sizeOf(tensor: Tensor, dim: number): Size {
  const at = dimensionOf(tensor.ndim, dim);
  if (!isTraced(tensor)) return tensor.shape[at]!;
  const size = sizeValue(tensor.fake.shape[at]!);
  if (isSym(size)) currentTrace()?.readsSizes?.(tensor);
  return size;
}

const expressionOf = (size: Size): IntLike => (size instanceof SymInt ? size.expr : size);

/** Returns whether a comparison is known to hold, without a guard or a node for it. */
const isKnown = (condition: boolean | SymExpr): boolean =>
  typeof condition === "boolean" ? condition : currentTrace()?.env.staticallyKnown(condition) === true;

/** Returns whether two sizes are known to be equal. */
export const knownEqual = (a: Size, b: Size): boolean => isKnown(eq(expressionOf(a), expressionOf(b)));

/** Returns whether a size is known not to exceed another. */
export const knownAtMost = (a: Size, b: Size): boolean => isKnown(le(expressionOf(a), expressionOf(b)));

/**
 * Takes note of functions of sizes that PyTorch computes and discards, where an operand is dynamic
 * ({@link Recorder.discarded}).
 *
 * @param sizes operands that are read from tensors
 * @param results operands that were computed
 */
export function discard(
  functions: readonly string[],
  sizes: readonly Size[],
  results: readonly Size[] = [],
): void {
  if (sizes.some(isSym) || results.some(isSym)) currentTrace()?.discarded(functions, sizes);
}

/** Returns whether two lists of sizes are equal, by a guard where the sizes are dynamic. */
export function guardSameSizes(a: readonly Size[], b: readonly Size[]): boolean {
  return (
    a.length === b.length &&
    a.every((size, i) => {
      discard(["eq"], [size, b[i]!]);
      const [one, other] = [expressionOf(size), expressionOf(b[i]!)];
      // A number stands on the right, as Python compares it.
      const condition = typeof one === "number" ? eq(other, one) : eq(one, other);
      return typeof condition === "boolean" ? condition : currentTrace()!.env.guard(condition);
    })
  );
}

/**
 * Requires that an index lies in a dimension, where one of them is an expression; false when it
 * does not.
 */
export function requireInside(size: Size, index: Size): boolean {
  if (!(index instanceof SymInt) && !(size instanceof SymInt)) return true;
  const [extent, position] = [expressionOf(size), expressionOf(index)];
  const inside = and(gt(extent, sub(-1, position)), gt(extent, position));
  return typeof inside === "boolean" ? inside : currentTrace()?.env.check(inside) !== false;
}

/** Returns the product of two sizes, without a node for it. */
export const productOf = (a: Size, b: Size): Size => sizeValue(mul(expressionOf(a), expressionOf(b)));

/** Returns the number of elements. */
export const numelOf = (tensor: Tensor): Size =>
  isTraced(tensor) ? sizeValue(elementsOf(tensor.fake)) : tensor.numel;
