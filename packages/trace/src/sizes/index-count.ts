/** @file The number of indices of `index_select`, as a size of its result. */
import { FakeTensor, type MetaValue } from "@sconce/ir";
import type { UnboundArg } from "@sconce/ops";
import { copyOf, freeSymbols, SymExpr } from "@sconce/symbolic";

/**
 * Returns the result of a call; that of `index_select` with the number of indices as a separate
 * size. PyTorch traces twice, and the second time takes the result from its cache of shapes, which
 * does not know symbols that calls of the trace made.
 *
 * @param made the symbols that calls of the trace made
 */
export function withIndexCount(
  target: string,
  args: readonly UnboundArg[],
  result: MetaValue,
  made: ReadonlySet<string>,
): MetaValue {
  if (target !== "aten.index_select.default" || !(result instanceof FakeTensor)) return result;
  const dim = Number(args[1]);
  const count = result.shape.at(dim);
  if (!(count instanceof SymExpr) || [...freeSymbols(count).keys()].some((name) => made.has(name)))
    return result;
  return new FakeTensor({ ...result, shape: result.shape.with(dim, copyOf(count)) });
}
