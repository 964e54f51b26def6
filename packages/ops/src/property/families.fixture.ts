/** @file Random calls of each family of operators. */
import type { DType } from "@sconce/tensor";
import {
  ANY,
  anySizes,
  below,
  between,
  type Draw,
  FLOATS,
  flag,
  NUMBERS,
  oneOf,
  type RandomCall,
  shuffled,
  sizes,
  type Twin,
  tensor,
} from "./random-call.fixture.js";

type Family = (draw: Draw) => RandomCall;
const call = (target: string, ...args: unknown[]): RandomCall => ({ target: `aten.${target}`, args });

const UNARY = ["abs", "neg", "exp", "relu", "sigmoid", "gelu", "floor", "sign", "sqrt", "tanh", "clone"];
const BINARY = ["add", "sub", "mul", "div", "eq", "lt"].map((name) => `${name}.Tensor`);
const NO_CASTS = ["maximum.default", "minimum.default", "atan2.default", "logical_and.default"];

/** Returns the shape with leading dimensions dropped and others of size 1. */
function narrowed(draw: Draw, shape: readonly number[]): number[] {
  const kept = shape.slice(below(draw, 3) === 0 ? below(draw, shape.length + 1) : 0);
  return kept.map((size) => (below(draw, 4) === 0 ? 1 : size));
}

const pointwise: Family = (draw) => {
  const shape = anySizes(draw);
  if (flag(draw)) return call(`${oneOf(draw, UNARY)}.default`, tensor(draw, shape, oneOf(draw, FLOATS)));
  const [first, second] = [oneOf(draw, ANY), oneOf(draw, NUMBERS)];
  const operands = (): Twin[] => [
    tensor(draw, narrowed(draw, shape), first),
    tensor(draw, narrowed(draw, shape), second),
  ];
  switch (below(draw, 4)) {
    case 0:
      return call("where.self", tensor(draw, narrowed(draw, shape), "bool"), ...operands());
    case 1:
      return call(oneOf(draw, NO_CASTS), ...operands());
    case 2:
      return call("clamp.default", operands()[1], 0, 3);
    default:
      return call(oneOf(draw, BINARY), ...operands());
  }
};

const reduction: Family = (draw) => {
  const shape = sizes(draw, between(draw, 1, 4));
  const dim = below(draw, shape.length) - (flag(draw) ? shape.length : 0);
  const dims = shuffled(
    draw,
    shape.map((_, d) => d),
  ).slice(0, between(draw, 1, shape.length));
  const keep = flag(draw);
  const floats = tensor(draw, shape, oneOf(draw, FLOATS));
  const any = tensor(draw, shape, oneOf(draw, ANY));
  return oneOf(draw, [
    call("sum.dim_IntList", any, dims, keep),
    call("mean.dim", floats, dims, keep),
    call("amax.default", any, dims, keep),
    call("any.dim", any, dim, keep),
    call("var.correction", floats, dims),
    call("argmax.default", tensor(draw, shape, oneOf(draw, NUMBERS)), dim, keep),
    call("prod.dim_int", any, dim, keep),
    call("max.dim", any, dim, keep),
    call("cumsum.default", any, dim),
    call("_softmax.default", floats, dim, false),
    call("native_layer_norm.default", floats, shape.slice(-1), null, null, 1e-5),
    call("sum.default", any),
  ]);
};

const view: Family = (draw) => {
  const shape = sizes(draw, between(draw, 1, 4));
  const self = tensor(draw, shape, oneOf(draw, ANY));
  const dim = below(draw, shape.length);
  const size = shape[dim]!;
  const start = below(draw, size);
  return oneOf(draw, [
    call(
      "permute.default",
      self,
      shuffled(
        draw,
        shape.map((_, d) => d),
      ),
    ),
    call("transpose.int", self, dim, below(draw, shape.length)),
    call("reshape.default", self, shuffled(draw, [-1, ...shape])),
    call("flatten.using_ints", self, dim),
    call("expand.default", self, [between(draw, 1, 3), ...shape]),
    call("slice.Tensor", self, dim, start, between(draw, start, size), between(draw, 1, 2)),
    call("select.int", self, dim, start),
    call("unsqueeze.default", self, between(draw, 0, shape.length)),
    call("squeeze.dim", self, dim),
    call("unfold.default", self, dim, between(draw, 1, size), between(draw, 1, 2)),
    call("diagonal.default", self, between(draw, -1, 1), 0, shape.length > 1 ? 1 : 0),
    call("split.Tensor", self, between(draw, 1, 3), dim),
    call("flip.default", self, [dim]),
    call("roll.default", self, [between(draw, -2, 2)], [dim]),
    call(
      "repeat.default",
      self,
      shape.map(() => between(draw, 1, 2)),
    ),
    call("select_scatter.default", self, tensor(draw, shape.toSpliced(dim, 1), self.real.dtype), dim, start),
  ]);
};

const matmul: Family = (draw) => {
  const [b, m, k, n] = sizes(draw, 4) as [number, number, number, number];
  const dtype = oneOf(draw, FLOATS);
  const make = (...shape: number[]): Twin => tensor(draw, shape, dtype);
  const left = oneOf(draw, [[k], [m, k], [b, m, k], [1, b, m, k]]);
  const right = oneOf(draw, [[k], [k, n], [b, k, n], [2, 1, k, n]]);
  return oneOf(draw, [
    call("mm.default", make(m, k), make(k, n)),
    call("bmm.default", make(b, m, k), make(b, k, n)),
    call("addmm.default", make(...narrowed(draw, [m, n])), make(m, k), make(k, n)),
    call("matmul.default", make(...left), make(...right)),
    call("mv.default", make(m, k), make(k)),
    call("linear.default", make(b, m, k), make(n, k), make(n)),
    call("baddbmm.default", make(b, m, n), make(b, m, k), make(b, k, n)),
  ]);
};

