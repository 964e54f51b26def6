/** @file Distances and similarities between rows. */
import { type FakeTensor, float, type IntLike } from "@sconce/ir";
import { floorDiv, mul, sub } from "@sconce/symbolic";
import { isFloatDType } from "@sconce/tensor";
import { defineOp, type MetaContext, type OpDefinition } from "../rows/define-op.js";
import type { Emit } from "../rows/emit.js";
import { dimOutOfRange, dtypeMismatch, invalidArgument, shapeMismatch } from "../rows/errors.js";
import { isBelow, isEqual, mayDiffer } from "../rules/comparison.js";
import { describeSize } from "../rules/describe.js";
import { broadcastShapes } from "../rules/dims.js";
import { fake, hasNoElements, numelOf, rowMajorLike } from "../rules/fake.js";
import { emptyLike } from "../rules/options.js";
import { computationDType, promoteOperands } from "../rules/promote.js";
import { sizeProduct } from "../rules/size-product.js";

interface CdistArgs {
  readonly x1: FakeTensor;
  readonly x2: FakeTensor;
  readonly p: number;
  readonly compute_mode: IntLike | null;
}

function checkCdist({ x1, x2, p, compute_mode }: CdistArgs, { env }: MetaContext): void {
  [x1, x2].forEach((x, i) => {
    if (x.ndim < 2) throw shapeMismatch(`cdist only supports at least 2D tensors, X${i + 1} got: ${x.ndim}D`);
    if (!isFloatDType(x.dtype)) {
      throw dtypeMismatch(`cdist only supports floating-point dtypes, X${i + 1} got: ${x.dtype}`);
    }
  });
  if (mayDiffer(env, x1.shape.at(-1)!, x2.shape.at(-1)!)) {
    throw shapeMismatch(
      `X1 and X2 must have the same number of columns. X1: ${describeSize(x1.shape.at(-1))} X2: ${describeSize(x2.shape.at(-1))}`,
    );
  }
  if (!(p >= 0)) throw invalidArgument("cdist only supports non-negative p values");
  if (compute_mode !== null && ![0, 1, 2].includes(Number(compute_mode))) {
    throw invalidArgument(`possible modes: 0, 1, 2, but was: ${describeSize(compute_mode)}`);
  }
}

const cdistForward = defineOp({
  schema: "aten::_cdist_forward(Tensor x1, Tensor x2, float p, int? compute_mode) -> Tensor",
  tags: ["core"],
  meta: (args, context) => {
    checkCdist(args, context);
    const { x1, x2 } = args;
    const batch = broadcastShapes(context.env, x1.shape.slice(0, -2), x2.shape.slice(0, -2));
    return fake({ dtype: x1.dtype, shape: [...batch, x1.shape.at(-2)!, x2.shape.at(-2)!], like: x1 });
  },
  kernelCalls: (emit, args) =>
    isByProduct(emit, args) ? euclideanByProduct(emit, args.x1, args.x2) : undefined,
});

/** Above this many rows Euclidean distances come from one matrix product. */
const ROWS = 25;

const cdist = defineOp({
  schema: "aten::cdist(Tensor x1, Tensor x2, float p=2., int? compute_mode=None) -> Tensor",
  tags: ["composite"],
  decompose: (emit, args) => {
    checkCdist(args, emit);
    const { x1, x2, p, compute_mode } = args;
    return isByProduct(emit, args)
      ? euclideanByProduct(emit, x1, x2)
      : emit("aten._cdist_forward.default", [x1, x2, p, compute_mode]);
  },
});

function isByProduct({ env }: Emit, { x1, x2, p, compute_mode }: CdistArgs): boolean {
  const mode = compute_mode ?? 0;
  const empty = hasNoElements(env, x1) || hasNoElements(env, x2);
  const hasMany = (): boolean => [x1, x2].some((x) => isBelow(env, ROWS, x.shape.at(-2)!));
  return !empty && p === 2 && (mode === 1 || (mode === 0 && hasMany()));
}

