/** @file Operators that show cells of a tensor in another order or shape: index arithmetic and no kernel. */
import type { FakeTensor } from "@sconce/ir";
import { SymExpr } from "@sconce/symbolic";
import {
  add,
  atom,
  axis,
  constant,
  coordinatesOf,
  type Index,
  isWithin,
  isZero,
  multiply,
  ONE,
  product,
  same,
  size,
  subtract,
  ZERO,
} from "../../ir/index-expr.js";
import {
  cannot,
  dimension,
  type Lowering,
  type LoweringCall,
  type LoweringTable,
  numbers,
  outOf,
  shapeOf,
  tensorArg,
} from "../call.js";
import { broadcastTo, type LazyTensor, reshaped, viewOf } from "../lazy.js";

const view = (rule: (call: LoweringCall) => LazyTensor | LazyTensor[]): Lowering => ({ rule, isView: true });
const self = (of: LoweringCall): LazyTensor => tensorArg(of, "self");
const outShape = (of: LoweringCall, at = 0): Index[] => shapeOf(outOf(of, at));

/** Row-major order kept under another shape: `view`, `unsqueeze`, `squeeze`, `flatten`. */
const reshape = view((of) => reshaped(self(of), of.node, outShape(of)));

/** A permutation: dimension `d` of the result is `order[d]` of the tensor. */
function permuted(of: LoweringCall, order: readonly number[]): LazyTensor {
  const base = self(of);
  return viewOf(base, of.node, outShape(of), (at) => base.shape.map((_, d) => at[order.indexOf(d)]!));
}
const permute = view((of) => {
  const rank = self(of).shape.length;
  return permuted(
    of,
    numbers(of, "dims").map((dim) => dimension(dim, rank)),
  );
});
function swapped(of: LoweringCall, a: number, b: number): LazyTensor {
  const order = self(of).shape.map((_, d) => (d === a ? b : d === b ? a : d));
  return permuted(of, order);
}
const transpose = view((of) => {
  const rank = self(of).shape.length;
  const [a, b] = ["dim0", "dim1"].map((name) => dimension(Number(of.args[name]), rank));
  return swapped(of, a!, b!);
});
const t = view((of) =>
  self(of).shape.length < 2 ? reshaped(self(of), of.node, outShape(of)) : swapped(of, 0, 1),
);

/** An int argument, possibly symbolic. */
const indexArg = (of: LoweringCall, name: string): Index => {
  const value = of.args[name];
  return typeof value === "number" || value instanceof SymExpr
    ? size(value)
    : cannot(`its ${name} is no number`);
};
/** Where a slice starts: counted from the end when negative, kept within the extent. */
function startOf(of: LoweringCall, extent: Index): Index {
  const start = of.args["start"] ?? 0;
  if (typeof start !== "number") return indexArg(of, "start");
  if (start >= 0) {
    const most = extent.terms.length === 0 ? Math.min(start, extent.constant) : start;
    return constant(most);
  }
  const from = add(extent, constant(start));
  return from.terms.length === 0 ? constant(Math.max(0, from.constant)) : from;
}
/** Where a slice of a dimension starts, and its step. */
export const sliceOf = (
  of: LoweringCall,
  extent: Index,
): { readonly start: Index; readonly step: Index } => ({
  start: startOf(of, extent),
  step: indexArg(of, "step"),
});
const slice = view((of) => {
  const base = self(of);
  const dim = dimension(Number(of.args["dim"] ?? 0), base.shape.length);
  const { start, step } = sliceOf(of, base.shape[dim]!);
  return viewOf(base, of.node, outShape(of), (at) =>
    at.map((index, d) => (d === dim ? add(start, multiply(index, step)) : index)),
  );
});

const select = view((of) => {
  const base = self(of);
  const dim = dimension(Number(of.args["dim"]), base.shape.length);
  const given = indexArg(of, "index");
  if (given.terms.length > 0) return cannot("its index is known only when the program runs");
  const index = given.constant < 0 ? add(base.shape[dim]!, given) : given;
  return viewOf(base, of.node, outShape(of), (at) => [...at.slice(0, dim), index, ...at.slice(dim)]);
});

const expand = view((of) => broadcastTo(self(of), of.node, outShape(of)));

const flip = view((of) => {
  const base = self(of);
  const dims = new Set(numbers(of, "dims").map((dim) => dimension(dim, base.shape.length)));
  return viewOf(base, of.node, base.shape, (at) =>
    at.map((index, d) => (dims.has(d) ? subtract(add(base.shape[d]!, constant(-1)), index) : index)),
  );
});

/** Parts along a dimension; each starts where the one before ends. */
function parts(of: LoweringCall): LazyTensor[] {
  const base = self(of);
  const dim = dimension(Number(of.args["dim"] ?? 0), base.shape.length);
  const count = (of.value as readonly unknown[]).length;
  let start = ZERO;
  return Array.from({ length: count }, (_, part) => {
    const shape = outShape(of, part);
    const from = start;
    start = add(start, shape[dim]!);
    return viewOf(base, of.node, shape, (at) => at.map((index, d) => (d === dim ? add(from, index) : index)));
  });
}
const unbind = view((of) => {
  const base = self(of);
  const dim = dimension(Number(of.args["dim"] ?? 0), base.shape.length);
  return (of.value as readonly unknown[]).map((_, part) =>
    viewOf(base, of.node, outShape(of, part), (at) => [
      ...at.slice(0, dim),
      constant(part),
      ...at.slice(dim),
    ]),
  );
});

