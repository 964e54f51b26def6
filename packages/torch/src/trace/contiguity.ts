/** @file What PyTorch asks of the sizes of new tensors (`torch/_prims_common.is_contiguous`). */
import { FakeTensor, type MetaValue } from "@sconce/ir";
import { eq, lt, mul, ne, type ShapeEnv, type SymBool, SymExpr, type SymInt, symMax } from "@sconce/symbolic";

/**
 * Records the guards by which PyTorch finds out whether the results of a call are contiguous.
 *
 * @param seen the layouts that were asked about before, which is added to
 */
export function guardContiguity(env: ShapeEnv, result: MetaValue, seen: Set<string>): void {
  if (Array.isArray(result)) {
    for (const item of result as readonly MetaValue[]) guardContiguity(env, item, seen);
    return;
  }
  if (!(result instanceof FakeTensor) || !result.shape.some((size) => size instanceof SymExpr)) return;
  const layout = [...result.shape, ...result.strides].map((size) =>
    size instanceof SymExpr ? size.key : size,
  );
  const key = layout.join();
  if (seen.has(key)) return;
  seen.add(key);
  guardLayout(env, result);
}

function guardLayout(env: ShapeEnv, { shape, strides }: FakeTensor): void {
  const numel = shape.reduce((a, b) => mul(a, b), 1 as SymInt);
  if (env.hint(numel) === undefined) return;
  const decide = (condition: SymBool): boolean =>
    typeof condition === "boolean" ? condition : env.guard(condition);
  if (decide(lt(numel, 2))) return;
  let expected: SymInt = 1;
  let expectedMax: SymInt = 1;
  for (let dim = shape.length - 1; dim >= 0; dim--) {
    const size = shape[dim]!;
    if (decide(eq(size, 1))) continue;
    const stride = strides[dim]!;
    if (decide(ne(stride, expected)) && decide(ne(stride, expectedMax))) return;
    expectedMax = mul(expectedMax, symMax(size, 1));
    expected = mul(expected, size);
  }
}