function euclideanByProduct(emit: Emit, x1: FakeTensor, x2: FakeTensor): FakeTensor {
  const batch = broadcastShapes(emit.env, x1.shape.slice(0, -2), x2.shape.slice(0, -2));
  const count = sizeProduct(emit, batch);
  const shape = [...batch, x1.shape.at(-2)!, x2.shape.at(-2)!];
  const flatten = (x: FakeTensor): FakeTensor => {
    const expanded = emit("aten.expand.default", [x, [...batch, ...x.shape.slice(-2)]]);
    const dense = emit("aten.contiguous.default", [expanded]);
    return emit("aten.view.default", [dense, [count, ...x.shape.slice(-2)]]);
  };
  const flat = [flatten(x1), flatten(x2)] as const;
  const [left, right] = isEqual(emit.env, count, 1) ? [x1, x2] : flat;
  return emit("aten.view.default", [emit("aten._euclidean_dist.default", [left, right]), shape]);
}

const euclidean = defineOp({
  schema: "aten::_euclidean_dist(Tensor x1, Tensor x2) -> Tensor",
  meta: ({ x1, x2 }, { env }) => {
    const batch = broadcastShapes(env, x1.shape.slice(0, -2), x2.shape.slice(0, -2));
    return fake({ dtype: x1.dtype, shape: [...batch, x1.shape.at(-2)!, x2.shape.at(-2)!], like: x1 });
  },
  decompose: (emit, { x1, x2 }) => euclideanDistance(emit, x1, x2),
  kernelCalls: (emit, { x1, x2 }) => euclideanDistance(emit, x1, x2),
});

function euclideanDistance(emit: Emit, x1: FakeTensor, x2: FakeTensor): FakeTensor {
  const square = (x: FakeTensor): readonly [FakeTensor, FakeTensor] => {
    const norm = emit("aten.sum.dim_IntList", [emit("aten.pow.Tensor_Scalar", [x, 2]), [-1], true]);
    return [norm, emit("aten.ones_like.default", [norm], { memory_format: "contiguous_format" })];
  };
  const [norm1, ones1] = square(x1);
  const [norm2, ones2] = square(x2);
  const left = emit("aten.cat.default", [[emit("aten.mul.Tensor", [x1, -2]), norm1, ones1], -1]);
  const right = emit("aten.cat.default", [[x2, ones2, norm2], -1]);
  const squares = emit("aten.matmul.default", [left, emit("aten.transpose.int", [right, -2, -1])]);
  return emit("aten.sqrt.default", [emit("aten.clamp_min.default", [squares, 0])]);
}

const pdistForward = defineOp({
  schema: "aten::_pdist_forward(Tensor self, float p=2.) -> Tensor",
  tags: ["core"],
  meta: ({ self }) => {
    checkPdist(self);
    const rows = self.shape[0]!;
    const pairs = isSmall(rows) ? 0 : floorDiv(mul(rows, sub(rows, 1)), 2);
    return fake({ dtype: self.dtype, shape: [pairs], like: self });
  },
});

const isSmall = (rows: IntLike): boolean => typeof rows === "number" && rows <= 1;

function checkPdist(self: FakeTensor): void {
  if (self.ndim !== 2) throw shapeMismatch(`pdist only supports 2D tensors, got: ${self.ndim}D`);
  if (!isFloatDType(self.dtype)) throw dtypeMismatch("pdist only supports floating-point dtypes");
}

const pdist = defineOp({
  schema: "aten::pdist(Tensor self, float p=2.) -> Tensor",
  tags: ["composite"],
  decompose: (emit, { self, p }) => {
    checkPdist(self);
    if (!(p >= 0)) throw invalidArgument("pdist only supports non-negative p values");
    return emit("aten._pdist_forward.default", [emit("aten.contiguous.default", [self]), p]);
  },
});

