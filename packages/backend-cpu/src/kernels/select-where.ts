/** @file Kernels that choose, bound or mix values: `where`, `clamp`, `lerp`, `addcmul` and relatives. */
import { type ScalarLiteral, toNumber } from "@sconce/ir";
import { dtypeInfo, isIntegralDType, type Tensor } from "@sconce/tensor";
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
  map3,
  type Operand,
} from "./pointwise-loop.js";
import { bigMax, bigMin } from "./pointwise-math.js";
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
const where: Kernel<Where> = ({ condition, self, other }, context) =>
  elementwise(select, emptyOutput(context), [condition, self, other]);

type MaskedFill = { readonly self: Tensor; readonly mask: Tensor; readonly value: Operand };
const maskedFill: Kernel<MaskedFill> = ({ self, mask, value }, context) => {
  checkInRange(isTensorOperand(value) ? itemOf(value) : value, self.dtype);
  return elementwise(select, emptyOutput(context), [mask, value, self]);
};

const atLeast: Elementwise = { real: map2((x, low) => Math.max(x, low)), big: bigMax };
const atMost: Elementwise = { real: map2((x, high) => Math.min(x, high)), big: bigMin };
/** With bounds that cross, the upper one wins. */
const between: Elementwise = {
  real: map3((x, low, high) => Math.min(Math.max(x, low), high)),
  big: (x, low, high) => bigMin(bigMax(x, low), high),
};

type Clamp = { readonly self: Tensor; readonly min: Operand | null; readonly max: Operand | null };
const clamp: Kernel<Clamp> = ({ self, min, max }, context) => {
  const out = emptyOutput(context);
  if (min === null) return elementwise(atMost, out, [self, max!]);
  return max === null ? elementwise(atLeast, out, [self, min]) : elementwise(between, out, [self, min, max]);
};
const clampMin: Kernel<{ self: Tensor; min: Operand }> = ({ self, min }, context) =>
  elementwise(atLeast, emptyOutput(context), [self, min]);
const clampMax: Kernel<{ self: Tensor; max: Operand }> = ({ self, max }, context) =>
  elementwise(atMost, emptyOutput(context), [self, max]);
const hardtanh = kernel(
  "aten::hardtanh(Tensor self, Scalar min_val=-1, Scalar max_val=1) -> Tensor",
  ({ self, min_val: low, max_val: high }, context) =>
    elementwise(between, emptyOutput(context), [self, low, high]),
);

/** Of the two ways to write it, the one that is exact at both ends is chosen by the weight. */
const mix = (start: number, end: number, weight: number): number =>
  Math.abs(weight) < 0.5 ? start + weight * (end - start) : end - (end - start) * (1 - weight);
const lerpTensor = kernel(
  "aten::lerp.Tensor(Tensor self, Tensor end, Tensor weight) -> Tensor",
  ({ self, end, weight }, context) =>
    elementwise({ real: map3(mix), complex: complexLoops.lerp }, emptyOutput(context), [self, end, weight]),
);
/** A number as weight is not rounded to the dtype of halves. */
const lerpScalar = kernel(
  "aten::lerp.Scalar(Tensor self, Tensor end, Scalar weight) -> Tensor",
  ({ self, end, weight }, context) => {
    const out = emptyOutput(context);
    if (dtypeInfo(out.dtype).kind === "complex")
      return elementwise({ complex: complexLoops.lerp }, out, [self, end, weight]);
    const w = toNumber(weight);
    return elementwise({ real: map2((x, y) => mix(x, y, w)) }, out, [self, end]);
  },
);

type AddC = {
  readonly self: Tensor;
  readonly tensor1: Tensor;
  readonly tensor2: Tensor;
  readonly value: ScalarLiteral;
};

/** self + value * (tensor1 op tensor2). */
const addC =
  (term: (x: number, y: number, value: number) => number, complex: ComplexLoop): Kernel<AddC> =>
  ({ self, tensor1, tensor2, value }, context) => {
    const out = emptyOutput(context);
    if (dtypeInfo(out.dtype).kind === "complex")
      return elementwise({ complex }, out, [self, tensor1, tensor2, value]);
    const factor = toNumber(value);
    const real = map3((base, x, y) => base + term(x, y, factor));
    const whole = isIntegralDType(out.dtype) && dtypeInfo(out.dtype).itemSize <= 4;
    const wrapped = map3((base, x, y) => base + Math.imul(Math.imul(factor, x), y));
    const big = (base: bigint, x: bigint, y: bigint): bigint => base + BigInt(Math.trunc(factor)) * x * y;
    return elementwise({ real: whole ? wrapped : real, big }, out, [self, tensor1, tensor2]);
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
  kernel(
    [
      "aten::clamp(Tensor self, Scalar? min=None, Scalar? max=None) -> Tensor",
      "aten::clamp.Tensor(Tensor self, Tensor? min=None, Tensor? max=None) -> Tensor",
    ],
    clamp,
  ),
  kernel(
    [
      "aten::clamp_min(Tensor self, Scalar min) -> Tensor",
      "aten::clamp_min.Tensor(Tensor self, Tensor min) -> Tensor",
    ],
    clampMin,
  ),
  kernel(
    [
      "aten::clamp_max(Tensor self, Scalar max) -> Tensor",
      "aten::clamp_max.Tensor(Tensor self, Tensor max) -> Tensor",
    ],
    clampMax,
  ),
  hardtanh,
  lerpScalar,
  lerpTensor,
  kernel(
    "aten::addcmul(Tensor self, Tensor tensor1, Tensor tensor2, *, Scalar value=1) -> Tensor",
    addC((x, y, value) => value * x * y, complexLoops.addcmul),
  ),
  kernel(
    "aten::addcdiv(Tensor self, Tensor tensor1, Tensor tensor2, *, Scalar value=1) -> Tensor",
    addC((x, y, value) => (value * x) / y, complexLoops.addcdiv),
  ),
  isclose,
  allclose,
]);
