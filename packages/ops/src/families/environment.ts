/**
 * @file What a program asks of its surroundings: libraries of the build, and how autograd holds a
 * tensor.
 */
import { type FakeTensor, type SymScalar, symBool, symInt } from "@sconce/ir";
import type { SymEnv } from "@sconce/symbolic";
import { defineOp, type OpDefinition } from "../rows/define-op.js";
import { isContiguousFake } from "../rules/fake.js";

type Schema = "aten::is_leaf(Tensor self) -> bool";

/** Lowering replaces the call by its answer, as PyTorch does. */
function answer(schema: string, value: (self: FakeTensor, env: SymEnv) => SymScalar): OpDefinition {
  return defineOp({
    schema: schema as Schema,
    tags: ["composite"],
    meta: (args, { env }) => value(args.self, env),
    decompose: (emit, args) => value(args.self, emit.env),
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

/** 1 for a stride of 0, 0 for a contiguous tensor, 2 where PyTorch does not find out. */
function overlap(self: FakeTensor, env: SymEnv): number {
  if (self.shape.some((size, dim) => self.strides[dim] === 0 && env.orTrue(size !== 1))) return 1;
  const dims = self.shape.map((_, dim) => dim);
  dims.sort((a, b) => Number(self.strides[b]) - Number(self.strides[a]));
  const sorted = [self.shape, self.strides].map((sizes) => dims.map((dim) => sizes[dim]!));
  return isContiguousFake({ ...self, shape: sorted[0]!, strides: sorted[1]!, ndim: self.ndim }, env) ? 0 : 2;
}

/** Rows whose values no traced program can use: exporting reads them once. */
export const environmentOps: readonly OpDefinition[] = [
  ...libraries.map((schema) => answer(schema, () => symBool(false))),
  answer("aten::is_distributed(Tensor self) -> bool", () => symBool(false)),
  answer("aten::retains_grad(Tensor self) -> bool", () => symBool(false)),
  answer("aten::is_leaf(Tensor self) -> bool", () => symBool(true)),
  answer("aten::_has_compatible_shallow_copy_type(Tensor self, Tensor from) -> bool", () => symBool(true)),
  answer("aten::output_nr(Tensor self) -> int", () => symInt(0)),
  answer("aten::_version(Tensor self) -> int", () => symInt(0)),
  answer("aten::_debug_has_internal_overlap(Tensor self) -> int", (self, env) => symInt(overlap(self, env))),
];