const pairwiseDistance = defineOp({
  schema:
    "aten::pairwise_distance(Tensor x1, Tensor x2, float p=2., float eps=9.9999999999999995e-07, bool keepdim=False) -> Tensor",
  tags: ["composite"],
  decompose: (emit, { x1, x2, p, eps, keepdim }) => {
    const difference = emit("aten.add.Scalar", [emit("aten.sub.Tensor", [x1, x2]), float(eps)]);
    return emit("aten.norm.ScalarOpt_dim", [difference, float(p), [Math.max(x1.ndim, x2.ndim) - 1], keepdim]);
  },
});

const cosineSimilarity = defineOp({
  schema: "aten::cosine_similarity(Tensor x1, Tensor x2, int dim=1, float eps=1e-08) -> Tensor",
  tags: ["composite"],
  decompose: (emit, args) => {
    if (!isFloatDType(promoteOperands([args.x1, args.x2]))) {
      throw dtypeMismatch("expected common dtype to be floating point");
    }
    const { dim, eps } = args;
    if (!(eps >= 0))
      throw invalidArgument(`eps must be non-negative, got: ${Number.isNaN(eps) ? "nan" : eps}`);
    const [x1, x2] = expandTogether(emit, args.x1, args.x2);
    const normOf = (x: FakeTensor): FakeTensor =>
      emit("aten.clone.default", [emit("aten.linalg_vector_norm.default", [x, 2, [dim], true])]);
    const norm1 = normOf(x1);
    const norm2 = normOf(x2);
    const least = emit("aten.scalar_tensor.default", [eps], {
      dtype: computationDType(norm1.dtype),
      device: norm1.device,
    });
    // In place the norms keep their dtype, even halves that are 0-d like the bound.
    const held1 = emit("aten.clamp_min_.Tensor", [norm1, least]);
    const held2 = emit("aten.clamp_min_.Tensor", [norm2, least]);
    const unit2 = emit("aten.div.Tensor", [x2, held2]);
    const unit1 = emit("aten.div.Tensor", [x1, held1]);
    return emit("aten.sum.dim_IntList", [emit("aten.mul.Tensor", [unit1, unit2]), [dim]]);
  },
});

/** Both at their common shape; as they are when their shapes agree. */
function expandTogether(emit: Emit, x1: FakeTensor, x2: FakeTensor): readonly [FakeTensor, FakeTensor] {
  const same = x1.ndim === x2.ndim && x1.shape.every((size, d) => isEqual(emit.env, size, x2.shape[d]!));
  if (same) return [x1, x2];
  const shape = broadcastShapes(emit.env, x1.shape, x2.shape);
  const right = emit("aten.expand.default", [x2, shape]);
  return [emit("aten.expand.default", [x1, shape]), right];
}

const cdistBackward = defineOp({
  schema: "aten::_cdist_backward(Tensor grad_output, Tensor x1, Tensor x2, float p, Tensor cdist) -> Tensor",
  meta: ({ x1, x2 }, { env }) => {
    const batch = broadcastShapes(env, x1.shape.slice(0, -2), x2.shape.slice(0, -2));
    const sizes = [numelOf(batch), numelOf(x1.shape.slice(-2)), x2.shape.at(-2)!];
    // Without a pair of points the gradient is `zeros_like(x1)`, which is not broadcast.
    if (sizes.some((size) => size === 0)) return emptyLike(x1, env);
    return fake({ dtype: x1.dtype, shape: [...batch, ...x1.shape.slice(-2)], like: x1 });
  },
});

const pdistBackward = defineOp({
  schema: "aten::_pdist_backward(Tensor grad_output, Tensor self, float p, Tensor pdist) -> Tensor",
  meta: ({ self }) => {
    if (self.ndim < 2) throw dimOutOfRange(self.ndim, self.ndim);
    return rowMajorLike(self);
  },
});

/** Distances and similarities. */
export const distanceOps: readonly OpDefinition[] = [
  cdistForward,
  cdist,
  euclidean,
  pdistForward,
  pdist,
  pairwiseDistance,
  cosineSimilarity,
  cdistBackward,
  pdistBackward,
];
