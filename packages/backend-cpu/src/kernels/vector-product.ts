/** @file Products of vectors in steps, each rounded to the dtype: `addr` and `linalg_cross`. */
import { FakeTensor, type ScalarLiteral, toNumber } from "@sconce/ir";
import { contiguousStrides, Tensor } from "@sconce/tensor";
import { copyInto } from "../kernel/copy.js";
import { type AnyKernel, defineKernels, emptyOutput, type KernelContext, kernel } from "../kernel/kernel.js";
import { binaryPointwiseKernels } from "./binary-pointwise.js";
import { fillWith } from "./creation-fill.js";
import { broadcastShape, wrapDimension } from "./index-elements.js";

/** One elementwise step whose result is a row-major tensor of the dtype of the whole. */
function step(run: AnyKernel, self: Tensor, other: Tensor, like: Tensor, context: KernelContext): Tensor {
  const shape = broadcastShape(self.shape, other.shape);
  const meta = new FakeTensor({ dtype: like.dtype, shape, strides: contiguousStrides(shape) });
  return run({ self, other, alpha: 1, rounding_mode: null }, { ...context, meta }) as Tensor;
}

const times = binaryPointwiseKernels["aten.mul.Tensor"];
const plus = binaryPointwiseKernels["aten.add.Tensor"];
const minus = binaryPointwiseKernels["aten.sub.Tensor"];

type Addr = {
  readonly self: Tensor;
  readonly vec1: Tensor;
  readonly vec2: Tensor;
  readonly beta: ScalarLiteral;
  readonly alpha: ScalarLiteral;
};

/** beta * self + (alpha * vec1) * vec2; `self` is not read when beta is 0. */
const addr = kernel<Addr>(({ self, vec1, vec2, beta, alpha }, context) => {
  const out = emptyOutput(context);
  const number = (value: ScalarLiteral): Tensor => fillWith(Tensor.empty([], out.dtype), value);
  const weighted = step(times, vec1, number(alpha), out, context);
  const column = weighted.asStrided([weighted.shape[0]!, 1], [1, 1]);
  let sum = step(times, column, vec2, out, context);
  if (isComplexNumber(beta) || toNumber(beta) !== 0)
    sum = step(plus, step(times, self, number(beta), out, context), sum, out, context);
  copyInto(out, sum);
  return out;
});

const isComplexNumber = (value: ScalarLiteral): boolean =>
  typeof value === "object" && value.kind === "complex";

type Cross = { readonly self: Tensor; readonly other: Tensor; readonly dim: number };
const cross = kernel<Cross>(({ self, other, dim }, context) => {
  const out = emptyOutput(context);
  const at = wrapDimension(dim, self.ndim);
  const part = (tensor: Tensor, i: number): Tensor =>
    tensor.asStrided(
      tensor.shape.toSpliced(at, 1),
      tensor.strides.toSpliced(at, 1),
      tensor.storageOffset + (i % 3) * tensor.strides[at]!,
    );
  for (let i = 0; i < 3; i++) {
    const first = step(times, part(self, i + 1), part(other, i + 2), out, context);
    const second = step(times, part(self, i + 2), part(other, i + 1), out, context);
    copyInto(part(out, i), step(minus, first, second, out, context));
  }
  return out;
});

export const vectorProductKernels = defineKernels({
  "aten.addr.default": addr,
  "aten.linalg_cross.default": cross,
});