const diagonal = view((of) => {
  const base = self(of);
  const rank = base.shape.length;
  const [a, b] = ["dim1", "dim2"].map((name) => dimension(Number(of.args[name]), rank)) as [number, number];
  const offset = Number(of.args["offset"] ?? 0);
  const [down, right] = [constant(Math.max(0, -offset)), constant(Math.max(0, offset))];
  const rest = base.shape.map((_, d) => d).filter((d) => d !== a && d !== b);
  return viewOf(base, of.node, outShape(of), (at) => {
    const along = at[at.length - 1]!;
    return base.shape.map((_, d) =>
      d === a ? add(down, along) : d === b ? add(right, along) : at[rest.indexOf(d)]!,
    );
  });
});

/** Windows of a dimension, their cells last: cells repeat when windows overlap. */
const unfold = view((of) => {
  const base = self(of);
  const dim = dimension(Number(of.args["dimension"]), base.shape.length);
  const [length, step] = [Number(of.args["size"]), Number(of.args["step"])];
  return viewOf(
    base,
    of.node,
    outShape(of),
    (at) =>
      at
        .slice(0, -1)
        .map((index, d) => (d === dim ? add(multiply(index, constant(step)), at.at(-1)!) : index)),
    step < length,
  );
});

/** Any strides over a tensor whose memory is dense and in a known order; its cells are found by their place in it. */
const asStrided = view((of) => {
  const base = self(of);
  const fake = of.said()["self"] as FakeTensor;
  const order = memoryOrder(fake);
  if (order === undefined) return cannot("as_strided of a tensor whose cells are not all of its memory");
  const sizeOf = (value: unknown): Index =>
    typeof value === "number" || value instanceof SymExpr
      ? size(value)
      : cannot("its strides are no numbers");
  const start = of.args["storage_offset"] ?? fake.storageOffset;
  const offset = subtract(sizeOf(start), size(fake.storageOffset));
  const strides = (of.args["stride"] as readonly unknown[]).map(sizeOf);
  const shape = outShape(of);
  const placeOf = (at: readonly Index[]): Index =>
    add(offset, ...at.map((index, d) => multiply(index, strides[d]!)));
  const extents = order.map((d) => base.shape[d]!);
  const isEmpty = shape.some(isZero);
  if (!isEmpty && !isWithin(placeOf(shape.map((extent, d) => atom(axis(`i${d}`, extent)))), product(extents)))
    return cannot("as_strided reads beyond the cells of its tensor");
  const back = (at: readonly Index[]): Index[] => {
    const inMemory = coordinatesOf(placeOf(at), extents);
    return base.shape.map((_, d) => inMemory[order.indexOf(d)]!);
  };
  return viewOf(base, of.node, shape, back, true);
});
/** Dimensions from the slowest, when a tensor's cells lie one after the other; undefined when they do not. */
function memoryOrder({ shape, strides }: FakeTensor): number[] | undefined {
  const dims = shape.map((_, d) => d);
  const known = strides.every((stride) => typeof stride === "number");
  const order = known ? [...dims].sort((a, b) => Number(strides[b]) - Number(strides[a]) || a - b) : dims;
  let step = ONE;
  for (const d of [...order].reverse()) {
    const extent = size(shape[d]!);
    if (!same(extent, ONE) && !same(size(strides[d]!), step)) return undefined;
    step = multiply(step, extent);
  }
  return order;
}

const named = (lowering: Lowering, ...targets: readonly string[]): LoweringTable =>
  Object.fromEntries(targets.map((target) => [`aten.${target}`, lowering]));

export const VIEWS: LoweringTable = {
  ...named(
    reshape,
    "view.default",
    "_unsafe_view.default",
    "reshape.default",
    "unsqueeze.default",
    "squeeze.default",
    "squeeze.dim",
    "squeeze.dims",
    "alias.default",
    "detach.default",
    "flatten.using_ints",
    "view_copy.default",
    "alias_copy.default",
    "squeeze_copy.dims",
    "unsqueeze_copy.default",
    "detach_.default",
  ),
  ...named(permute, "permute.default", "permute_copy.default"),
  ...named(transpose, "transpose.int", "transpose_copy.int"),
  ...named(t, "t.default"),
  ...named(slice, "slice.Tensor", "slice_copy.Tensor"),
  ...named(select, "select.int", "select_copy.int"),
  ...named(expand, "expand.default", "expand_copy.default"),
  ...named(flip, "flip.default"),
  ...named(
    view(parts),
    "split.Tensor",
    "split_with_sizes.default",
    "split_with_sizes_copy.default",
    "chunk.default",
  ),
  ...named(unbind, "unbind.int"),
  ...named(diagonal, "diagonal.default", "diagonal_copy.default"),
  ...named(unfold, "unfold.default", "unfold_copy.default"),
  ...named(asStrided, "as_strided.default", "as_strided_copy.default"),
};
