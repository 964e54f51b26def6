/** @file Quantiles, which PyTorch composes of sorting, gathering and interpolation. */
import { type FakeTensor, type IntLike, float as pythonFloat } from "@sconce/ir";
import { le, type SymEnv } from "@sconce/symbolic";
import { defineOp, type OpDefinition } from "../rows/define-op.js";
import type { Emit } from "../rows/emit.js";
import { dtypeMismatch, invalidArgument, requireWord } from "../rows/errors.js";
import { check } from "../rules/comparison.js";
import { convert } from "../rules/decompose.js";
import { describeSize } from "../rules/describe.js";
import { wrapDim } from "../rules/dims.js";
import { fake, numelOf, stridesInOrder } from "../rules/fake.js";
import { sizeMath } from "../rules/size-math.js";

interface QuantileArgs {
  readonly self: FakeTensor;
  readonly q: FakeTensor;
  readonly dim: IntLike | null;
  readonly keepdim: boolean;
  readonly interpolation: string;
}

const INTERPOLATIONS = ["linear", "lower", "higher", "midpoint", "nearest"];

/** Returns the shape of the result without the dimension of `q`. */
function reducedShape({ self, dim, keepdim }: Omit<QuantileArgs, "q" | "interpolation">): readonly IntLike[] {
  if (dim === null || self.ndim === 0) return keepdim ? self.shape.map(() => 1) : [];
  const at = wrapDim(dim, self.ndim);
  return keepdim ? self.shape.map((size, d) => (d === at ? 1 : size)) : self.shape.filter((_, d) => d !== at);
}

/** Positions are computed as numbers of the type double. */
const MOST = 2 ** 53;

function checkInput(name: string, { self, dim, interpolation }: Omit<QuantileArgs, "q">, env: SymEnv): void {
  if (self.dtype !== "float32" && self.dtype !== "float64") {
    throw dtypeMismatch(`${name}() input tensor must be either float or double dtype`);
  }
  if (numelOf(self.shape) === 0) throw invalidArgument(`${name}() input tensor must be non-empty`);
  const count = dim === null || self.ndim === 0 ? numelOf(self.shape) : self.shape[wrapDim(dim, self.ndim)]!;
  check(env, le(count, MOST), () =>
    invalidArgument(`${name}() input has ${describeSize(count)} values, more than 2^53`),
  );
  requireWord(
    interpolation,
    INTERPOLATIONS,
    `${name}() interpolation must be one of linear, lower, higher, midpoint or nearest, but got ${interpolation}`,
  );
}

function quantileMeta(name: string, args: QuantileArgs, env: SymEnv): FakeTensor {
  const { self, q } = args;
  checkInput(name, args, env);
  if (q.ndim > 1) throw invalidArgument(`${name}() q must be a scalar or 1D tensor`);
  if (q.dtype !== self.dtype)
    throw dtypeMismatch(`${name}() q tensor must be same dtype as the input tensor`);
  const rest = reducedShape(args);
  const shape = [...q.shape, ...rest];
  if (q.ndim === 0) return fake({ dtype: self.dtype, shape, like: self });
  // The dimension of q is computed as the last one and then moved to the front.
  const strides = stridesInOrder(shape, [...rest.map((_, d) => d + 1), 0]);
  return fake({ dtype: self.dtype, shape, strides, like: self });
}

/** Returns the elements to choose from, in the last dimension. */
function arranged(emit: Emit, args: QuantileArgs): FakeTensor {
  const { self, dim } = args;
  let moved = self;
  if (dim === null || self.ndim === 0) moved = emit("aten.flatten.using_ints", [self]);
  else if (wrapDim(dim, self.ndim) !== self.ndim - 1) {
    moved = emit("aten.transpose.int", [
      emit("aten.unsqueeze.default", [self, -1]),
      wrapDim(dim, self.ndim),
      -1,
    ]);
  }
  return emit("aten.view.default", [moved, [...reducedShape(args), moved.shape[moved.ndim - 1]!]]);
}

/**
 * Where the quantiles lie, in [0, size); a row with a nan asks for its last place, where sorting
 * put the nan.
 */
