/** @file Kernels that choose values, `where` and `masked_fill`, and `isclose`. */
import { dtypeInfo, type Tensor } from "@sconce/tensor";
import { readComplex, readNumbers } from "../kernel/dense.js";
import { defineKernels, emptyOutput, type Kernel, kernel } from "../kernel/kernel.js";
import { complexLoops } from "./complex-loops.js";
import { broadcastShape } from "./index-elements.js";
import {
  type ComplexLoop,
  type Elementwise,
  elementwise,
  isTensorOperand,
  type Lane,
  type LaneLoop,
  map2,
  type Operand,
} from "./pointwise-loop.js";
import { checkInRange, itemOf } from "./scalar-range.js";

const selectLoop: LaneLoop = (out, [condition, x, y], count) => {
  const a = x as Lane;
  const b = y as Lane;
  for (let i = 0; i < count; i++) out[i] = condition![i] !== 0 ? a[i]! : b[i]!;
};

const select: Elementwise = {
  real: selectLoop,
  big: (condition, x, y) => (condition !== 0n ? x : y),
  complex: complexLoops.select,
};

type Where = { readonly condition: Tensor; readonly self: Operand; readonly other: Operand };
const where: Kernel<Where> = ({ condition, self, other }, context) => {
  const out = emptyOutput(context);
  return elementwise(select, out, [condition, self, other]);
};

type MaskedFill = { readonly self: Tensor; readonly mask: Tensor; readonly value: Operand };
const maskedFill: Kernel<MaskedFill> = ({ self, mask, value }, context) => {
  if (isTensorOperand(value)) checkInRange(itemOf(value), self.dtype);
  return elementwise(select, emptyOutput(context), [mask, value, self]);
};

const nearEqual = (x: number, y: number, rtol: number, atol: number, equalNan: boolean): boolean => {
  if (x === y) return true;
  if (Number.isNaN(x) || Number.isNaN(y)) return equalNan && Number.isNaN(x) && Number.isNaN(y);
  const allowed = atol + Math.abs(rtol * y);
  const difference = Math.abs(x - y);
  return Number.isFinite(difference) && difference <= allowed;
};

const isclose = kernel(
  "aten::isclose(Tensor self, Tensor other, float rtol=1.0000000000000001e-05, float atol=1e-08, bool equal_nan=False) -> Tensor",
  ({ self, other, rtol, atol, equal_nan: equalNan }, context) => {
    const real = map2((x, y) => (nearEqual(x, y, rtol, atol, equalNan) ? 1 : 0));
    const near: ComplexLoop = (out, [x, y], count) => {
      for (let i = 0; i < count; i++) out[i] = nearPairs(x!, y!, 2 * i, rtol, atol, equalNan) ? 1 : 0;
    };
    const dtype = isComplexPair(self, other) ? "complex128" : "float64";
    return elementwise({ real, complex: near }, emptyOutput(context), [self, other], dtype);
  },
);

const isComplexPair = (...tensors: readonly Tensor[]): boolean =>
  tensors.some(({ dtype }) => dtypeInfo(dtype).kind === "complex");

const hasNaN = (re: number, im: number): boolean => Number.isNaN(re) || Number.isNaN(im);

/** {@link nearEqual} of the pairs at `i`: by the size of their difference. */
function nearPairs(
  x: Float64Array,
  y: Float64Array,
  i: number,
  rtol: number,
  atol: number,
  equalNan: boolean,
): boolean {
  const [re, im, otherRe, otherIm] = [x[i]!, x[i + 1]!, y[i]!, y[i + 1]!];
  if (re === otherRe && im === otherIm) return true;
  const [first, second] = [hasNaN(re, im), hasNaN(otherRe, otherIm)];
  if (first || second) return equalNan && first && second;
  const difference = Math.hypot(re - otherRe, im - otherIm);
  return Number.isFinite(difference) && difference <= atol + Math.abs(rtol) * Math.hypot(otherRe, otherIm);
}

const allclose = kernel(
  "aten::allclose(Tensor self, Tensor other, float rtol=1.0000000000000001e-05, float atol=1e-08, bool equal_nan=False) -> bool",
  ({ self, other, rtol, atol, equal_nan: equalNan }) => {
    const shape = broadcastShape(self.shape, other.shape);
    if (isComplexPair(self, other)) {
      const [x, y] = [readComplex(self, shape), readComplex(other, shape)];
      for (let i = 0; i < x.length; i += 2) if (!nearPairs(x, y, i, rtol, atol, equalNan)) return false;
      return true;
    }
    const a = readNumbers(self, shape);
    const b = readNumbers(other, shape);
    for (let i = 0; i < a.length; i++) if (!nearEqual(a[i]!, b[i]!, rtol, atol, equalNan)) return false;
    return true;
  },
);

export const selectWhereKernels = defineKernels([
  kernel(
    [
      "aten::where.self(Tensor condition, Tensor self, Tensor other) -> Tensor",
      "aten::where.ScalarOther(Tensor condition, Tensor self, Scalar other) -> Tensor",
      "aten::where.ScalarSelf(Tensor condition, Scalar self, Tensor other) -> Tensor",
      "aten::where.Scalar(Tensor condition, Scalar self, Scalar other) -> Tensor",
    ],
    where,
  ),
  kernel(
    [
      "aten::masked_fill.Scalar(Tensor self, Tensor mask, Scalar value) -> Tensor",
      "aten::masked_fill.Tensor(Tensor self, Tensor mask, Tensor value) -> Tensor",
    ],
    maskedFill,
  ),
  isclose,
  allclose,
]);
