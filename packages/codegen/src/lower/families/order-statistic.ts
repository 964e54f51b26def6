/** @file Medians: elements by their rank. */
import { isFloatDType, wrapDimension } from "@sconce/tensor";
import { type Index, isZero, ONE, product, subtract, ZERO } from "../../ir/index-expr.js";
import { apply, cast, constantScalar, indexScalar, type Scalar, select } from "../../ir/scalar.js";
import { cannot, type LoweringCall } from "../core/call.js";
import { LazyTensor, reshaped } from "../core/lazy.js";
import { defineLowerings, lowering } from "../core/lowering.js";
import { placeIn } from "../rules/made.js";
import { orderType, picked, placeOfRank, rankOf, single } from "../rules/rank.js";
import { keptAt, reduceOver } from "../rules/reduce.js";

/** The rank of the element that is picked from a row, given the row's coordinates. */
type RankAt = (at: readonly Index[]) => Scalar;

interface MedianArgs {
  readonly self: LazyTensor;
  readonly dim: number;
  readonly keepdim: boolean;
}
/** Returns the median of each row, and its place. */
function medianOfRows(args: MedianArgs, call: LoweringCall): readonly [LazyTensor, LazyTensor] {
  const { self } = args;
  if (self.shape.length === 0) return single(call, self);
  const dim = wrapDimension(args.dim, self.shape.length);
  call.context.many(self);
  const rankAt = medianRank(call, self, dim);
  const full = args.keepdim
    ? undefined
    : (at: readonly Index[]) => [...at.slice(0, dim), ZERO, ...at.slice(dim)];
  return picked(call, self, {
    dim,
    descending: false,
    rank: (at) => rankAt(full?.(at) ?? at),
    ...(full === undefined ? {} : { full }),
  });
}

/**
 * Returns the rank of a median: the lower of two, and for a row with NaN that of its first NaN,
 * which is how many numbers there are.
 */
function medianRank(call: LoweringCall, self: LazyTensor, dim: number): RankAt {
  const extent = self.shape[dim]!;
  const middle = apply("floor_div", indexScalar(subtract(extent, ONE)), constantScalar(2, "int64"));
  if (!isFloatDType(self.dtype)) return () => middle;
  const numbers = reduceOver(call, self, {
    kind: "sum",
    dims: [dim],
    keepdim: true,
    dtype: "int64",
    body: (element) => cast(apply("not", apply("isnan", cast(element, orderType(self.dtype)))), "int64"),
  });
  call.context.materialize(numbers);
  return (at) => {
    const count = numbers.element(keptAt(at, [dim], ZERO));
    return select(apply("lt", count, indexScalar(extent)), count, middle);
  };
}

/** Returns the median of all elements. */
function medianOfAll(call: LoweringCall, self: LazyTensor): LazyTensor {
  if (self.shape.length === 0) return self;
  const line = reshaped(call.context.many(self), call.node, [product(self.shape)]);
  const extent = line.shape[0]!;
  if (isZero(extent)) return cannot("a median of no elements");
  const ranks = rankOf(call, line, 0, false);
  const wanted = medianRank(call, line, 0)([ZERO]);
  const made = new LazyTensor({
    dtype: self.dtype,
    shape: [],
    node: call.node,
    inputs: [line, ranks],
    heavy: true,
    operations: 3,
    element: () => line.element([placeIn(placeOfRank(call, ranks, 0, [ZERO], wanted), extent, false)]),
  });
  call.context.made(made);
  call.context.materialize(made);
  return made;
}

export const ORDER_STATISTICS = defineLowerings([
  lowering(
    "aten::median.dim(Tensor self, int dim, bool keepdim=False) -> (Tensor values, Tensor indices)",
    medianOfRows,
  ),
  lowering("aten::median(Tensor self) -> Tensor", ({ self }, call) => medianOfAll(call, self)),
]);
