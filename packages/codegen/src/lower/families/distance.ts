/** @file Distances between rows (`aten/src/ATen/native/cpu/DistanceOpsKernel.cpp`). */
import {
  type Axis,
  add,
  atom,
  constant,
  divide,
  type Index,
  multiply,
  ONE,
  scale,
  subtract,
} from "../../ir/index-expr.js";
import {
  apply,
  cast,
  constantScalar,
  indexScalar,
  type ReduceKind,
  type Scalar,
  select,
} from "../../ir/scalar.js";
import { type LoweringCall, outOf, shapeOf } from "../core/call.js";
import { broadcastTo, type LazyTensor } from "../core/lazy.js";
import { defineLowerings, lowering } from "../core/lowering.js";
import { computeType } from "../core/numbers.js";
import { made, placeIn } from "../rules/made.js";

/**
 * Returns the p-norm of differences along an axis. `skipsNaN` says whether the greatest difference
 * leaves out NaN, as it does in PyTorch's `cdist`; all other norms of NaN are NaN.
 */
function norm(along: Axis, difference: Scalar, p: number, skipsNaN: boolean): Scalar {
  const { dtype } = difference;
  const size = apply("abs", difference);
  const reduced = (reduce: ReduceKind, body: Scalar): Scalar => ({
    kind: "reduce",
    dtype,
    reduce,
    axes: [along],
    body,
  });
  if (p === 0) {
    const counted = cast(apply("ne", size, constantScalar(0, dtype)), dtype);
    return reduced("sum", select(apply("isnan", size), size, counted));
  }
  if (p === 1) return reduced("sum", size);
  if (p === 2) return apply("sqrt", reduced("sum", apply("mul", size, size)));
  if (p === Infinity) {
    const zero = constantScalar(0, dtype);
    const known = skipsNaN ? select(apply("isnan", size), zero, size) : size;
    return { ...reduced("max", known), initial: zero } as Scalar;
  }
  const power = reduced("sum", apply("pow", size, constantScalar(p, dtype)));
  return apply("pow", power, constantScalar(1 / p, dtype));
}

/** Distances between each row of `x1` and each row of `x2`. */
function distances(call: LoweringCall, x1: LazyTensor, x2: LazyTensor, p: number): LazyTensor {
  const out = outOf(call);
  const lead = shapeOf(out).slice(0, -2);
  const rowsOf = (x: LazyTensor): LazyTensor => {
    const tensor = call.context.many(x);
    return broadcastTo(tensor, call, [...lead, ...tensor.shape.slice(-2)]);
  };
  const [a, b] = [rowsOf(x1), rowsOf(x2)];
  const compute = computeType(out.dtype);
  return made(call, {
    inputs: [a, b],
    operations: 3,
    heavy: true,
    element: (at) => {
      const along = call.context.axis(a.shape.at(-1)!);
      const batch = at.slice(0, -2);
      const elementOf = (x: LazyTensor, row: Index): Scalar =>
        cast(x.element([...batch, row, atom(along)]), compute);
      const difference = apply("sub", elementOf(a, at.at(-2)!), elementOf(b, at.at(-1)!));
      return cast(norm(along, difference, p, true), out.dtype);
    },
  });
}

/** Distances of all pairs of rows `i < j`, row by row. */
function pairDistances(call: LoweringCall, tensor: LazyTensor, p: number): LazyTensor {
  const { context } = call;
  const self = context.many(tensor);
  const out = outOf(call);
  const compute = computeType(out.dtype);
  const rows = self.shape[0]!;
  return made(call, {
    inputs: [self],
    operations: 4,
    heavy: true,
    element: ([place]) => {
      const [first, second] = pairAt(rows, place!);
      const along = context.axis(self.shape[1]!);
      const elementOf = (row: Index): Scalar => cast(self.element([row, atom(along)]), compute);
      return cast(norm(along, apply("sub", elementOf(first), elementOf(second)), p, false), out.dtype);
    },
  });
}
/**
 * Returns the rows of a pair. Before row `i` begin `i (2n - i - 1) / 2` pairs: a quadratic
 * equation, whose root is exact enough in float64 (`run_parallel_pdist` of the same file).
 */
function pairAt(rows: Index, place: Index): readonly [Index, Index] {
  const real = (value: number): Scalar => constantScalar(value, "float64");
  const middle = apply("sub", cast(indexScalar(rows), "float64"), real(0.5));
  const twice = cast(indexScalar(add(scale(place, 2), ONE)), "float64");
  const root = apply("sqrt", apply("sub", apply("mul", middle, middle), twice));
  const first = rowOf(cast(apply("sub", middle, root), "int64"), rows);
  const second = indexScalar(add(subtract(place, triangular(rows, first)), first, ONE));
  return [first, rowOf(second, rows)];
}
const triangular = (rows: Index, row: Index): Index =>
  divide(multiply(row, subtract(scale(rows, 2), add(row, ONE))), constant(2));
/** It is a row; passes that check indices see that it is inside. */
const rowOf = (value: Scalar, rows: Index): Index => {
  const last = indexScalar(subtract(rows, ONE));
  const inside = apply("min", apply("max", value, constantScalar(0, "int64")), last);
  return placeIn(inside, rows, false);
};

export const DISTANCES = defineLowerings([
  lowering(
    "aten::_cdist_forward(Tensor x1, Tensor x2, float p, int? compute_mode) -> Tensor",
    ({ x1, x2, p }, call) => distances(call, x1, x2, p),
  ),
  lowering("aten::_pdist_forward(Tensor self, float p=2.) -> Tensor", ({ self, p }, call) =>
    pairDistances(call, self, p),
  ),
]);
