/** @file What PyTorch asks of the sizes of new tensors (`torch/_prims_common.is_contiguous`). */
import { FakeTensor, type MetaValue } from "@sconce/ir";
import { askNesting, channelsLastOrder, elementsOf } from "@sconce/ops";
import { lt, type ShapeEnv, SymExpr } from "@sconce/symbolic";

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

/** Asks whether a tensor is row-major, and then whether it is channels-last. */
function guardLayout(env: ShapeEnv, tensor: FakeTensor): void {
  const { ndim } = tensor;
  const numel = elementsOf(tensor);
  if (env.hint(numel) === undefined || env.orFalse(lt(numel, 2))) return;
  if (askNesting(tensor, env, { countsEmpty: true }) || (ndim !== 4 && ndim !== 5)) return;
  askNesting(tensor, env, { order: channelsLastOrder(ndim) });
}
