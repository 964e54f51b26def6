/** @file Distances between rows, and sums of products of more than two tensors. */
import {
  type Axis,
  add,
  atom,
  constant,
  divide,
  fixedValue,
  type Index,
  multiply,
  ONE,
  scale,
  subtract,
} from "../../ir/index-expr.js";
import { apply, cast, constantScalar, indexScalar, type ReduceKind, type Scalar } from "../../ir/scalar.js";
import {
  computeType,
  type Lowering,
  type LoweringCall,
  type LoweringTable,
  numberScalar,
  numbers,
  outOf,
  shapeOf,
  tensorArg,
} from "../call.js";
import { broadcastTo, LazyTensor, viewOf } from "../lazy.js";
import { made, placeIn } from "./gather.js";

/** The p-norm of differences along an axis (`aten/src/ATen/native/cpu/DistanceOpsKernel.cpp`). */
function norm(along: Axis, difference: Scalar, p: number): Scalar {
  const { dtype } = difference;
  const size = apply("abs", difference);
  const reduced = (reduce: ReduceKind, body: Scalar): Scalar => ({
    kind: "reduce",
    dtype,
    reduce,
    axes: [along],
    body,
  });
  if (p === 0) return reduced("sum", cast(apply("ne", size, constantScalar(0, dtype)), dtype));
  if (p === 1) return reduced("sum", size);
  if (p === 2) return apply("sqrt", reduced("sum", apply("mul", size, size)));
  if (p === Infinity) return { ...reduced("max", size), initial: constantScalar(0, dtype) } as Scalar;
  const power = reduced("sum", apply("pow", size, constantScalar(p, dtype)));
  return apply("pow", power, constantScalar(1 / p, dtype));
}
const exponentOf = ({ args }: LoweringCall): number => Number(args["p"] ?? 2);

const cdist: Lowering = {
  rule: (call) => {
    const out = outOf(call);
    const shape = shapeOf(out);
    const lead = shape.slice(0, -2);
    const [a, b] = ["x1", "x2"].map((name) => {
      const tensor = call.context.many(tensorArg(call, name));
      return broadcastTo(tensor, call.node, [...lead, ...tensor.shape.slice(-2)]);
    }) as [LazyTensor, LazyTensor];
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
        return cast(norm(along, difference, exponentOf(call)), out.dtype);
      },
    });
  },
};

/** `i1 * i2 * i3` with new dimensions of one element at `expand*`, summed over `sumdim`. */
const trilinear: Lowering = {
  rule: (call) => {
    const out = outOf(call);
    const tensors = [1, 2, 3].map((i) => {
      const tensor = call.context.many(tensorArg(call, `i${i}`));
      return withOnes(tensor, call.node, numbers(call, `expand${i}`));
    });
    const rank = tensors[0]!.shape.length;
    const whole = Array.from({ length: rank }, (_, d) => {
      const extents = tensors.map((tensor) => tensor.shape[d]!);
      return extents.find((extent) => fixedValue(extent) !== 1) ?? ONE;
    });
    const summed = [...new Set(numbers(call, "sumdim"))].sort((a, b) => a - b);
    const compute = computeType(out.dtype);
    const wide = tensors.map((tensor) => broadcastTo(tensor, call.node, whole));
    return made(call, {
      inputs: wide,
      operations: 3,
      heavy: true,
      element: (at) => {
        const { axes, at: inner } = call.context.axes(summed.map((d) => whole[d]!));
        const kept = [...at];
        const place = whole.map((_, d) => (summed.includes(d) ? inner[summed.indexOf(d)]! : kept.shift()!));
        const body = wide
          .map((tensor) => cast(tensor.element(place), compute))
          .reduce((a, b) => apply("mul", a, b));
        if (axes.length === 0) return cast(body, out.dtype);
        return cast({ kind: "reduce", dtype: compute, reduce: "sum", axes, body }, out.dtype);
      },
    });
  },
};
function withOnes(tensor: LazyTensor, node: string, places: readonly number[]): LazyTensor {
  const shape = [...tensor.shape];
  for (const place of [...places].sort((a, b) => a - b)) shape.splice(place, 0, ONE);
  const added = new Set(places);
  return viewOf(tensor, node, shape, (at) => at.filter((_, d) => !added.has(d)));
}

