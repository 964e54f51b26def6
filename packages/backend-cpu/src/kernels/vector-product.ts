/** @file Products of vectors in steps, each rounded to the dtype: `addr` and `linalg_cross`. */
import { FakeTensor, type ScalarLiteral, toNumber } from "@sconce/ir";
import { contiguousStrides, Tensor, wrapDimension } from "@sconce/tensor";
import { copyInto } from "../kernel/copy.js";
import { defineKernels, emptyOutput, type Kernel, type KernelContext, kernel } from "../kernel/kernel.js";
import { add, product, sub, type WithAlpha } from "./binary-pointwise.js";
import { fillWith } from "./creation-fill.js";
import { broadcastShape } from "./index-elements.js";

/** One elementwise step whose result is a row-major tensor of the dtype of the whole. */
function step(
  run: Kernel<WithAlpha>,
  self: Tensor,
  other: Tensor,
  like: Tensor,
  context: KernelContext,
): Tensor {
  const shape = broadcastShape(self.shape, other.shape);
  const meta = new FakeTensor({ dtype: like.dtype, shape, strides: contiguousStrides(shape) });
  return run({ self, other, alpha: 1 }, { ...context, meta });
}

/** beta * self + (alpha * vec1) * vec2; `self` is not read when beta is 0. */
const addr = kernel(
  "aten::addr(Tensor self, Tensor vec1, Tensor vec2, *, Scalar beta=1, Scalar alpha=1) -> Tensor",
  ({ self, vec1, vec2, beta, alpha }, context) => {
    const out = emptyOutput(context);
    const number = (value: ScalarLiteral): Tensor => fillWith(Tensor.empty([], out.dtype), value);
    const weighted = step(product, vec1, number(alpha), out, context);
    const column = weighted.asStrided([weighted.shape[0]!, 1], [1, 1]);
    let sum = step(product, column, vec2, out, context);
    if (isComplexNumber(beta) || toNumber(beta) !== 0)
      sum = step(add, step(product, self, number(beta), out, context), sum, out, context);
    copyInto(out, sum);
    return out;
  },
);

const isComplexNumber = (value: ScalarLiteral): boolean =>
  typeof value === "object" && value.kind === "complex";

const cross = kernel(
  "aten::linalg_cross(Tensor self, Tensor other, *, int dim=-1) -> Tensor",
  ({ self, other, dim }, context) => {
    const out = emptyOutput(context);
    const at = wrapDimension(dim, self.ndim);
    const part = (tensor: Tensor, i: number): Tensor =>
      tensor.asStrided(
        tensor.shape.toSpliced(at, 1),
        tensor.strides.toSpliced(at, 1),
        tensor.storageOffset + (i % 3) * tensor.strides[at]!,
      );
    for (let i = 0; i < 3; i++) {
      const first = step(product, part(self, i + 1), part(other, i + 2), out, context);
      const second = step(product, part(self, i + 2), part(other, i + 1), out, context);
      copyInto(part(out, i), step(sub, first, second, out, context));
    }
    return out;
  },
);

export const vectorProductKernels = defineKernels([addr, cross]);