function ranksOf(emit: Emit, values: FakeTensor, q: FakeTensor, ignoreNan: boolean): FakeTensor {
  const nan = (): FakeTensor => emit("aten.isnan.default", [values]);
  if (ignoreNan) {
    const numbers = emit("aten.sum.dim_IntList", [emit("aten.logical_not.default", [nan()]), [-1], true]);
    const last = emit("aten.sub.Scalar", [numbers, 1]);
    const ranks = emit("aten.mul.Tensor", [convert(emit, q, "float64"), last]);
    return emit("aten.masked_fill.Scalar", [ranks, emit("aten.lt.Scalar", [ranks, 0]), 0]);
  }
  const last = sizeMath(emit, "sub", values.shape[values.ndim - 1]!, 1);
  const scaled = emit("aten.mul.Scalar", [convert(emit, q, "float64"), last]);
  const hasNan = emit("aten.any.dim", [nan(), -1, true]);
  const [ranks, mask] = emit.many("aten.broadcast_tensors.default", [[scaled, hasNan]]);
  return emit("aten.masked_fill.Scalar", [ranks, mask, last]);
}

const ROUNDING: Readonly<Record<string, string>> = {
  lower: "aten.floor.default",
  higher: "aten.ceil.default",
  nearest: "aten.round.default",
};

const toIndex = (emit: Emit, ranks: FakeTensor): FakeTensor =>
  emit("aten._to_copy.default", [ranks], { dtype: "int64", layout: ranks.layout, device: ranks.device });

function quantile(emit: Emit, args: QuantileArgs, ignoreNan: boolean): FakeTensor {
  const { self, q, interpolation } = args;
  const values = arranged(emit, args);
  const exact = ranksOf(emit, values, q, ignoreNan);
  const rounding = ROUNDING[interpolation];
  const ranks = rounding === undefined ? exact : emit(rounding, [exact]);
  const below = toIndex(emit, ranks);
  const sort = (): FakeTensor => emit.many("aten.sort.default", [values])[0]!;
  if (rounding !== undefined) return placed(emit, emit("aten.gather.default", [sort(), -1, below]), q);
  const weights =
    interpolation === "midpoint"
      ? emit("aten.full_like.default", [ranks, 0.5], {
          dtype: self.dtype,
          layout: ranks.layout,
          device: ranks.device,
        })
      : convert(emit, emit("aten.sub.Tensor", [ranks, below]), self.dtype);
  const above = toIndex(emit, emit("aten.ceil.default", [ranks]));
  const sorted = sort();
  const ends = [below, above].map((index) => emit("aten.gather.default", [sorted, -1, index]));
  return placed(emit, emit("aten.lerp.Tensor", [...ends, weights]), q);
}

/** The dimension of `q` goes to the front, or away when `q` is a scalar. */
function placed(emit: Emit, result: FakeTensor, q: FakeTensor): FakeTensor {
  if (q.ndim === 0) return emit("aten.squeeze.dim", [result, -1]);
  const front = emit("aten.transpose.int", [emit("aten.unsqueeze.default", [result, 0]), 0, -1]);
  return emit("aten.squeeze.dim", [front, -1]);
}

const REST = 'int? dim=None, bool keepdim=False, *, str interpolation="linear"' as const;
type TensorSchema = `aten::quantile(Tensor self, Tensor q, ${typeof REST}) -> Tensor`;
type ScalarSchema = `aten::quantile.scalar(Tensor self, float q, ${typeof REST}) -> Tensor`;

export const quantileOps: readonly OpDefinition[] = (["quantile", "nanquantile"] as const).flatMap((name) => [
  defineOp({
    schema: `aten::${name}(Tensor self, Tensor q, ${REST}) -> Tensor` as TensorSchema,
    tags: ["composite"],
    meta: (args, { env }) => quantileMeta(name, args, env),
    decompose: (emit, args) => quantile(emit, args, name === "nanquantile"),
  }),
  defineOp({
    schema: `aten::${name}.scalar(Tensor self, float q, ${REST}) -> Tensor` as ScalarSchema,
    tags: ["composite"],
    meta: ({ q, ...args }, { env }) => {
      if (!(q >= 0 && q <= 1)) throw invalidArgument(`${name}() q must be in the range [0, 1] but got ${q}`);
      checkInput(name, args, env);
      return fake({ dtype: args.self.dtype, shape: reducedShape(args), like: args.self });
    },
    decompose: (emit, { q, ...args }) => {
      const { dtype, layout, device } = args.self;
      const place = emit("aten.scalar_tensor.default", [pythonFloat(q)], { dtype, layout, device });
      return quantile(emit, { ...args, q: place }, name === "nanquantile");
    },
  }),
]);
