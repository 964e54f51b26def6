/**
 * @file What a program asks of its surroundings: libraries of the build, and how autograd holds a
 * tensor.
 */
import { type FakeTensor, type IntLike, type SymScalar, symBool, symInt } from "@sconce/ir";
import { add, type SymEnv } from "@sconce/symbolic";
import { defineOp, type OpDefinition, type OpTag } from "../rows/define-op.js";
import { isEqual } from "../rules/comparison.js";
import { sizesEqual } from "../rules/dims.js";
import { isContiguousFake, numelOf } from "../rules/fake.js";
import { viewOf } from "../rules/view-geometry.js";
import { type Attention, isFused as isFusedAttention } from "./attention.js";

/** All schemas here as one type: each has some of these tensors, and the rest is not read. */
type Schema = "aten::x(Tensor self, Tensor other, Tensor tensor) -> bool";

interface Tensors {
  readonly self: FakeTensor;
  readonly other: FakeTensor;
  readonly tensor: FakeTensor;
}

/** Lowering replaces the call by its answer, as PyTorch does. */
function answer(
  schema: string,
  value: (tensors: Tensors, env: SymEnv) => SymScalar,
  tag: OpTag = "composite",
): OpDefinition {
  return defineOp({
    schema: schema as Schema,
    tags: [tag],
    meta: (args, { env }) => value(args, env),
    decompose: (emit, args) => value(args, emit.env),
  });
}

/** Libraries that only PyTorch's own kernels use. */
const libraries = [
  "aten::_nnpack_available() -> bool",
  "aten::is_vulkan_available() -> bool",
  "aten::_use_cudnn_rnn_flatten_weight() -> bool",
  "aten::cudnn_is_acceptable(Tensor self) -> bool",
  "mkldnn::_is_mkldnn_acl_supported() -> bool",
  "mkldnn::_is_mkldnn_bf16_supported() -> bool",
  "mkldnn::_is_mkldnn_fp16_supported() -> bool",
] as const;

/** Elements that the memory behind a dense tensor holds. */
const storageCount = ({ shape, storageOffset }: FakeTensor): IntLike => add(storageOffset, numelOf(shape));

/** 1 for a stride of 0, 0 for a contiguous tensor, 2 where PyTorch does not find out. */
function overlap(self: FakeTensor, env: SymEnv): number {
  if (self.shape.some((size, dim) => self.strides[dim] === 0 && env.orTrue(size !== 1))) return 1;
  const dims = self.shape.map((_, dim) => dim);
  dims.sort((a, b) => Number(self.strides[b]) - Number(self.strides[a]));
  const sorted = [self.shape, self.strides].map((sizes) => dims.map((dim) => sizes[dim]!));
  return isContiguousFake({ ...self, shape: sorted[0]!, strides: sorted[1]!, ndim: self.ndim }, env) ? 0 : 2;
}

const batched = (tensor: FakeTensor): FakeTensor =>
  tensor.ndim === 3 ? viewOf(tensor, [1, ...tensor.shape], [tensor.strides[0]!, ...tensor.strides]) : tensor;

function choiceOf(args: Attention & { readonly enable_gqa: boolean }, env: SymEnv): SymScalar {
  const [query, key, value] = [args.query, args.key, args.value].map(batched) as [
    FakeTensor,
    FakeTensor,
    FakeTensor,
  ];
  return symInt(isFusedAttention(env, { ...args, query, key, value }, args.enable_gqa) ? 1 : 0);
}

/** Which kernel attention takes (`SDPBackend`): 0 is plain mathematics, 1 the fused one. */
const attentionChoice = defineOp({
  schema:
    "aten::_fused_sdp_choice(Tensor query, Tensor key, Tensor value, Tensor? attn_mask=None, float dropout_p=0., bool is_causal=False, *, float? scale=None, bool enable_gqa=False) -> int",
  tags: ["always_decomposed"],
  meta: (args, { env }) => choiceOf(args, env),
  decompose: ({ env }, args) => choiceOf(args, env),
});

const requiresGrad = defineOp({
  schema: "aten::requires_grad_(Tensor(a!) self, bool requires_grad=True) -> Tensor(a!)",
  tags: ["composite", "maybe_aliasing_or_mutating"],
  decompose: (_, { self }) => self,
});

/** Rows whose values no traced program can use: exporting reads them once. */
export const environmentOps: readonly OpDefinition[] = [
  ...libraries.map((schema) => answer(schema, () => symBool(false))),
  answer(
    "aten::is_pinned(Tensor self, Device? device=None) -> bool",
    () => symBool(false),
    "always_decomposed",
  ),
  answer(
    "aten::is_same_size(Tensor self, Tensor other) -> bool",
    ({ self, other }, env) => symBool(sizesEqual(self.shape, other.shape, env)),
    "always_decomposed",
  ),
  answer(
    "aten::_has_same_storage_numel(Tensor self, Tensor other) -> bool",
    ({ self, other }, env) => symBool(isEqual(env, storageCount(self), storageCount(other))),
    "always_decomposed",
  ),
  answer(
    "aten::is_set_to(Tensor self, Tensor tensor) -> bool",
    ({ self, tensor }) => symBool(self === tensor),
    "always_decomposed",
  ),
  attentionChoice,
  requiresGrad,
  answer("aten::is_distributed(Tensor self) -> bool", () => symBool(false)),
  answer("aten::retains_grad(Tensor self) -> bool", () => symBool(false)),
  answer("aten::is_leaf(Tensor self) -> bool", () => symBool(true)),
  answer("aten::_has_compatible_shallow_copy_type(Tensor self, Tensor from) -> bool", () => symBool(true)),
  answer("aten::output_nr(Tensor self) -> int", () => symInt(0)),
  answer("aten::_version(Tensor self) -> int", () => symInt(0)),
  answer("aten::_debug_has_internal_overlap(Tensor self) -> int", ({ self }, env) =>
    symInt(overlap(self, env)),
  ),
];
