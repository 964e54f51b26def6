import { FakeTensor, type MetaValue } from "@sconce/ir";
import { printExpr, SymExpr, type SymInt } from "@sconce/symbolic";

/** Why a value may not take the place of another, or undefined when it may. */
export function replacementProblem(
  before: MetaValue | undefined,
  after: MetaValue | undefined,
  changesLayout: boolean,
): string | undefined {
  if (!(before instanceof FakeTensor)) return undefined;
  if (!(after instanceof FakeTensor)) return "the replacement is not a tensor";
  if (before.dtype !== after.dtype) return `would give ${after.dtype} instead of ${before.dtype}`;
  if (!sameSizes(before.shape, after.shape))
    return `would give the shape ${sizesText(after.shape)} instead of ${sizesText(before.shape)}`;
  if (!changesLayout && !sameSizes(significant(before), significant(after)))
    return `would give the strides ${sizesText(after.strides)} instead of ${sizesText(before.strides)}`;
  return undefined;
}

/** Strides of dimensions with more than one element. */
const significant = ({ shape, strides }: FakeTensor): SymInt[] =>
  shape.includes(0) ? [] : strides.filter((_, d) => shape[d] !== 1);

const sameSizes = (a: readonly SymInt[], b: readonly SymInt[]): boolean =>
  a.length === b.length &&
  a.every((size, d) => {
    const other = b[d]!;
    return size === other || (size instanceof SymExpr && other instanceof SymExpr && size.key === other.key);
  });

const sizesText = (sizes: readonly SymInt[]): string =>
  `[${sizes.map((size) => (typeof size === "number" ? size : printExpr(size))).join(", ")}]`;
