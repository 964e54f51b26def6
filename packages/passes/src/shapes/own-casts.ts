/** @file Conversions of operands that an operator makes itself. */
import { FakeTensor } from "@sconce/ir";
import { type DType, promoteTypes } from "@sconce/tensor";

const BINARY = /^aten\.(add|sub|mul|div|eq|ne|lt|le|gt|ge)\.Tensor$|^aten\.(maximum|minimum)\.default$/;

const NONE: readonly number[] = [];

/**
 * Returns the two operands that an operator converts to their common dtype (`TensorIterator`), by
 * their places; none otherwise.
 */
export const promotedOperands = (target: string): readonly number[] =>
  BINARY.test(target) ? [0, 1] : target === "aten.where.self" ? [1, 2] : NONE;

/**
 * Bools have their own rules; larger unsigned integers, 8-bit floats and the like have no common
 * dtype with others.
 */
const PROMOTED = /^(u?int8|int16|int32|int64|bfloat16|float16|float32|float64)$/;

/**
 * Returns whether an operator that gets `source` and `other` computes with `converted` and `other`:
 * all have dimensions, so that none is a number whose dtype counts less, and the common dtype is
 * that of the conversion.
 */
export function convertsItself(source: unknown, converted: unknown, other: unknown): boolean {
  const [from, to, beside] = [dtypeOf(source), dtypeOf(converted), dtypeOf(other)];
  if (from === undefined || to === undefined || to !== beside) return false;
  return promoteTypes(from, to) === to;
}

const dtypeOf = (val: unknown): DType | undefined =>
  val instanceof FakeTensor && val.ndim > 0 && PROMOTED.test(val.dtype) ? val.dtype : undefined;
