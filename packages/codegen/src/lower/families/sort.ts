/**
 * @file Sorting: the rank of each element along a dimension in one nest, elements picked by rank in
 * the next.
 */
import { isFloatDType } from "@sconce/tensor";
import { atom, type Index, isZero, ONE, product, size, subtract, ZERO } from "../../ir/index-expr.js";
import { apply, cast, constantScalar, indexScalar, type Scalar, select } from "../../ir/scalar.js";
import {
  cannot,
  computeType,
  dimension,
  flag,
  type Lowering,
  type LoweringCall,
  type LoweringTable,
  outOf,
  shapeOf,
  tensorArg,
} from "../call.js";
import { LazyTensor, reshaped } from "../lazy.js";
import { placeIn } from "./gather.js";
import { keptAt, reduceOver } from "./reduction.js";

const integer = (value: number): Scalar => constantScalar(value, "int64");
/** Booleans as numbers, halves as float32. */
const orderType = (dtype: LazyTensor["dtype"]): LazyTensor["dtype"] =>
  dtype === "bool" ? "int32" : computeType(dtype);

/** Whether `a` comes before `b`: NaN counts as the greatest. */
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

/** The place of each element in the stable order along the dimension, in memory. */
function rankOf(call: LoweringCall, self: LazyTensor, dim: number, descending: boolean): LazyTensor {
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
  context.materialize(rank, { hint: { kind: "rank", axis: `i${dim}`, descending } });
  return rank;
}

/** Where along the dimension the element of a rank is. */
function placeOfRank(
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
function picked(call: LoweringCall, self: LazyTensor, pick: Pick) {
  const { dim, descending, rank, isOrder = false, full = (at) => at } = pick;
  const { context, node } = call;
  const ranks = rankOf(call, self, dim, descending);
  const places = new LazyTensor({
    dtype: "int64",
    shape: shapeOf(outOf(call, 1)),
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

/** The elements of a 0-d tensor in order: itself, at 0. */
function single({ node }: LoweringCall, self: LazyTensor): LazyTensor[] {
  const element = (): Scalar => integer(0);
  return [self, new LazyTensor({ dtype: "int64", shape: [], node, inputs: [], element })];
}
const dimOf = ({ args }: LoweringCall, self: LazyTensor): number =>
  dimension(Number(args["dim"] ?? -1), self.shape.length);

const sort = (descending: (call: LoweringCall) => boolean): Lowering => ({
  rule: (call) => {
    const self = tensorArg(call, "self");
    if (self.shape.length === 0) return single(call, self);
    const dim = dimOf(call, self);
    return picked(call, self, {
      dim,
      descending: descending(call),
      isOrder: true,
      rank: (at) => indexScalar(at[dim]!),
    });
  },
});

/**
 * One element of each row: `kthvalue`, and `median`, which takes the lower of two and NaN where
 * there is one.
 */
const ranked = (rank: (call: LoweringCall, extent: Index) => Scalar): Lowering => ({
  rule: (call) => {
    const self = tensorArg(call, "self");
    if (self.shape.length === 0) return single(call, self);
    const dim = dimOf(call, self);
    call.context.many(self);
    const rankAt = rankIn(call, self, dim, rank(call, self.shape[dim]!));
    const full = flag(call, "keepdim")
      ? undefined
      : (at: readonly Index[]) => [...at.slice(0, dim), ZERO, ...at.slice(dim)];
    return picked(call, self, {
      dim,
      descending: false,
      rank: (at) => rankAt(full?.(at) ?? at),
      ...(full === undefined ? {} : { full }),
    });
  },
});
/**
 * The rank that a row's element is picked by. For a median of a row with NaN it is that of its
 * first NaN, which is how many numbers there are.
 */
function rankIn(
  call: LoweringCall,
  self: LazyTensor,
  dim: number,
  wanted: Scalar,
): (at: readonly Index[]) => Scalar {
  if (!call.target.startsWith("aten.median") || !isFloatDType(self.dtype)) return () => wanted;
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
    return select(apply("lt", count, indexScalar(self.shape[dim]!)), count, wanted);
  };
}
const middle = (extent: Index): Scalar => apply("floor_div", indexScalar(subtract(extent, ONE)), integer(2));

/** The median of all elements. */
const medianOfAll: Lowering = {
  rule: (call) => {
    const self = tensorArg(call, "self");
    if (self.shape.length === 0) return self;
    const line = reshaped(call.context.many(self), call.node, [product(self.shape)]);
    if (isZero(line.shape[0]!)) return cannot("a median of no elements");
    const ranks = rankOf(call, line, 0, false);
    const wanted = rankIn(call, line, 0, middle(line.shape[0]!))([ZERO]);
    const made = new LazyTensor({
      dtype: self.dtype,
      shape: [],
      node: call.node,
      inputs: [line, ranks],
      heavy: true,
      operations: 3,
      element: () =>
        line.element([placeIn(placeOfRank(call, ranks, 0, [ZERO], wanted), line.shape[0]!, false)]),
    });
    call.context.made(made);
    call.context.materialize(made);
    return made;
  },
};

export const ORDERS: LoweringTable = {
  "aten.sort.default": sort((call) => flag(call, "descending")),
  "aten.sort.stable": sort((call) => flag(call, "descending")),
  "aten.topk.default": sort(({ args }) => args["largest"] !== false),
  "aten.kthvalue.default": ranked((call) =>
    apply("sub", indexScalar(size(call.args["k"] as number)), integer(1)),
  ),
  "aten.median.dim": ranked((_, extent) => middle(extent)),
  "aten.median.default": medianOfAll,
};
