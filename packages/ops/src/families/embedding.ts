/** @file Lookup of rows, one at a time or in bags. */
import type { FakeTensor, IntLike } from "@sconce/ir";
import { sub } from "@sconce/symbolic";
import { isComplexDType, isFloatDType, isIntegralDType } from "@sconce/tensor";
import { defineOp, type OpDefinition } from "../rows/define-op.js";
import type { Emit, EmitArg } from "../rows/emit.js";
import { dtypeMismatch, invalidArgument, shapeMismatch } from "../rows/errors.js";
import { Arithmetic } from "../rules/arithmetic.js";
import { isEqual, mayDiffer } from "../rules/comparison.js";
import { convert } from "../rules/decompose.js";
import { describeSize, describeSizes } from "../rules/describe.js";
import { wrapDim } from "../rules/dims.js";
import { elementwise } from "../rules/elementwise.js";
import { fake, numelOf, rowMajorLike } from "../rules/fake.js";
import { hasOtherCount } from "../rules/operand-sizes.js";
import { computationDType } from "../rules/promote.js";

function requireIndex(what: string, tensor: FakeTensor): void {
  if (tensor.dtype !== "int64" && tensor.dtype !== "int32") {
    throw dtypeMismatch(
      `Expected tensor for argument '${what}' to have one of the following scalar types: Long, Int; but got ` +
        `${tensor.dtype} instead`,
    );
  }
}

const embedding = defineOp({
  schema:
    "aten::embedding(Tensor weight, Tensor indices, SymInt padding_idx=-1, bool scale_grad_by_freq=False, bool sparse=False) -> Tensor",
  tags: ["core"],
  meta: ({ weight, indices }) => {
    if (weight.ndim !== 2) throw shapeMismatch("'weight' must be 2-D");
    requireIndex("indices", indices);
    return fake({ dtype: weight.dtype, shape: [...indices.shape, weight.shape[1]!], like: weight });
  },
});

const embeddingRenorm = defineOp({
  schema: "aten::embedding_renorm(Tensor self, Tensor indices, float max_norm, float norm_type) -> Tensor",
  meta: ({ self, indices }, context) => {
    if (self.ndim !== 2) {
      throw shapeMismatch(
        `Expected 2-dimensional tensor, but got ${self.ndim}-dimensional tensor for argument #1 'self'`,
      );
    }
    requireIndex("indices", indices);
    if (!isFloatDType(self.dtype) && !isComplexDType(self.dtype)) {
      throw dtypeMismatch(
        `norm(): input dtype should be either floating point or complex. Got ${self.dtype} instead.`,
      );
    }
    return elementwise(context, [self]);
  },
});

const embeddingDenseBackward = defineOp({
  schema:
    "aten::embedding_dense_backward(Tensor grad_output, Tensor indices, SymInt num_weights, SymInt padding_idx, bool scale_grad_by_freq) -> Tensor",
  tags: ["core"],
  meta: ({ grad_output, indices, num_weights }, { env }) => {
    requireIndex("indices", indices);
    if (grad_output.ndim === 0)
      throw invalidArgument("Dimension specified as -1 but tensor has no dimensions");
    const rows = [numelOf(indices.shape), grad_output.shape.at(-1)!];
    if (hasOtherCount(env, grad_output, rows))
      throw shapeMismatch(
        `shape '${describeSizes(rows)}' is invalid for input of size ${describeSize(numelOf(grad_output.shape))}`,
      );
    return fake({
      dtype: grad_output.dtype,
      shape: [num_weights, grad_output.shape.at(-1)!],
      like: grad_output,
    });
  },
  decompose: (emit, args) => {
    const { indices: given, num_weights: rows, padding_idx: padding } = args;
    const t = new Arithmetic(emit);
    const indices = convert(emit, given, "int64");
    const and = (a: FakeTensor, b: FakeTensor): FakeTensor => emit("aten.bitwise_and.Tensor", [a, b]);
    let grad = convert(emit, args.grad_output, computationDType(args.grad_output.dtype));
    const valid = and(t.compare("ge", indices, 0), t.compare("lt", indices, rows));
    if (args.scale_grad_by_freq) {
      const counts = frequencies(emit, indices, rows, valid);
      // The kernel's factor for integers is cut to one: rows that occur twice get nothing.
      const cuts = emit.runsKernels === true && isIntegralDType(grad.dtype);
      grad = cuts
        ? emit("aten.masked_fill.Scalar", [grad, t.compare("gt", counts, 1), 0])
        : t.div(grad, counts);
    }
    let mask = and(valid, emit("aten.ne.Scalar", [indices, padding]));
    while (mask.ndim < grad.ndim) mask = emit("aten.unsqueeze.default", [mask, -1]);
    const zeros = emit("aten.new_zeros.default", [grad, [rows, ...grad.shape.slice(indices.ndim)]]);
    const sums = emit("aten._unsafe_masked_index_put_accumulate.default", [zeros, mask, [indices], grad]);
    return convert(emit, sums, args.grad_output.dtype);
  },
});

