/** @file Running sums, products and extrema. */
import type { FakeTensor, IntLike } from "@sconce/ir";
import type { DType } from "@sconce/tensor";
import { defineOp, type OpDefinition } from "../rows/define-op.js";
import { requireFloat } from "../rules/dim-reduction.js";
import { wrapDim } from "../rules/dims.js";
import { scalarTypeName } from "../rules/dtype-names.js";
import { fake } from "../rules/fake.js";
import { toFloatDType, toSumDType } from "../rules/promote.js";

/** Keeps the shape, row-major. */
function running(self: FakeTensor, dim: IntLike, dtype: DType): FakeTensor {
  wrapDim(dim, self.ndim);
  return fake({ dtype, shape: self.shape, like: self });
}

/**
 * The size of the dimension is a separate object if it is symbolic: PyTorch's reference sums over a
 * mask that it makes of a new range.
 */
function overRange(self: FakeTensor, dim: IntLike, dtype: DType): FakeTensor {
  const result = running(self, dim, dtype);
  const at = wrapDim(dim, self.ndim);
  const size = result.shape[at];
  if (size === undefined || typeof size === "number") return result;
  return fake({ dtype, shape: result.shape.with(at, size.distinct()), like: result });
}

type SumSchema = "aten::cumsum(Tensor self, int dim, *, ScalarType? dtype=None) -> Tensor";
type ExtremumSchema = "aten::cummax(Tensor self, int dim) -> (Tensor values, Tensor indices)";
type HelperSchema = "aten::_cummax_helper(Tensor self, Tensor(a!) values, Tensor(b!) indices, int dim) -> ()";

export const cumulativeOps: readonly OpDefinition[] = [
  ...["cumsum", "cumprod"].map((name) =>
    defineOp({
      schema: `aten::${name}(Tensor self, int dim, *, ScalarType? dtype=None) -> Tensor` as SumSchema,
      tags: name === "cumsum" ? ["core"] : [],
      meta: ({ self, dim, dtype }) => overRange(self, dim, dtype ?? toSumDType(self.dtype)),
    }),
  ),
  ...["cummax", "cummin"].map((name) =>
    defineOp({
      schema: `aten::${name}(Tensor self, int dim) -> (Tensor values, Tensor indices)` as ExtremumSchema,
      meta: ({ self, dim }) => [running(self, dim, self.dtype), running(self, dim, "int64")],
    }),
  ),
  ...["cummax", "cummin"].map((name) =>
    defineOp({
      schema:
        `aten::_${name}_helper(Tensor self, Tensor(a!) values, Tensor(b!) indices, int dim) -> ()` as HelperSchema,
      doc: "Writes running extremes and their places to given tensors.",
      meta: ({ self, dim }) => {
        wrapDim(dim, self.ndim);
        return null;
      },
    }),
  ),
  defineOp({
    schema: "aten::_logcumsumexp(Tensor self, int dim) -> Tensor",
    tags: ["not_in_default_table"],
    decompose: (emit, { self, dim }) => {
      const { dtype } = self;
      requireFloat(dtype, `"logcumsumexp_out_cpu" not implemented for '${scalarTypeName(dtype)}'`);
      return emit("aten.logcumsumexp.default", [self, dim]);
    },
  }),
  defineOp({
    schema: "aten::logcumsumexp(Tensor self, int dim) -> Tensor",
    meta: ({ self, dim }) => running(self, dim, toFloatDType(self.dtype)),
  }),
];
