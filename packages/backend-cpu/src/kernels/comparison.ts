/** @file Comparisons, logic and bits: two operands, computed in their common dtype. */
import { dtypeInfo, isBigIntDType, type Tensor } from "@sconce/tensor";
import { defineKernels, emptyOutput, type Kernel, kernel } from "../kernel/kernel.js";
import { complexLoops } from "./complex-loops.js";
import {
  type ComplexLoop,
  commonDType,
  elementwise,
  isTensorOperand,
  type LaneLoop,
  map2,
  type Operand,
} from "./pointwise-loop.js";

type Binary = { readonly self: Operand; readonly other: Operand };

const equal: LaneLoop = (out, [x, y], count) => {
  for (let i = 0; i < count; i++) out[i] = x![i] === y![i] ? 1 : 0;
};
const notEqual: LaneLoop = (out, [x, y], count) => {
  for (let i = 0; i < count; i++) out[i] = x![i] === y![i] ? 0 : 1;
};
const less: LaneLoop = (out, [x, y], count) => {
  for (let i = 0; i < count; i++) out[i] = x![i]! < y![i]! ? 1 : 0;
};
const lessOrEqual: LaneLoop = (out, [x, y], count) => {
  for (let i = 0; i < count; i++) out[i] = x![i]! <= y![i]! ? 1 : 0;
};
const greater: LaneLoop = (out, [x, y], count) => {
  for (let i = 0; i < count; i++) out[i] = x![i]! > y![i]! ? 1 : 0;
};
const greaterOrEqual: LaneLoop = (out, [x, y], count) => {
  for (let i = 0; i < count; i++) out[i] = x![i]! >= y![i]! ? 1 : 0;
};

const comparison =
  (real: LaneLoop, test: (x: bigint, y: bigint) => boolean, complex?: ComplexLoop): Kernel<Binary> =>
  ({ self, other }, context) => {
    const operation = { real, big: (x: bigint, y: bigint) => (test(x, y) ? 1n : 0n), complex };
    return elementwise(operation, emptyOutput(context), [self, other], commonDType([self, other]));
  };

/** Truth needs no common dtype: each operand is true or false in its own. */
const logical = (test: (x: boolean, y: boolean) => boolean, complex: ComplexLoop): Kernel<Binary> => {
  const real = map2((x, y) => (test(x !== 0, y !== 0) ? 1 : 0));
  return ({ self, other }, context) => {
    const isComplex = [self, other].some((x) => isTensorOperand(x) && dtypeInfo(x.dtype).kind === "complex");
    return elementwise(
      { real, complex },
      emptyOutput(context),
      [self, other],
      isComplex ? "complex128" : "float64",
    );
  };
};

type BitFunction = (x: number, y: number) => number;

/** Applies a function of 32-bit words to both words of integers up to 2^53 in size. */
const onWords =
  (f: BitFunction): BitFunction =>
  (x, y) =>
    f(Math.floor(x / 2 ** 32), Math.floor(y / 2 ** 32)) * 2 ** 32 + (f(x, y) >>> 0);

const bitwise = (f: BitFunction, big: (x: bigint, y: bigint) => bigint): Kernel<Binary> => {
  const narrow = map2(f);
  const wide = map2(onWords(f));
  return ({ self, other }, context) => {
    const out = emptyOutput(context);
    return elementwise({ real: isBigIntDType(out.dtype) ? wide : narrow, big }, out, [self, other]);
  };
};

const bitsOf = (dtype: Tensor["dtype"]): number => 8 * dtypeInfo(dtype).itemSize;

/**
 * Shifts by a negative amount or past the width give 0. Floats are multiplied by a power of two.
 */
const leftShift: Kernel<Binary> = ({ self, other }, context) => {
  const out = emptyOutput(context);
  if (dtypeInfo(out.dtype).kind === "float") {
    return elementwise({ real: map2((x, y) => x * 2 ** y) }, out, [self, other]);
  }
  const bits = bitsOf(out.dtype);
  const inside = (y: number): boolean => y >= 0 && y < bits;
  const real = isBigIntDType(out.dtype)
    ? map2((x, y) => (inside(y) ? x * 2 ** y : 0))
    : map2((x, y) => (inside(y) ? x << y : 0));
  return elementwise({ real, big: (x, y) => (inside(Number(y)) ? x << y : 0n) }, out, [self, other]);
};

/** Shifts by a negative amount or past the width leave the sign. */
const rightShift: Kernel<Binary> = ({ self, other }, context) => {
  const out = emptyOutput(context);
  if (dtypeInfo(out.dtype).kind === "float") {
    return elementwise({ real: map2((x, y) => x / 2 ** y) }, out, [self, other]);
  }
  const bits = bitsOf(out.dtype);
  const real = map2((x, y) => (y >= 0 && y < bits ? Math.floor(x / 2 ** y) : x < 0 ? -1 : 0));
  const big = (x: bigint, y: bigint): bigint => (y >= 0n && y < BigInt(bits) ? x >> y : x < 0n ? -1n : 0n);
  return elementwise({ real, big }, out, [self, other]);
};

