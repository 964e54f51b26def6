/** @file Medians, modes and quantiles. */
import type { FakeTensor, IntLike } from "@sconce/ir";
import { defineOp, type OpDefinition } from "../rows/define-op.js";
import { invalidArgument } from "../rows/errors.js";
import { reduced, reducedShape, requireElements } from "../rules/dim-reduction.js";
import { wrapDim } from "../rules/dims.js";
import { fake } from "../rules/fake.js";

/** Values and their places. */
function selected(self: FakeTensor, dim: IntLike, keepdim: boolean, name: string): readonly FakeTensor[] {
  const at = wrapDim(dim, self.ndim);
  requireElements(self, [dim], name);
  const shape = reducedShape(self.shape, [at], keepdim);
  return [fake({ dtype: self.dtype, shape, like: self }), fake({ dtype: "int64", shape, like: self })];
}

type WholeSchema = "aten::median(Tensor self) -> Tensor";
type DimSchema =
  "aten::median.dim(Tensor self, int dim, bool keepdim=False) -> (Tensor values, Tensor indices)";

const medianOps = ["median", "nanmedian"].flatMap((name) => [
  defineOp({
    schema: `aten::${name}(Tensor self) -> Tensor` as WholeSchema,
    meta: ({ self }) => reduced(self, null, false),
  }),
  defineOp({
    schema:
      `aten::${name}.dim(Tensor self, int dim, bool keepdim=False) -> (Tensor values, Tensor indices)` as DimSchema,
    meta: ({ self, dim, keepdim }) => selected(self, dim, keepdim, name),
  }),
]);

const mode = defineOp({
  schema: "aten::mode(Tensor self, int dim=-1, bool keepdim=False) -> (Tensor values, Tensor indices)",
  meta: ({ self, dim, keepdim }) => selected(self, dim, keepdim, "mode"),
});

const kthvalue = defineOp({
  schema:
    "aten::kthvalue(Tensor self, SymInt k, int dim=-1, bool keepdim=False) -> (Tensor values, Tensor indices)",
  meta: ({ self, k, dim, keepdim }) => {
    const size = self.ndim === 0 ? 1 : self.shape[wrapDim(dim, self.ndim)]!;
    if (typeof k === "number" && typeof size === "number" && (k < 1 || k > size)) {
      throw invalidArgument(`kthvalue(): selected number k out of range for dimension ${dim}`);
    }
    return selected(self, dim, keepdim, "kthvalue");
  },
});

export const orderStatisticOps: readonly OpDefinition[] = [...medianOps, mode, kthvalue];