/** `beta * self + alpha * sum` over axes of products of two tensors. */
const addedProducts = (
  names: readonly [string, string],
  product: (
    call: LoweringCall,
    a: LazyTensor,
    b: LazyTensor,
    at: readonly Index[],
  ) => { axes: Axis[]; elements: Scalar[] },
): Lowering => ({
  rule: (call) => {
    const out = outOf(call);
    const compute = computeType(out.dtype);
    const [a, b] = names.map((name) => call.context.many(tensorArg(call, name))) as [LazyTensor, LazyTensor];
    const { beta = 1, alpha = 1 } = call.args;
    const self = call.context.many(broadcastTo(tensorArg(call, "self"), call.node, shapeOf(out)));
    return made(call, {
      inputs: [a, b, self],
      operations: 4,
      heavy: true,
      element: (at) => {
        const { axes, elements } = product(call, a, b, at);
        const [x, y] = elements.map((element) => cast(element, compute)) as [Scalar, Scalar];
        const sum: Scalar = { kind: "reduce", dtype: compute, reduce: "sum", axes, body: apply("mul", x, y) };
        const scaled = alpha === 1 ? sum : apply("mul", numberScalar(alpha, compute), sum);
        // What is multiplied by 0 is not read: NaN in it does not count.
        if (beta === 0) return cast(scaled, out.dtype);
        const own = apply("mul", numberScalar(beta, compute), cast(self.element(at), compute));
        return cast(apply("add", own, scaled), out.dtype);
      },
    });
  },
});
const addmv = addedProducts(["mat", "vec"], (call, a, b, [row]) => {
  const along = call.context.axis(b.shape[0]!);
  return { axes: [along], elements: [a.element([row!, atom(along)]), b.element([atom(along)])] };
});
const addbmm = addedProducts(["batch1", "batch2"], (call, a, b, [row, column]) => {
  const { axes, at } = call.context.axes([a.shape[0]!, a.shape[2]!]);
  const [batch, k] = at as [Index, Index];
  return { axes, elements: [a.element([batch, row!, k]), b.element([batch, k, column!])] };
});

/**
 * Distances of all pairs of rows `i < j`, row by row: the pair of a place comes from tensors of
 * pairs.
 */
const pdist: Lowering = {
  rule: (call) => {
    const { context, node } = call;
    const self = context.many(tensorArg(call, "self"));
    const out = outOf(call);
    const compute = computeType(out.dtype);
    const rows = self.shape[0]!;
    // Row `i` is the one before which as many rows start as start at or before the place.
    const pairs = new LazyTensor({
      dtype: "int64",
      shape: shapeOf(out),
      node,
      inputs: [],
      heavy: true,
      element: ([place]) => firstOfPair(call, rows, place!),
    });
    context.made(pairs);
    context.materialize(pairs);
    return made(call, {
      inputs: [self, pairs],
      operations: 4,
      heavy: true,
      element: ([place]) => {
        const first = placeIn(pairs.element([place!]), rows, false);
        const second = placeIn(secondOfPair(rows, first, place!), rows, false);
        const along = context.axis(self.shape[1]!);
        const [x, y] = [first, second].map((row) => cast(self.element([row, atom(along)]), compute));
        return cast(norm(along, apply("sub", x!, y!), exponentOf(call)), out.dtype);
      },
    });
  },
};
const triangular = (rows: Index, row: Index): Index =>
  divide(multiply(row, subtract(scale(rows, 2), add(row, ONE))), constant(2));
function firstOfPair({ context }: LoweringCall, rows: Index, place: Index): Scalar {
  const along = context.axis(rows);
  const starts = triangular(rows, add(atom(along), ONE));
  return {
    kind: "reduce",
    dtype: "int64",
    reduce: "sum",
    axes: [along],
    body: constantScalar(1, "int64"),
    when: apply("le", indexScalar(starts), indexScalar(place)),
  };
}
const secondOfPair = (rows: Index, first: Index, place: Index): Scalar =>
  indexScalar(add(subtract(place, triangular(rows, first)), first, ONE));

export const DISTANCES: LoweringTable = {
  "aten._cdist_forward.default": cdist,
  "aten._pdist_forward.default": pdist,
  "aten._trilinear.default": trilinear,
  "aten.addmv.default": addmv,
  "aten.addbmm.default": addbmm,
};
