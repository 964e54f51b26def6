/** @file Checks of the operands of writes by an index of one dimension. */
import type { FakeTensor, IntLike } from "@sconce/ir";
import type { SymEnv } from "@sconce/symbolic";
import { dtypeMismatch, invalidArgument, shapeMismatch } from "../rows/errors.js";
import { describeSize, describeSizes } from "./describe.js";
import { sizeEquals, sizesEqual, wrapDim } from "./dims.js";
import { withoutQuestions } from "./without-questions.js";

/** Returns whether shapes are equal for some sizes; asks nothing. */
const mayBeEqual = (a: readonly IntLike[], b: readonly IntLike[], env: SymEnv): boolean =>
  sizesEqual(a, b, withoutQuestions(env));

export function checkVector(index: FakeTensor): void {
  if (index.ndim > 1) throw invalidArgument(`Index should have dimension 1 or 0 (got ${index.ndim})`);
}

interface IndexAdd {
  readonly self: FakeTensor;
  readonly dim: IntLike;
  readonly index: FakeTensor;
  readonly source: FakeTensor;
}

/** Refuses operands of `index_add` that do not fit each other. */
export function checkIndexAdd(env: SymEnv, { self, dim, index, source }: IndexAdd): void {
  const axis = wrapDim(dim, self.ndim);
  checkVector(index);
  if (self.dtype !== source.dtype)
    throw dtypeMismatch("index_add_(): self and source must have the same scalar type");
  const count = index.ndim === 1 ? index.shape[0]! : 1;
  const given = source.ndim > 0 ? source.shape[wrapDim(dim, source.ndim)]! : 1;
  if (!sizeEquals(given, count, env)) {
    throw shapeMismatch(
      `Number of indices (${describeSize(count)}) should be equal to tensor.size(dim) (${describeSize(given)}), for dim=${axis}`,
    );
  }
  // PyTorch asks nothing of the other sizes.
  if (self.ndim > 0 && !mayBeEqual(source.shape, self.shape.with(axis, given), env)) {
    throw shapeMismatch(
      "source tensor shape must match self tensor shape, excluding the specified dimension. Got self.shape = " +
        `${describeSizes(self.shape)} source.shape = ${describeSizes(source.shape)}`,
    );
  }
}
