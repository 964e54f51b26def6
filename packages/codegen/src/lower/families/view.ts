/**
 * @file Operators that show elements of a tensor in another order or shape: index arithmetic and no
 * kernel.
 */
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
const self = (call: LoweringCall): LazyTensor => tensorArg(call, "self");
const outShape = (call: LoweringCall, at = 0): Index[] => shapeOf(outOf(call, at));

/** Row-major order kept under another shape: `view`, `unsqueeze`, `squeeze`, `flatten`. */
const reshape = view((call) => reshaped(self(call), call.node, outShape(call)));

/** A permutation: dimension `d` of the result is `order[d]` of the tensor. */
function permuted(call: LoweringCall, order: readonly number[]): LazyTensor {
  const base = self(call);
  return viewOf(base, call.node, outShape(call), (at) => base.shape.map((_, d) => at[order.indexOf(d)]!));
}
const permute = view((call) => {
  const rank = self(call).shape.length;
  return permuted(
    call,
    numbers(call, "dims").map((dim) => dimension(dim, rank)),
  );
});
function swapped(call: LoweringCall, a: number, b: number): LazyTensor {
  const order = self(call).shape.map((_, d) => (d === a ? b : d === b ? a : d));
  return permuted(call, order);
}
const transpose = view((call) => {
  const rank = self(call).shape.length;
  const [a, b] = ["dim0", "dim1"].map((name) => dimension(Number(call.args[name]), rank));
  return swapped(call, a!, b!);
});
const t = view((call) =>
  self(call).shape.length < 2 ? reshaped(self(call), call.node, outShape(call)) : swapped(call, 0, 1),
);

/** An int argument, possibly symbolic. */
const indexArg = (call: LoweringCall, name: string): Index => {
  const value = call.args[name];
  return typeof value === "number" || value instanceof SymExpr
    ? size(value)
    : cannot(`its ${name} is not a number`);
};
/** Where a slice starts: counted from the end when negative, kept within the extent. */
function startOf(call: LoweringCall, extent: Index): Index {
  const start = call.args["start"] ?? 0;
  if (typeof start !== "number") return indexArg(call, "start");
  if (start >= 0) {
    const most = extent.terms.length === 0 ? Math.min(start, extent.constant) : start;
    return constant(most);
  }
  const from = add(extent, constant(start));
  return from.terms.length === 0 ? constant(Math.max(0, from.constant)) : from;
}
/** Where a slice of a dimension starts, and its step. */
export const sliceOf = (
  call: LoweringCall,
  extent: Index,
): { readonly start: Index; readonly step: Index } => ({
  start: startOf(call, extent),
  step: indexArg(call, "step"),
});
const slice = view((call) => {
  const base = self(call);
  const dim = dimension(Number(call.args["dim"] ?? 0), base.shape.length);
  const { start, step } = sliceOf(call, base.shape[dim]!);
  return viewOf(base, call.node, outShape(call), (at) =>
    at.map((index, d) => (d === dim ? add(start, multiply(index, step)) : index)),
  );
});

const select = view((call) => {
  const base = self(call);
  const dim = dimension(Number(call.args["dim"]), base.shape.length);
  const given = indexArg(call, "index");
  if (given.terms.length > 0) return cannot("its index is not a fixed number");
  const index = given.constant < 0 ? add(base.shape[dim]!, given) : given;
  return viewOf(base, call.node, outShape(call), (at) => [...at.slice(0, dim), index, ...at.slice(dim)]);
});

const expand = view((call) => broadcastTo(self(call), call.node, outShape(call)));

const flip = view((call) => {
  const base = self(call);
  const dims = new Set(numbers(call, "dims").map((dim) => dimension(dim, base.shape.length)));
  return viewOf(base, call.node, base.shape, (at) =>
    at.map((index, d) => (dims.has(d) ? subtract(add(base.shape[d]!, constant(-1)), index) : index)),
  );
});