/** Returns how often each index occurs, as a column. */
function frequencies(emit: Emit, indices: FakeTensor, rows: IntLike, valid: FakeTensor): FakeTensor {
  const zeros = emit("aten.new_zeros.default", [indices, [rows]]);
  const ones = emit("aten.ones_like.default", [indices]);
  const counts = emit("aten._unsafe_masked_index_put_accumulate.default", [zeros, valid, [indices], ones]);
  const each = emit("aten._unsafe_masked_index.default", [counts, valid, [indices], 1]);
  return emit("aten.unsqueeze.default", [each, -1]);
}

interface BagArgs {
  readonly weight: FakeTensor;
  readonly indices: FakeTensor;
  readonly offsets: FakeTensor;
  readonly scale_grad_by_freq: boolean;
  readonly mode: IntLike;
  readonly sparse: boolean;
  readonly per_sample_weights: FakeTensor | null;
  readonly include_last_offset: boolean;
  readonly padding_idx: IntLike;
}

const SUM = 0;
const MAX = 2;

function bags(args: BagArgs, { env }: Pick<Emit, "env">): readonly FakeTensor[] {
  const { weight, indices, offsets, mode, per_sample_weights: scale, include_last_offset } = args;
  checkBags(args, { env });
  const count = include_last_offset ? sub(offsets.shape[0]!, 1) : offsets.shape[0]!;
  const width = weight.shape[1]!;
  const output = fake({ dtype: weight.dtype, shape: [count, width], like: weight });
  const like = (shape: readonly IntLike[]): FakeTensor =>
    fake({ dtype: offsets.dtype, shape, like: offsets });
  if (offsets.device.type === "meta")
    return [
      output,
      like([indices.shape[0]!]),
      like(offsets.shape),
      like(mode === MAX ? [count, width] : [0]),
    ];
  const unitStride =
    isEqual(env, weight.strides[1]!, 1) && (scale === null || isEqual(env, scale.strides[0]!, 1));
  const fast =
    (weight.dtype === "float32" || weight.dtype === "float16") && unitStride && Number(args.padding_idx) < 0;
  return [
    output,
    like([mode === SUM && fast ? 0 : indices.shape[0]!]),
    like([count]),
    like(mode === MAX ? [count, width] : [count]),
  ];
}