const convolution: Family = (draw) => {
  const spatial = between(draw, 1, 2);
  const each = (min: number, max: number): number[] =>
    Array.from({ length: spatial }, () => between(draw, min, max));
  const groups = between(draw, 1, 2);
  const [into, outOf] = [groups * between(draw, 1, 2), groups * between(draw, 1, 2)];
  const transposed = flag(draw);
  const kernel = each(1, 3);
  const weight = transposed ? [into, outOf / groups, ...kernel] : [outOf, into / groups, ...kernel];
  const dtype: DType = oneOf(draw, ["float32", "float64"]);
  return call(
    "convolution.default",
    tensor(draw, [between(draw, 1, 2), into, ...each(5, 7)], dtype),
    tensor(draw, weight, dtype),
    flag(draw) ? tensor(draw, [outOf], dtype) : null,
    each(1, 2),
    each(0, 1),
    each(1, 2),
    transposed,
    each(0, 0),
    groups,
  );
};

const pool: Family = (draw) => {
  const pair = (min: number, max: number): number[] => [between(draw, min, max), between(draw, min, max)];
  const lead = flag(draw) ? sizes(draw, 1) : sizes(draw, 2);
  const image = tensor(draw, [...lead, ...pair(4, 7)], "float32");
  const batch = tensor(draw, [...sizes(draw, 2), ...pair(3, 5)], "float32");
  return oneOf(draw, [
    call("max_pool2d_with_indices.default", image, pair(2, 3), pair(1, 2), pair(0, 1), [1, 1], flag(draw)),
    call("avg_pool2d.default", image, pair(2, 3), pair(1, 2), pair(0, 1), flag(draw), flag(draw)),
    call("_adaptive_avg_pool2d.default", image, pair(1, 4)),
    call("upsample_nearest2d.default", batch, pair(2, 9)),
    call("upsample_bilinear2d.default", batch, pair(2, 9), flag(draw)),
    call("constant_pad_nd.default", image, [...pair(0, 2), ...pair(0, 2)], 1),
    call("reflection_pad2d.default", image, [...pair(0, 2), ...pair(0, 2)]),
    call("im2col.default", batch, pair(1, 2), [1, 1], pair(0, 1), pair(1, 2)),
  ]);
};

const index: Family = (draw) => {
  const shape = sizes(draw, between(draw, 1, 3));
  const dim = below(draw, shape.length);
  const self = tensor(draw, shape, oneOf(draw, ANY));
  const at = (shape: readonly number[], limit: number): Twin => tensor(draw, shape, "int64", limit);
  const part = shape.map((size) => between(draw, 1, size));
  const list = sizes(draw, 1);
  const indices = shape.map((size) => (flag(draw) ? at(list, size) : null));
  const source = (shape: readonly number[]): Twin => tensor(draw, shape, self.real.dtype);
  indices[dim] = at(list, shape[dim]!);
  return oneOf(draw, [
    call("gather.default", self, dim, at(part, shape[dim]!)),
    call("index_select.default", self, dim, at(list, shape[dim]!)),
    call("index.Tensor", self, indices),
    call("index_put.default", self, indices, source([]), flag(draw)),
    call("scatter.src", self, dim, at(part, shape[dim]!), source(shape)),
    call("scatter_add.default", self, dim, at(part, shape[dim]!), source(shape)),
    call("index_add.default", self, dim, at(list, shape[dim]!), source(shape.with(dim, list[0]!))),
    call("index_fill.int_Scalar", self, dim, at(list, shape[dim]!), 1),
    call("masked_fill.Scalar", self, tensor(draw, narrowed(draw, shape), "bool"), 1),
    call("masked_select.default", self, tensor(draw, shape, "bool")),
    call("nonzero.default", self),
    call("embedding.default", tensor(draw, sizes(draw, 2), "float32"), at(anySizes(draw, 0, 3), 1)),
  ]);
};

const join: Family = (draw) => {
  const shape = sizes(draw, between(draw, 1, 4));
  const dim = below(draw, shape.length);
  const some = <T>(make: () => T): T[] => Array.from({ length: between(draw, 1, 3) }, make);
  const make = (shape: readonly number[]): Twin => tensor(draw, shape, oneOf(draw, ANY));
  return flag(draw)
    ? call(
        "stack.default",
        some(() => make(shape)),
        between(draw, 0, shape.length),
      )
    : call(
        "cat.default",
        some(() => make(shape.with(dim, between(draw, 1, 3)))),
        dim,
      );
};

const sort: Family = (draw) => {
  const shape = sizes(draw, between(draw, 1, 3));
  const dim = below(draw, shape.length);
  const self = tensor(draw, shape, oneOf(draw, NUMBERS));
  const k = between(draw, 1, shape[dim]!);
  return oneOf(draw, [
    call("sort.default", self, dim, flag(draw)),
    call("argsort.default", self, dim, flag(draw)),
    call("topk.default", self, k, dim, flag(draw)),
    call("kthvalue.default", self, k, dim, flag(draw)),
    call("median.dim", self, dim, flag(draw)),
    call("mode.default", self, dim, flag(draw)),
    call("cummax.default", self, dim),
    call("_unique2.default", self, true, true, true),
    call("unique_consecutive.default", self, true, true),
  ]);
};

export const FAMILIES = { pointwise, reduction, view, matmul, convolution, pool, index, join, sort };