/** Parts along a dimension; each starts where the one before ends. */
function parts(call: LoweringCall): LazyTensor[] {
  const base = self(call);
  const dim = dimension(Number(call.args["dim"] ?? 0), base.shape.length);
  const count = (call.value as readonly unknown[]).length;
  let start = ZERO;
  return Array.from({ length: count }, (_, part) => {
    const shape = outShape(call, part);
    const from = start;
    start = add(start, shape[dim]!);
    return viewOf(base, call.node, shape, (at) =>
      at.map((index, d) => (d === dim ? add(from, index) : index)),
    );
  });
}
const unbind = view((call) => {
  const base = self(call);
  const dim = dimension(Number(call.args["dim"] ?? 0), base.shape.length);
  return (call.value as readonly unknown[]).map((_, part) =>
    viewOf(base, call.node, outShape(call, part), (at) => [
      ...at.slice(0, dim),
      constant(part),
      ...at.slice(dim),
    ]),
  );
});

const diagonal = view((call) => {
  const base = self(call);
  const rank = base.shape.length;
  const [a, b] = ["dim1", "dim2"].map((name) => dimension(Number(call.args[name]), rank)) as [number, number];
  const offset = Number(call.args["offset"] ?? 0);
  const [down, right] = [constant(Math.max(0, -offset)), constant(Math.max(0, offset))];
  const rest = base.shape.map((_, d) => d).filter((d) => d !== a && d !== b);
  return viewOf(base, call.node, outShape(call), (at) => {
    const along = at[at.length - 1]!;
    return base.shape.map((_, d) =>
      d === a ? add(down, along) : d === b ? add(right, along) : at[rest.indexOf(d)]!,
    );
  });
});

/** Windows of a dimension, their elements last: elements repeat when windows overlap. */
const unfold = view((call) => {
  const base = self(call);
  const dim = dimension(Number(call.args["dimension"]), base.shape.length);
  const [length, step] = [Number(call.args["size"]), Number(call.args["step"])];
  return viewOf(
    base,
    call.node,
    outShape(call),
    (at) =>
      at
        .slice(0, -1)
        .map((index, d) => (d === dim ? add(multiply(index, constant(step)), at.at(-1)!) : index)),
    step < length,
  );
});

/**
 * Any strides over a tensor whose memory is dense and in a known order; its elements are found by
 * their place in it.
 */
const asStrided = view((call) => {
  const base = self(call);
  const fake = call.fakes()["self"] as FakeTensor;
  const order = memoryOrder(fake);
  if (order === undefined) return cannot("as_strided of a tensor whose elements are not all of its memory");
  const sizeOf = (value: unknown): Index =>
    typeof value === "number" || value instanceof SymExpr
      ? size(value)
      : cannot("its strides are not numbers");
  const start = call.args["storage_offset"] ?? fake.storageOffset;
  const offset = subtract(sizeOf(start), size(fake.storageOffset));
  const strides = (call.args["stride"] as readonly unknown[]).map(sizeOf);
  const shape = outShape(call);
  const placeOf = (at: readonly Index[]): Index =>
    add(offset, ...at.map((index, d) => multiply(index, strides[d]!)));
  const extents = order.map((d) => base.shape[d]!);
  const isEmpty = shape.some(isZero);
  if (!isEmpty && !isWithin(placeOf(shape.map((extent, d) => atom(axis(`i${d}`, extent)))), product(extents)))
    return cannot("as_strided reads beyond the elements of its tensor");
  const back = (at: readonly Index[]): Index[] => {
    const inMemory = coordinatesOf(placeOf(at), extents);
    return base.shape.map((_, d) => inMemory[order.indexOf(d)]!);
  };
  return viewOf(base, call.node, shape, back, true);
});
/**
 * Dimensions from the slowest, when a tensor's elements lie one after the other; undefined when
 * they do not.
 */
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