function checkBags(args: BagArgs, { env }: Pick<Emit, "env">): void {
  const { weight, indices, offsets, mode, per_sample_weights: scale, include_last_offset } = args;
  requireIndex("indices", indices);
  requireIndex("offsets", offsets);
  if (!isFloatDType(weight.dtype))
    throw dtypeMismatch(`expected weight to be floating point type, got ${weight.dtype}`);
  if (weight.ndim !== 2 || indices.ndim !== 1 || offsets.ndim !== 1) {
    throw shapeMismatch(
      "embedding_bag: weight has to be a matrix, indices and offsets have to be 1D Tensors",
    );
  }
  if (include_last_offset && isEqual(env, offsets.shape[0]!, 0)) {
    throw shapeMismatch("include_last_offset: numBags should be at least 1");
  }
  if (scale === null) return;
  if (mode !== SUM) throw invalidArgument("embedding_bag: per_sample_weights only supported with mode='sum'");
  if (scale.ndim !== 1)
    throw shapeMismatch(`expected per_sample_weights to be 1D tensor, got ${scale.ndim}D`);
  if (mayDiffer(env, numelOf(scale.shape), numelOf(indices.shape))) {
    throw shapeMismatch("expected per_sample_weights.numel() to be the same as indices.numel()");
  }
}

const embeddingBagCore = defineOp({
  schema:
    "aten::_embedding_bag(Tensor weight, Tensor indices, Tensor offsets, bool scale_grad_by_freq=False, int mode=0, bool sparse=False, Tensor? per_sample_weights=None, bool include_last_offset=False, int padding_idx=-1) -> (Tensor, Tensor, Tensor, Tensor)",
  tags: ["core"],
  meta: bags,
});

const embeddingBagForward = defineOp({
  schema:
    "aten::_embedding_bag_forward_only(Tensor weight, Tensor indices, Tensor offsets, bool scale_grad_by_freq=False, int mode=0, bool sparse=False, Tensor? per_sample_weights=None, bool include_last_offset=False, int padding_idx=-1) -> (Tensor, Tensor, Tensor, Tensor)",
  meta: (args, context) => {
    const [output, bagOf, , maxima] = bags(args, context) as [FakeTensor, FakeTensor, FakeTensor, FakeTensor];
    const { offsets } = args;
    return [output, bagOf, rowMajorLike(offsets), maxima];
  },
});

type CompositeBag = Omit<BagArgs, "padding_idx"> & { readonly padding_idx: IntLike | null };

/** Without gradients the form that keeps nothing for them. */
function lookUpBags(emit: Emit, args: CompositeBag): readonly FakeTensor[] {
  const { weight, indices, offsets, per_sample_weights } = args;
  const padding = args.padding_idx === null ? -1 : wrapDim(args.padding_idx, Number(weight.shape[0]));
  const dense = (tensor: FakeTensor): FakeTensor => emit("aten.contiguous.default", [tensor]);
  const rest: readonly EmitArg[] = [
    args.scale_grad_by_freq,
    args.mode,
    args.sparse,
    per_sample_weights,
    args.include_last_offset,
    padding,
  ];
  const target = weight.requiresGrad
    ? "aten._embedding_bag.default"
    : "aten._embedding_bag_forward_only.default";
  return emit.many(target, [weight, dense(indices), dense(offsets), ...rest]);
}

const embeddingBag = defineOp({
  schema:
    "aten::embedding_bag(Tensor weight, Tensor indices, Tensor offsets, bool scale_grad_by_freq=False, int mode=0, bool sparse=False, Tensor? per_sample_weights=None, bool include_last_offset=False) -> (Tensor, Tensor, Tensor, Tensor)",
  tags: ["composite"],
  decompose: (emit, args) => lookUpBags(emit, { ...args, padding_idx: null }),
});

const embeddingBagWithPadding = defineOp({
  schema:
    "aten::embedding_bag.padding_idx(Tensor weight, Tensor indices, Tensor offsets, bool scale_grad_by_freq, int mode, bool sparse, Tensor? per_sample_weights, bool include_last_offset, int? padding_idx) -> (Tensor, Tensor, Tensor, Tensor)",
  tags: ["composite"],
  decompose: lookUpBags,
});

/** Lookup of rows. */
export const embeddingOps: readonly OpDefinition[] = [
  embedding,
  embeddingRenorm,
  embeddingDenseBackward,
  embeddingBagCore,
  embeddingBagForward,
  embeddingBag,
  embeddingBagWithPadding,
];
