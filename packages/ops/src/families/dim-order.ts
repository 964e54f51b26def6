/**
 * @file ExecuTorch's copies and empty tensors with a dimension order in place of a memory format.
 */
import type { FakeTensor } from "@sconce/ir";
import type { IntLike, SymEnv } from "@sconce/symbolic";
import { defineOp, type OpDefinition } from "../rows/define-op.js";
import { invalidArgument } from "../rows/errors.js";
import { fake, stridesInOrder } from "../rules/fake.js";
import { created, likeStrides, OPTIONS, type Options } from "../rules/options.js";

/** Strides of a fresh tensor, dense in the order given; without one as the input lies. */
function orderedStrides(shape: readonly IntLike[], dimOrder: readonly IntLike[]): readonly IntLike[] {
  const order = dimOrder.map(Number);
  const isOrder =
    order.length === shape.length && order.toSorted((a, b) => a - b).every((dim, d) => dim === d);
  if (!isOrder)
    throw invalidArgument(`dim_order [${order.join(", ")}] is not an order of ${shape.length} dimensions`);
  return stridesInOrder(shape, order);
}

const copyStrides = (self: FakeTensor, order: readonly IntLike[] | null, env: SymEnv): readonly IntLike[] =>
  order === null ? likeStrides(self, null, env) : orderedStrides(self.shape, order);

const toDimOrderCopy = defineOp({
  schema:
    `dim_order_ops::_to_dim_order_copy(Tensor self, *, ${OPTIONS}, bool non_blocking=False, int[]? dim_order=None) -> Tensor` as `dim_order_ops::_to_dim_order_copy(Tensor self, *, ${Options}, bool non_blocking=False, int[]? dim_order=None) -> Tensor`,
  doc: "As `aten._to_copy`, with the order of dimensions in memory in place of a memory format.",
  meta: ({ self, dtype, layout, device, dim_order: order }, { env }) =>
    fake({
      dtype: dtype ?? self.dtype,
      shape: self.shape,
      strides: copyStrides(self, order, env),
      like: self,
      layout,
      device,
    }),
});

const cloneDimOrder = defineOp({
  schema:
    "dim_order_ops::_clone_dim_order(Tensor self, *, bool non_blocking=False, int[]? dim_order=None) -> Tensor",
  doc: "As `aten.clone`, with the order of dimensions in memory in place of a memory format.",
  meta: ({ self, dim_order: order }, { env }) =>
    fake({ dtype: self.dtype, shape: self.shape, strides: copyStrides(self, order, env), like: self }),
});

const emptyDimOrder = defineOp({
  schema:
    `dim_order_ops::_empty_dim_order(SymInt[] size, *, ${OPTIONS}, int[]? dim_order=None) -> Tensor` as `dim_order_ops::_empty_dim_order(SymInt[] size, *, ${Options}, int[]? dim_order=None) -> Tensor`,
  doc: "As `aten.empty`, with the order of dimensions in memory in place of a memory format.",
  meta: ({ size, dim_order: order, ...options }) => {
    const result = created(size, options.dtype ?? "float32", options);
    if (order === null) return result;
    return fake({ dtype: result.dtype, shape: size, strides: orderedStrides(size, order), like: result });
  },
});

export const dimOrderOps = [
  toDimOrderCopy,
  cloneDimOrder,
  emptyDimOrder,
] as const satisfies readonly OpDefinition[];
