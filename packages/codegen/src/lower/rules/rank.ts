/**
 * @file Order along a dimension: one nest computes the rank of each element, the next one picks
 * elements by rank.
 */
import { isFloatDType } from "@sconce/tensor";
import { atom, fixedValue, type Index, same } from "../../ir/index-expr.js";
import { apply, cast, constantScalar, indexScalar, type Scalar } from "../../ir/scalar.js";
import { type LoweringCall, outOf, shapeOf } from "../core/call.js";
import { LazyTensor } from "../core/lazy.js";
import { computeType } from "../core/numbers.js";
import { placeIn } from "./made.js";

/** Returns an integer as a scalar of int64. */
export const integer = (value: number): Scalar => constantScalar(value, "int64");
/** Booleans as numbers, halves as float32. */
export const orderType = (dtype: LazyTensor["dtype"]): LazyTensor["dtype"] =>
  dtype === "bool" ? "int32" : computeType(dtype);

/** Returns whether `a` comes before `b`: NaN counts as the greatest. */
function isBefore(a: Scalar, b: Scalar, descending: boolean): Scalar {
  const plain = apply(descending ? "gt" : "lt", a, b);
  if (!isFloatDType(a.dtype)) return plain;
  const [first, second] = descending ? [a, b] : [b, a];
  return apply("or", plain, apply("and", apply("isnan", first), apply("not", apply("isnan", second))));
}
const isEqual = (a: Scalar, b: Scalar): Scalar =>
  isFloatDType(a.dtype)
    ? apply("or", apply("eq", a, b), apply("and", apply("isnan", a), apply("isnan", b)))
    : apply("eq", a, b);

/**
 * Returns the place of each element in the stable order along the dimension, in memory. Places from
 * `first` on may be any number that is not less.
 */
export function rankOf(
  call: LoweringCall,
  self: LazyTensor,
  dim: number,
  descending: boolean,
  first?: number,
): LazyTensor {
  const { context, node } = call;
  const compute = orderType(self.dtype);
  const rank = new LazyTensor({
    dtype: "int64",
    shape: self.shape,
    node,
    inputs: [context.many(self)],
    heavy: true,
    operations: 4,
    element: (at) => {
      const along = context.axis(self.shape[dim]!);
      const own = cast(self.element(at), compute);
      const other = cast(self.element(at.map((index, d) => (d === dim ? atom(along) : index))), compute);
      const isEarlier = apply("lt", indexScalar(atom(along)), indexScalar(at[dim]!));
      const comes = apply(
        "or",
        isBefore(other, own, descending),
        apply("and", isEarlier, isEqual(other, own)),
      );
      return { kind: "reduce", dtype: "int64", reduce: "sum", axes: [along], body: cast(comes, "int64") };
    },
  });
  context.made(rank);
  context.materialize(rank, { hint: { kind: "rank", axis: `i${dim}`, descending, first } });
  return rank;
}

/** Where along the dimension the element of a rank is. */
export function placeOfRank(
  { context }: LoweringCall,
  rank: LazyTensor,
  dim: number,
  at: readonly Index[],
  wanted: Scalar,
): Scalar {
  const along = context.axis(rank.shape[dim]!);
  const found = rank.element(at.map((index, d) => (d === dim ? atom(along) : index)));
  return {
    kind: "reduce",
    dtype: "int64",
    reduce: "last",
    axes: [along],
    body: indexScalar(atom(along)),
    when: apply("eq", found, wanted),
    initial: integer(0),
  };
}

interface Pick {
  readonly dim: number;
  readonly descending: boolean;
  /** The rank of an element of the result, given its coordinates. */
  readonly rank: (at: readonly Index[]) => Scalar;
  /** Whether elements of the result have the ranks 0, 1, ... along the dimension. */
  readonly isOrder?: boolean;
  /** Coordinates of the result with the dimension in its place. */
  readonly full?: (at: readonly Index[]) => readonly Index[];
}
/** Values and places of elements by rank. */
export function picked(call: LoweringCall, self: LazyTensor, pick: Pick) {
  const { dim, descending, rank, isOrder = false, full = (at) => at } = pick;
  const { context, node } = call;
  const shape = shapeOf(outOf(call, 1));
  const isPart = isOrder && !same(shape[dim]!, self.shape[dim]!);
  const first = isPart ? fixedValue(shape[dim]!) : undefined;
  const ranks = rankOf(call, self, dim, descending, first);
  const places = new LazyTensor({
    dtype: "int64",
    shape,
    node,
    inputs: [ranks],
    heavy: true,
    operations: 2,
    element: (at) => placeOfRank(call, ranks, dim, full(at), rank(at)),
  });
  context.made(places);
  context.materialize(places, isOrder ? { hint: { kind: "place", axis: `i${dim}` } } : {});
  const values = new LazyTensor({
    dtype: self.dtype,
    shape: places.shape,
    node,
    inputs: [self, places],
    operations: 1,
    element: (at) => {
      const place = placeIn(places.element(at), self.shape[dim]!, false);
      return self.element(full(at).map((index, d) => (d === dim ? place : index)));
    },
  });
  context.made(values);
  return [values, places] as const;
}

/** Returns the elements of a 0-d tensor in order: itself, at 0. */
export function single({ node }: LoweringCall, self: LazyTensor): readonly [LazyTensor, LazyTensor] {
  const element = (): Scalar => integer(0);
  return [self, new LazyTensor({ dtype: "int64", shape: [], node, inputs: [], element })];
}