const eq = comparison(equal, (x, y) => x === y, complexLoops.eq);
const ne = comparison(notEqual, (x, y) => x !== y, complexLoops.ne);
const lt = comparison(less, (x, y) => x < y);
const le = comparison(lessOrEqual, (x, y) => x <= y);
const gt = comparison(greater, (x, y) => x > y);
const ge = comparison(greaterOrEqual, (x, y) => x >= y);
const and = bitwise(
  (x, y) => x & y,
  (x, y) => x & y,
);
const or = bitwise(
  (x, y) => x | y,
  (x, y) => x | y,
);
const xor = bitwise(
  (x, y) => x ^ y,
  (x, y) => x ^ y,
);

export const comparisonKernels = defineKernels([
  kernel(
    [
      "aten::eq.Tensor(Tensor self, Tensor other) -> Tensor",
      "aten::eq.Scalar(Tensor self, Scalar other) -> Tensor",
    ],
    eq,
  ),
  kernel(
    [
      "aten::ne.Tensor(Tensor self, Tensor other) -> Tensor",
      "aten::ne.Scalar(Tensor self, Scalar other) -> Tensor",
    ],
    ne,
  ),
  kernel(
    [
      "aten::lt.Tensor(Tensor self, Tensor other) -> Tensor",
      "aten::lt.Scalar(Tensor self, Scalar other) -> Tensor",
    ],
    lt,
  ),
  kernel(
    [
      "aten::le.Tensor(Tensor self, Tensor other) -> Tensor",
      "aten::le.Scalar(Tensor self, Scalar other) -> Tensor",
    ],
    le,
  ),
  kernel(
    [
      "aten::gt.Tensor(Tensor self, Tensor other) -> Tensor",
      "aten::gt.Scalar(Tensor self, Scalar other) -> Tensor",
    ],
    gt,
  ),
  kernel(
    [
      "aten::ge.Tensor(Tensor self, Tensor other) -> Tensor",
      "aten::ge.Scalar(Tensor self, Scalar other) -> Tensor",
    ],
    ge,
  ),
  kernel(
    "aten::logical_and(Tensor self, Tensor other) -> Tensor",
    logical((x, y) => x && y, complexLoops.logicalAnd),
  ),
  kernel(
    "aten::logical_or(Tensor self, Tensor other) -> Tensor",
    logical((x, y) => x || y, complexLoops.logicalOr),
  ),
  kernel(
    "aten::logical_xor(Tensor self, Tensor other) -> Tensor",
    logical((x, y) => x !== y, complexLoops.logicalXor),
  ),
  kernel(
    [
      "aten::bitwise_and.Tensor(Tensor self, Tensor other) -> Tensor",
      "aten::bitwise_and.Scalar(Tensor self, Scalar other) -> Tensor",
      "aten::bitwise_and.Scalar_Tensor(Scalar self, Tensor other) -> Tensor",
    ],
    and,
  ),
  kernel(
    [
      "aten::bitwise_or.Tensor(Tensor self, Tensor other) -> Tensor",
      "aten::bitwise_or.Scalar(Tensor self, Scalar other) -> Tensor",
      "aten::bitwise_or.Scalar_Tensor(Scalar self, Tensor other) -> Tensor",
    ],
    or,
  ),
  kernel(
    [
      "aten::bitwise_xor.Tensor(Tensor self, Tensor other) -> Tensor",
      "aten::bitwise_xor.Scalar(Tensor self, Scalar other) -> Tensor",
      "aten::bitwise_xor.Scalar_Tensor(Scalar self, Tensor other) -> Tensor",
    ],
    xor,
  ),
  kernel(
    [
      "aten::__and__.Tensor(Tensor self, Tensor other) -> Tensor",
      "aten::__and__.Scalar(Tensor self, Scalar other) -> Tensor",
    ],
    and,
  ),
  kernel(
    [
      "aten::__or__.Tensor(Tensor self, Tensor other) -> Tensor",
      "aten::__or__.Scalar(Tensor self, Scalar other) -> Tensor",
    ],
    or,
  ),
  kernel(
    [
      "aten::__xor__.Tensor(Tensor self, Tensor other) -> Tensor",
      "aten::__xor__.Scalar(Tensor self, Scalar other) -> Tensor",
    ],
    xor,
  ),
  kernel(
    [
      "aten::__lshift__.Tensor(Tensor self, Tensor other) -> Tensor",
      "aten::__lshift__.Scalar(Tensor self, Scalar other) -> Tensor",
    ],
    leftShift,
  ),
  kernel(
    [
      "aten::__rshift__.Tensor(Tensor self, Tensor other) -> Tensor",
      "aten::__rshift__.Scalar(Tensor self, Scalar other) -> Tensor",
    ],
    rightShift,
  ),
  kernel(
    [
      "aten::bitwise_left_shift.Tensor(Tensor self, Tensor other) -> Tensor",
      "aten::bitwise_left_shift.Tensor_Scalar(Tensor self, Scalar other) -> Tensor",
      "aten::bitwise_left_shift.Scalar_Tensor(Scalar self, Tensor other) -> Tensor",
    ],
    leftShift,
  ),
  kernel(
    [
      "aten::bitwise_right_shift.Tensor(Tensor self, Tensor other) -> Tensor",
      "aten::bitwise_right_shift.Tensor_Scalar(Tensor self, Scalar other) -> Tensor",
      "aten::bitwise_right_shift.Scalar_Tensor(Scalar self, Tensor other) -> Tensor",
    ],
    rightShift,
  ),
]);
