/** @file Products of matrices that functorch computes in steps. */
import type { EmitArg } from "@sconce/ops";
import type { BatchCalls } from "./batched-indexing.js";

type Kwargs = Readonly<Record<string, EmitArg>>;

/** `x W^T + b` of vectors, which are matrices of one row. */
export function linearOfVectors(call: BatchCalls, [input, weight, bias]: readonly EmitArg[]): EmitArg {
  const transposed = call("t.default", weight!);
  const product = call("mm.default", call("unsqueeze.default", input!, 0), transposed);
  const rows = call("squeeze.dim", product, 0);
  return bias === undefined || bias === null ? rows : call("add.Tensor", rows, bias);
}

/** Returns the product and then what is added to it, each times its factor. */
export function addedProduct(
  callOf: (target: string, args: readonly EmitArg[], kwargs: Kwargs) => EmitArg,
  target: string,
  [self, left, right]: readonly EmitArg[],
  { beta = 1, alpha = 1 }: Kwargs,
): EmitArg {
  const call = (name: string, given: readonly EmitArg[], named: Kwargs = {}): EmitArg =>
    callOf(`aten.${name}`, given, named);
  const product = call(target === "aten.addmm.default" ? "mm.default" : "bmm.default", [left!, right!]);
  const scaled = call("mul.Scalar", [self!, beta]);
  return call("add.Tensor", [scaled, product], alpha === 1 ? {} : { alpha });
}
