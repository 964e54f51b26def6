/**
 * @file New tensors from sizes and numbers. Memory that PyTorch leaves uninitialized is zero here.
 */
import type { ScalarLiteral } from "@sconce/ir";
import { dtypeInfo } from "@sconce/tensor";
import { defineKernels, emptyOutput, type Kernel, kernel } from "../kernel/kernel.js";
import { fillWith } from "./creation-fill.js";
import type { Operand } from "./pointwise-loop.js";

const empty = kernel(
  [
    "aten::empty.memory_format(SymInt[] size, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None, MemoryFormat? memory_format=None) -> Tensor",
    "dim_order_ops::_empty_dim_order(SymInt[] size, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None, int[]? dim_order=None) -> Tensor",
    "aten::empty_strided(SymInt[] size, SymInt[] stride, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor",
    "aten::empty_like(Tensor self, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None, MemoryFormat? memory_format=None) -> Tensor",
    "aten::empty_permuted(SymInt[] size, int[] physical_layout, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor",
    "aten::new_empty(Tensor self, SymInt[] size, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor",
    "aten::new_empty_strided(Tensor self, SymInt[] size, SymInt[] stride, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor",
  ],
  (_, context) => emptyOutput(context),
);
const constant =
  (value: ScalarLiteral): Kernel<unknown> =>
  (_, context) =>
    fillWith(emptyOutput(context), value);
const zeros = constant(0);
const ones = constant(1);
const full: Kernel<{ fill_value: Operand }> = ({ fill_value: value }, context) =>
  fillWith(emptyOutput(context), value);
const fill: Kernel<{ value: Operand }> = ({ value }, context) => fillWith(emptyOutput(context), value);
const scalarTensor = kernel(
  "aten::scalar_tensor(Scalar s, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor",
  ({ s }, context) => fillWith(emptyOutput(context), s),
);

/** The memory of a tensor, cut off or followed by nothing in particular, under other sizes. */
const resize = kernel(
  "aten::resize(Tensor self, SymInt[] size, *, MemoryFormat? memory_format=None) -> Tensor",
  ({ self }, context) => {
    const out = emptyOutput(context);
    const { itemSize } = dtypeInfo(self.dtype);
    const start = self.storageOffset * itemSize;
    const bytes = self.storage.bytes.subarray(start, start + out.storage.byteLength);
    out.storage.bytes.set(bytes);
    return out;
  },
);

export const creationKernels = defineKernels([
  empty,
  kernel(
    [
      "aten::zeros(SymInt[] size, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor",
      "aten::zeros_like(Tensor self, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None, MemoryFormat? memory_format=None) -> Tensor",
      "aten::_new_zeros_with_same_feature_meta(Tensor self, Tensor other, *, int self_num_batch_dims=0) -> Tensor",
      "aten::new_zeros(Tensor self, SymInt[] size, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor",
      "aten::zero(Tensor self) -> Tensor",
    ],
    zeros,
  ),
  kernel(
    [
      "aten::ones(SymInt[] size, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor",
      "aten::ones_like(Tensor self, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None, MemoryFormat? memory_format=None) -> Tensor",
      "aten::new_ones(Tensor self, SymInt[] size, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor",
    ],
    ones,
  ),
  kernel(
    [
      "aten::full(SymInt[] size, Scalar fill_value, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor",
      "aten::full_like(Tensor self, Scalar fill_value, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None, MemoryFormat? memory_format=None) -> Tensor",
      "aten::new_full(Tensor self, SymInt[] size, Scalar fill_value, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor",
    ],
    full,
  ),
  kernel(
    [
      "aten::fill.Scalar(Tensor self, Scalar value) -> Tensor",
      "aten::fill.Tensor(Tensor self, Tensor value) -> Tensor",
    ],
    fill,
  ),
  scalarTensor,
  resize,
]);
