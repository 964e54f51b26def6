/** @file Reductions to truth values: `any`, `all`, `equal`, `allclose`. */
import { castTensor, type Tensor } from "@sconce/tensor";
import { finishOutput, openOutput, readComplex, readNumbers } from "../kernel/dense.js";
import { invalidArgument } from "../kernel/errors.js";
import { defineKernels, emptyOutput, type Kernel, kernel } from "../kernel/kernel.js";
import { complexOf } from "./pointwise-loop.js";
import { readKeys, rowsOf } from "./reduction-rows.js";
import { itemOf } from "./scalar-range.js";

type Truth = { readonly self: Tensor; readonly dim?: readonly number[] | number | null };

/**
 * `any` looks for a true element (1), `all` for a false one (0). An empty list of dimensions
 * reduces nothing.
 */
const quantifier =
  (wanted: 0 | 1): Kernel<Truth> =>
  ({ self, dim = null }, context) => {
    const out = emptyOutput(context);
    const truths = castTensor(self, "bool");
    const none = Array.isArray(dim) && dim.length === 0;
    const { tensor, count, length } = none
      ? { tensor: truths, count: truths.numel, length: 1 }
      : rowsOf(truths, dim);
    const data = readNumbers(tensor) as Uint8Array;
    const results = openOutput(out);
    for (let r = 0; r < count; r++) {
      const end = (r + 1) * length;
      let i = r * length;
      while (i < end && data[i] !== wanted) i++;
      results[r] = i < end ? wanted : 1 - wanted;
    }
    return finishOutput(out, results);
  };

const any = quantifier(1);
const all = quantifier(0);

const equal = kernel("aten::equal(Tensor self, Tensor other) -> bool", ({ self, other }) => {
  if (self.ndim !== other.ndim || self.shape.some((size, d) => size !== other.shape[d])) return false;
  const isComplex = self.dtype.startsWith("complex");
  const a = isComplex ? readComplex(self) : readKeys(self);
  const b = isComplex ? readComplex(other) : readKeys(other);
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) return false;
  return true;
});

const isNonzero = kernel("aten::is_nonzero(Tensor self) -> bool", ({ self }) => {
  if (self.numel !== 1) {
    const count = self.numel === 0 ? "no values" : "more than one value";
    throw invalidArgument(`Boolean value of Tensor with ${count} is ambiguous`);
  }
  const { re, im } = complexOf(itemOf(self));
  return re !== 0 || im !== 0;
});

export const reductionTruthKernels = defineKernels([
  kernel(
    [
      "aten::any(Tensor self) -> Tensor",
      "aten::any.dim(Tensor self, int dim, bool keepdim=False) -> Tensor",
      "aten::any.dims(Tensor self, int[]? dim=None, bool keepdim=False) -> Tensor",
    ],
    any,
  ),
  kernel(
    [
      "aten::all(Tensor self) -> Tensor",
      "aten::all.dim(Tensor self, int dim, bool keepdim=False) -> Tensor",
      "aten::all.dims(Tensor self, int[]? dim=None, bool keepdim=False) -> Tensor",
    ],
    all,
  ),
  equal,
  isNonzero,
]);
