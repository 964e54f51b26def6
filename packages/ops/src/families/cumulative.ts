/** @file Running sums, products and extrema. */
import type { FakeTensor, SymInt } from "@sconce/ir";
import type { DType } from "@sconce/tensor";
import { defineOp, type OpDefinition } from "../rows/define-op.js";
import { wrapDim } from "../rules/dims.js";
import { fake } from "../rules/fake.js";
import { toFloatDType, toSumDType } from "../rules/promote.js";

/** Keeps the shape, row-major. */
function running(self: FakeTensor, dim: SymInt, dtype: DType): FakeTensor {
  wrapDim(dim, self.ndim);
  return fake({ dtype, shape: self.shape, like: self });
}

type SumSchema = "aten::cumsum(Tensor self, int dim, *, ScalarType? dtype=None) -> Tensor";
type ExtremumSchema = "aten::cummax(Tensor self, int dim) -> (Tensor values, Tensor indices)";

export const cumulativeOps: readonly OpDefinition[] = [
  ...["cumsum", "cumprod"].map((name) =>
    defineOp({
      schema: `aten::${name}(Tensor self, int dim, *, ScalarType? dtype=None) -> Tensor` as SumSchema,
      tags: name === "cumsum" ? ["core"] : [],
      meta: ({ self, dim, dtype }) => running(self, dim, dtype ?? toSumDType(self.dtype)),
    }),
  ),
  ...["cummax", "cummin"].map((name) =>
    defineOp({
      schema: `aten::${name}(Tensor self, int dim) -> (Tensor values, Tensor indices)` as ExtremumSchema,
      meta: ({ self, dim }) => [running(self, dim, self.dtype), running(self, dim, "int64")],
    }),
  ),
  defineOp({
    schema: "aten::logcumsumexp(Tensor self, int dim) -> Tensor",
    meta: ({ self, dim }) => running(self, dim, toFloatDType(self.dtype)),
  }),
];
