/** @file Kernels of three operands: `clamp`, `lerp`, `addcmul`, `addcdiv`. */
import { type ScalarLiteral, toNumber } from "@sconce/ir";
import { dtypeInfo, isIntegralDType, type Tensor } from "@sconce/tensor";
import { defineKernels, emptyOutput, type Kernel, kernel } from "../kernel/kernel.js";
import { overflowOf, withFloat32Overflow } from "../kernel/overflow.js";
import { complexLoops } from "./complex-loops.js";
import {
  type ComplexLoop,
  type Elementwise,
  elementwise,
  map2,
  map3,
  type Operand,
} from "./pointwise-loop.js";
import { bigMax, bigMin, clamp as clampNumber, greater, smaller } from "./pointwise-math.js";

const atLeast: Elementwise = { real: map2(greater), big: bigMax };
const atMost: Elementwise = { real: map2(smaller), big: bigMin };
/** With bounds that cross, the upper one wins. */
const between: Elementwise = {
  real: map3(clampNumber),
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
/** Returns the same with a difference that overflows as that of float32. */
const mixFloat32 = (start: number, end: number, weight: number): number => {
  const difference = withFloat32Overflow(end - start);
  return Math.abs(weight) < 0.5 ? start + weight * difference : end - difference * (1 - weight);
};
const mixOf = ({ dtype }: Tensor): typeof mix => (dtype === "float64" ? mix : mixFloat32);
const lerpTensor = kernel(
  "aten::lerp.Tensor(Tensor self, Tensor end, Tensor weight) -> Tensor",
  ({ self, end, weight }, context) => {
    const out = emptyOutput(context);
    return elementwise({ real: map3(mixOf(out)), complex: complexLoops.lerp }, out, [self, end, weight]);
  },
);
/** A number as weight is not rounded to the dtype of halves. */
const lerpScalar = kernel(
  "aten::lerp.Scalar(Tensor self, Tensor end, Scalar weight) -> Tensor",
  ({ self, end, weight }, context) => {
    const out = emptyOutput(context);
    if (dtypeInfo(out.dtype).kind === "complex")
      return elementwise({ complex: complexLoops.lerp }, out, [self, end, weight]);
    const [w, mixed] = [toNumber(weight), mixOf(out)];
    return elementwise({ real: map2((x, y) => mixed(x, y, w)) }, out, [self, end]);
  },
);

type AddC = {
  readonly self: Tensor;
  readonly tensor1: Tensor;
  readonly tensor2: Tensor;
  readonly value: ScalarLiteral;
};

/** What is added, and its rounding to infinity where a step of it has no number in float32. */
type Term = (x: number, y: number, value: number, limit: (step: number) => number) => number;

/** self + value * (tensor1 op tensor2). */
const addC =
  (term: Term, complex: ComplexLoop): Kernel<AddC> =>
  ({ self, tensor1, tensor2, value }, context) => {
    const out = emptyOutput(context);
    if (dtypeInfo(out.dtype).kind === "complex")
      return elementwise({ complex }, out, [self, tensor1, tensor2, value]);
    const isIntegral = isIntegralDType(out.dtype);
    const factor = isIntegral ? Math.trunc(toNumber(value)) : toNumber(value);
    const limit = overflowOf(out.dtype);
    const real = map3((base, x, y) => base + term(x, y, factor, limit));
    const whole = isIntegral && dtypeInfo(out.dtype).itemSize <= 4;
    const wrapped = map3((base, x, y) => base + Math.imul(Math.imul(factor, x), y));
    const big = (base: bigint, x: bigint, y: bigint): bigint => base + BigInt(factor) * x * y;
    return elementwise({ real: whole ? wrapped : real, big }, out, [self, tensor1, tensor2]);
  };

export const ternaryPointwiseKernels = defineKernels([
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
    // The last product and the sum are rounded once.
    addC((x, y, value, limit) => limit(value * x) * y, complexLoops.addcmul),
  ),
  kernel(
    "aten::addcdiv(Tensor self, Tensor tensor1, Tensor tensor2, *, Scalar value=1) -> Tensor",
    addC((x, y, value, limit) => limit(limit(value * x) / y), complexLoops.addcdiv),
  ),
]);
