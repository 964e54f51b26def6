/**
 * @file Sizes that only the data decide are not negative: PyTorch asserts so of every tensor that
 * it makes (`expect_size` of `torch/fx/experimental/symbolic_shapes.py`).
 */
import { FakeTensor, type MetaValue } from "@sconce/ir";
import { ge, type ShapeEnv, SymExpr } from "@sconce/symbolic";

/** Requires that the sizes of a result are not negative, where only the data decide them. */
export function requireSizes(env: ShapeEnv, result: MetaValue): void {
  if (Array.isArray(result)) {
    for (const item of result as readonly MetaValue[]) requireSizes(env, item);
    return;
  }
  if (!(result instanceof FakeTensor)) return;
  for (const size of result.shape)
    if (size instanceof SymExpr && env.hint(size) === undefined) env.check(ge(size, 0));
}
