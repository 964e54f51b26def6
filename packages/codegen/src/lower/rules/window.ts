/** @file Windows that slide over the last dimensions of a tensor. */
import type { IntLike } from "@sconce/symbolic";
import { type Index, isWithin } from "../../ir/index-expr.js";
import { apply, both, constantScalar, indexScalar, type Scalar, TRUE } from "../../ir/scalar.js";
import { fixedNumbers } from "../core/call.js";

export interface Window {
  readonly stride: readonly number[];
  readonly padding: readonly number[];
  readonly dilation: readonly number[];
}
interface WindowArgs {
  readonly stride: readonly IntLike[];
  readonly padding: readonly IntLike[];
  readonly dilation: readonly IntLike[];
}
/** Returns the window of a convolution. @throws CannotLower where it is symbolic */
export const windowOf = ({ stride, padding, dilation }: WindowArgs, rank: number): Window => ({
  stride: perDim(fixedNumbers(stride, "stride"), rank),
  padding: perDim(fixedNumbers(padding, "padding"), rank),
  dilation: perDim(fixedNumbers(dilation, "dilation"), rank),
});
/** One number represents all dimensions. */
export const perDim = (values: readonly number[], rank: number): number[] =>
  values.length === rank ? [...values] : new Array<number>(rank).fill(values[0] ?? 0);

/** Returns whether an index is within an extent; nothing to ask when that is certain. */
export function inside(index: Index, extent: Index): Scalar {
  if (isWithin(index, extent)) return TRUE;
  const value = indexScalar(index);
  return both(apply("ge", value, constantScalar(0, "int64")), apply("lt", value, indexScalar(extent)));
}
