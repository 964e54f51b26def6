/** @file Operators that draw from named distributions, whose parameters are tensors. */
import { type DType, dtypeInfo, isFloatDType } from "@sconce/tensor";
import { defineOp, type OpDefinition, type OpTag } from "../rows/define-op.js";
import { dtypeMismatch } from "../rows/errors.js";
import { broadcastShapes } from "../rules/dims.js";
import { scalarTypeName } from "../rules/dtype-names.js";
import { fake, rowMajorLike } from "../rules/fake.js";

const SEEDED: readonly OpTag[] = ["nondeterministic_seeded"];

/** Kernels of PyTorch's that compute with float32 and float64 only. */
function checkFull(name: string, dtype: DType): void {
  if (dtype !== "float32" && dtype !== "float64")
    throw dtypeMismatch(`"${name}" not implemented for '${scalarTypeName(dtype)}'`);
}

type UnarySchema = "aten::poisson(Tensor self, Generator? generator=None) -> Tensor";

/** A row-major result of the sizes and dtype of `self`. */
const unaryOps = (
  [
    ["poisson", "poisson_cpu"],
    ["_standard_gamma", "gamma_cpu"],
    ["_sample_dirichlet", "dirichlet"],
  ] as const
).map(([name, kernel]) =>
  defineOp({
    schema: `aten::${name}(Tensor self, Generator? generator=None) -> Tensor` as UnarySchema,
    tags: SEEDED,
    meta: ({ self }) => {
      if (name !== "poisson") checkFull(kernel, self.dtype);
      else if (!isFloatDType(self.dtype))
        throw dtypeMismatch(`"${kernel}" not implemented for '${scalarTypeName(self.dtype)}'`);
      return rowMajorLike(self);
    },
  }),
);

const binomial = defineOp({
  schema: "aten::binomial(Tensor count, Tensor prob, Generator? generator=None) -> Tensor",
  tags: SEEDED,
  meta: ({ count, prob }, { env }) => {
    for (const [name, { dtype }] of Object.entries({ count, prob })) {
      if (dtypeInfo(dtype).kind === "float") continue;
      const got = scalarTypeName(dtype);
      throw dtypeMismatch(`binomial only supports floating-point dtypes for ${name}, got: ${got}`);
    }
    checkFull("binomial_cpu", count.dtype);
    if (prob.dtype !== count.dtype)
      throw dtypeMismatch(
        `Found dtype ${scalarTypeName(prob.dtype)} but expected ${scalarTypeName(count.dtype)}`,
      );
    return fake({ dtype: count.dtype, shape: broadcastShapes(env, count.shape, prob.shape), like: count });
  },
});

export const randomDistributionOps: readonly OpDefinition[] = [...unaryOps, binomial];
