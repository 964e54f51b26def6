/**
 * @file Results that PyTorch's kernels lay out in another way than its shape rules. Programs record
 * what the shape rule gives, and a run gives what the kernel does.
 */
import { FakeTensor, type IntLike, type MetaValue } from "@sconce/ir";
import type { SymEnv } from "@sconce/symbolic";
import type { BoundArgs } from "../rows/define-op.js";
import { wrapDim } from "./dims.js";
import { elementwiseStrides } from "./elementwise.js";
import { fake, memoryFormatStrides, stridesInOrder } from "./fake.js";
import { suggestMemoryFormat } from "./memory-format.js";
import { emptyLike } from "./options.js";

/** The strides of the first result. */
type Layout = (bound: BoundArgs, shape: readonly IntLike[], env: SymEnv) => readonly IntLike[];

/** In rows or with channels last, as the input is; other orders of dimensions become rows. */
const inFormatOf =
  (name: string): Layout =>
  (bound, shape, env) =>
    memoryFormatStrides(shape, suggestMemoryFormat(bound[name] as FakeTensor, env));

/** In the order of a tensor's dimensions, without its gaps. */
const likeTensor =
  (name: string): Layout =>
  (bound, _, env) =>
    emptyLike(bound[name] as FakeTensor, env).strides;

const sameStrides: Layout = ({ self }) => (self as FakeTensor).strides;

const inRows: Layout = (_, shape) => memoryFormatStrides(shape, "contiguous_format");

/** With the dimension outermost in memory: the kernel moves it first, and back in the result. */
const dimensionFirst: Layout = ({ dim }, shape) => {
  const first = dim === null ? 0 : wrapDim(dim as IntLike, shape.length);
  const others = shape.map((_, d) => d).filter((d) => d !== first);
  return stridesInOrder(shape, shape.length === 0 ? [] : [first, ...others]);
};

/** In the order of the first operand, where rules follow the last one. */
const ofOperands: Layout = ({ self, other }, shape, env) => {
  const tensors = [self, other].filter((one): one is FakeTensor => one instanceof FakeTensor);
  return elementwiseStrides(env, shape, tensors, tensors.length < 2);
};

const LAYOUTS: Readonly<Record<string, Layout>> = {
  "aten._native_batch_norm_legit.default": inFormatOf("input"),
  "aten._native_batch_norm_legit.no_stats": inFormatOf("input"),
  "aten._native_batch_norm_legit_no_training.default": inFormatOf("input"),
  "aten._native_batch_norm_legit_functional.default": inFormatOf("input"),
  "aten.native_batch_norm.default": inFormatOf("input"),
  "aten._batch_norm_with_update.default": inFormatOf("input"),
  "aten._batch_norm_with_update_functional.default": inFormatOf("input"),
  "aten.native_group_norm.default": inFormatOf("input"),
  "aten.channel_shuffle.default": inFormatOf("self"),
  "aten.native_channel_shuffle.default": inFormatOf("self"),
  "aten._batch_norm_no_update.default": inFormatOf("input"),
  "aten.nll_loss2d_forward.default": inRows,
  "aten.mse_loss_backward.default": inRows,
  "aten.smooth_l1_loss_backward.default": inRows,
  "aten.huber_loss_backward.default": inRows,
  "aten.glu_backward.default": inRows,
  "aten.glu_jvp.default": likeTensor("glu"),
  "aten._lazy_clone.default": sameStrides,
  "aten._masked_softmax.default": likeTensor("self"),
  "aten._upsample_lanczos2d_aa_backward.default": inRows,
  "aten.max_pool1d.default": inRows,
  "aten.one_hot.default": inRows,
  "aten.div.Tensor_mode": ofOperands,
  "aten.floor_divide.default": ofOperands,
  "aten.copysign.Tensor": ofOperands,
  "aten.xlogy.Tensor": ofOperands,
  "aten.unique_dim.default": dimensionFirst,
  "aten.unique_consecutive.default": dimensionFirst,
};

/**
 * Returns whether PyTorch's kernel may lay out the result of a call in another way than its shape
 * rule.
 */
export const hasKernelLayout = (target: string): boolean => Object.hasOwn(LAYOUTS, target);

/**
 * Returns the result of a shape rule as PyTorch's kernel lays it out; the same result where the two
 * agree.
 */
export function kernelResult(target: string, bound: BoundArgs, result: MetaValue, env: SymEnv): MetaValue {
  const layout = Object.hasOwn(LAYOUTS, target) ? LAYOUTS[target] : undefined;
  if (layout === undefined) return result;
  const [first, ...rest] = Array.isArray(result) ? (result as readonly MetaValue[]) : [result];
  if (!(first instanceof FakeTensor)) return result;
  const { dtype, shape } = first;
  const laid = fake({ dtype, shape, strides: layout(bound, shape, env), like: first });
  return Array.isArray(result) ? [laid, ...rest] : laid;
}
