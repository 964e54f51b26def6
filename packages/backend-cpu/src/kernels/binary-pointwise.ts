/** @file Arithmetic kernels of two operands, either of which may be a Python number. */
import { complex as complexLiteral, float, type ScalarLiteral, toNumber } from "@sconce/ir";
import { type DType, dtypeInfo, isIntegralDType, Tensor } from "@sconce/tensor";
import { divisionByZero } from "../kernel/errors.js";
import { decodeTable, encodeFloat, roundTo, stepOf } from "../kernel/half.js";
import { defineKernels, emptyOutput, type Kernel, kernel } from "../kernel/kernel.js";
import { complexLoops } from "./complex-loops.js";
import { gammaP, gammaQ } from "./incomplete-gamma.js";
import {
  complexOf,
  type Elementwise,
  elementwise,
  isTensorOperand,
  type Lane,
  type LaneLoop,
  map1,
  map2,
  type Operand,
} from "./pointwise-loop.js";
import { cubeLoop, reciprocalLoop, rsqrtLoop, sqrtLoop, squareLoop } from "./pointwise-loops.js";
import {
  bigGcd,
  bigMax,
  bigMin,
  bigPow,
  copySign,
  floorDivide,
  fmax,
  fmin,
  gcdAbove,
  greater,
  hypot,
  int32Pow,
  intPow,
  logAddExp,
  logAddExp2,
  nextAfter32,
  nextAfter64,
  pow,
  remainder,
  smaller,
} from "./pointwise-math.js";
import { zeta } from "./pointwise-special.js";
import { xlog1pyKernel, xlogyKernel } from "./times-log.js";

type Binary = { readonly self: Operand; readonly other: Operand };
export type WithAlpha = Binary & { readonly alpha: ScalarLiteral };

const addLoop: LaneLoop = (out, [x, y], count) => {
  const a = x as Lane;
  const b = y as Lane;
  for (let i = 0; i < count; i++) out[i] = a[i]! + b[i]!;
};

const subLoop: LaneLoop = (out, [x, y], count) => {
  const a = x as Lane;
  const b = y as Lane;
  for (let i = 0; i < count; i++) out[i] = a[i]! - b[i]!;
};

const mulLoop: LaneLoop = (out, [x, y], count) => {
  const a = x as Lane;
  const b = y as Lane;
  for (let i = 0; i < count; i++) out[i] = a[i]! * b[i]!;
};

const divLoop: LaneLoop = (out, [x, y], count) => {
  const a = x as Lane;
  const b = y as Lane;
  for (let i = 0; i < count; i++) out[i] = a[i]! / b[i]!;
};

const maxLoop: LaneLoop = (out, [x, y], count) => {
  const a = x as Lane;
  const b = y as Lane;
  for (let i = 0; i < count; i++) out[i] = greater(a[i]!, b[i]!);
};

const minLoop: LaneLoop = (out, [x, y], count) => {
  const a = x as Lane;
  const b = y as Lane;
  for (let i = 0; i < count; i++) out[i] = smaller(a[i]!, b[i]!);
};

/**
 * x + alpha y; products of narrow integers are taken modulo 2^32, as float64 would lose their low
 * bits.
 */
const axpyLoop: LaneLoop = (out, [x, y, alpha], count) => {
  for (let i = 0; i < count; i++) out[i] = x![i]! + alpha![i]! * y![i]!;
};
const axpyInt32: LaneLoop = (out, [x, y, alpha], count) => {
  for (let i = 0; i < count; i++) out[i] = x![i]! + Math.imul(alpha![i]!, y![i]!);
};

const isNarrowInt = (dtype: DType): boolean => isIntegralDType(dtype) && dtypeInfo(dtype).itemSize <= 4;

const multiply: Elementwise = {
  keepsSecond: true,
  real: mulLoop,
  big: (x, y) => x * y,
  complex: complexLoops.mul,
};
const multiplyInt32: Elementwise = { real: map2(Math.imul) };

/** Adds (sign 1) or subtracts `alpha * other`. */
const addition =
  (sign: 1 | -1): Kernel<WithAlpha> =>
  ({ self, other, alpha }, context) => {
    const out = emptyOutput(context);
    if (dtypeInfo(out.dtype).kind === "complex") {
      const factor = sign === 1 ? (alpha ?? 1) : negated(alpha ?? 1);
      return elementwise({ complex: complexLoops.add }, out, [self, other, factor]);
    }
    const big = (x: bigint, y: bigint): bigint => (sign === 1 ? x + y : x - y);
    if (alpha === null || alpha === undefined || toNumber(alpha) === 1) {
      return elementwise({ real: sign === 1 ? addLoop : subLoop, big }, out, [self, other]);
    }
    return scaledAddition(out, self, other, sign === 1 ? alpha : negated(alpha));
  };

function scaledAddition(out: Tensor, self: Operand, other: Operand, factor: ScalarLiteral): Tensor {
  const real = isNarrowInt(out.dtype) ? axpyInt32 : axpyLoop;
  return elementwise({ real, big: (x, y, a) => x + a * y }, out, [self, other, factor]);
}

/** Of the integer 0, which has no sign, it is that. */
function negated(value: ScalarLiteral): ScalarLiteral {
  if (typeof value === "bigint") return -value;
  if (typeof value === "object" && value.kind === "complex") return complexLiteral(-value.re, -value.im);
  return value === 0 ? value : float(-toNumber(value));
}

const reversed =
  (run: Kernel<WithAlpha>): Kernel<WithAlpha> =>
  ({ self, other, alpha }, context) =>
    run({ self: other, other: self, alpha }, context);

const binary =
  (operation: Elementwise): Kernel<Binary> =>
  ({ self, other }, context) =>
    elementwise(operation, emptyOutput(context), [self, other]);

/** Returns a function that depends on the dtype of the result. */
const binaryOf =
  (pick: (dtype: DType) => (x: number, y: number) => number): Kernel<Binary> =>
  (args, context) =>
    binary({ real: map2(pick(context.meta.dtype)) })(args, context);

export const product: Kernel<Binary> = ({ self, other }, context) => {
  const out = emptyOutput(context);
  return elementwise(isNarrowInt(out.dtype) ? multiplyInt32 : multiply, out, [self, other]);
};

/** Refuses zero as an integer divisor. */
const nonZero = (y: number): number => {
  if (y === 0) throw divisionByZero();
  return y;
};
const bigNonZero = (y: bigint): bigint => {
  if (y === 0n) throw divisionByZero();
  return y;
};

const bigFloorDivide = (x: bigint, y: bigint): bigint => {
  const quotient = x / bigNonZero(y);
  return x % y !== 0n && x < 0n !== y < 0n ? quotient - 1n : quotient;
};
const bigRemainder = (x: bigint, y: bigint): bigint => {
  const mod = x % bigNonZero(y);
  return mod !== 0n && y < 0n !== mod < 0n ? mod + y : mod;
};

const trueDivision = binary({ keepsSecond: true, real: divLoop, complex: complexLoops.div });
const intTrunc: Elementwise = {
  real: map2((x, y) => Math.trunc(x / nonZero(y))),
  big: (x, y) => x / bigNonZero(y),
};
const intFloor: Elementwise = { real: map2((x, y) => Math.floor(x / nonZero(y))), big: bigFloorDivide };

function roundedDivision(out: Tensor, self: Operand, other: Operand, mode: string): Tensor {
  const integral = isIntegralDType(out.dtype, true);
  if (integral) return elementwise(mode === "floor" ? intFloor : intTrunc, out, [self, other]);
  const step = stepOf(out.dtype);
  // Beside a single number halves are computed in float32, otherwise the quotient is a half before
  // it is cut.
  const quotient = isTensorOperand(other) && other.numel !== 1 ? roundTo(out.dtype) : step;
  const f =
    mode === "floor"
      ? (x: number, y: number): number => floorDivide(x, y, step)
      : (x: number, y: number): number => Math.trunc(quotient(x / y));
  return elementwise({ keepsSecond: true, real: map2(f) }, out, [self, other]);
}

const division = kernel(
  [
    "aten::div.Tensor_mode(Tensor self, Tensor other, *, str? rounding_mode) -> Tensor",
    "aten::div.Scalar_mode(Tensor self, Scalar other, *, str? rounding_mode) -> Tensor",
  ],
  ({ self, other, rounding_mode: mode }, context) =>
    mode === null
      ? trueDivision({ self, other }, context)
      : roundedDivision(emptyOutput(context), self, other, mode),
);

const floorDivision: Kernel<Binary> = ({ self, other }, context) =>
  roundedDivision(emptyOutput(context), self, other, "floor");

/** One function for floats, another for integers, which refuse zero. */
const modulus =
  (f: (x: number, y: number) => number, big: (x: bigint, y: bigint) => bigint): Kernel<Binary> =>
  ({ self, other }, context) => {
    const out = emptyOutput(context);
    const integral = isIntegralDType(out.dtype, true);
    const real = map2(integral ? (x, y) => f(x, nonZero(y)) : f);
    return elementwise({ real, big }, out, [self, other]);
  };

/** Exponents with their own meaning: a root, its reciprocal, small powers. */
const EXACT_POWERS = new Map<number, Elementwise>([
  [0, { real: map1(() => 1), complex: complexLoops.one }],
  [1, { real: map1((x) => x), complex: complexLoops.positive }],
  [0.5, { real: sqrtLoop, complex: complexLoops.sqrt }],
  [-0.5, { real: rsqrtLoop, complex: complexLoops.rsqrt }],
  [2, { real: squareLoop, complex: complexLoops.square }],
  [3, { real: cubeLoop, complex: complexLoops.cube }],
  [-1, { real: reciprocalLoop, complex: complexLoops.reciprocal }],
  [-2, { real: map1((x) => 1 / (x * x)), complex: complexLoops.inverseSquare }],
]);

function raise(out: Tensor, base: Operand, exponent: Operand): Tensor {
  if (isIntegralDType(out.dtype, true)) {
    const real = map2(isNarrowInt(out.dtype) ? int32Pow : intPow);
    return elementwise({ real, big: bigPow }, out, [base, exponent]);
  }
  if (!isTensorOperand(exponent)) {
    const isComplex = dtypeInfo(out.dtype).kind === "complex";
    if (isComplex && complexOf(exponent).im !== 0)
      return elementwise({ complex: complexLoops.pow }, out, [base, exponent]);
    const power = toNumber(exponent);
    // PyTorch takes no roots of float16: the powers of -inf and -0 are others.
    const exact = out.dtype === "float16" && !Number.isInteger(power) ? undefined : EXACT_POWERS.get(power);
    if (exact !== undefined) return elementwise(exact, out, [base]);
  }
  const isOne = !isTensorOperand(base) && complexOf(base).re === 1 && complexOf(base).im === 0;
  const complex = isOne ? complexLoops.one : complexLoops.pow;
  return elementwise({ real: map2(pow), complex }, out, [base, exponent]);
}

type Power = { readonly self: Operand; readonly exponent: Operand };
const power: Kernel<Power> = ({ self, exponent }, context) => raise(emptyOutput(context), self, exponent);

/** Returns the neighbor of a half in the direction of another number: the next bit pattern. */
function nextAfterHalf(dtype: DType): (x: number, y: number) => number {
  const encode = encodeFloat(dtype);
  const table = decodeTable(dtype);
  return (x, y) => {
    if (Number.isNaN(x) || Number.isNaN(y)) return Number.NaN;
    if (x === y) return y;
    if (x === 0) return Math.sign(y) * table[1]!;
    return table[encode(x) + (y > x === x > 0 ? 1 : -1)]!;
  };
}

const nextAfter: Kernel<Binary> = ({ self, other }, context) => {
  const out = emptyOutput(context);
  const half = out.dtype === "bfloat16" || out.dtype === "float16";
  const f = out.dtype === "float64" ? nextAfter64 : half ? nextAfterHalf(out.dtype) : nextAfter32;
  return elementwise({ real: map2(f) }, out, [self, other]);
};

const gcdIn = (dtype: DType) => gcdAbove(-(2 ** (8 * dtypeInfo(dtype).itemSize - 1)));
const gcd: Kernel<Binary> = ({ self, other }, context) => {
  const out = emptyOutput(context);
  return elementwise({ real: map2(gcdIn(out.dtype)), big: bigGcd }, out, [self, other]);
};

const lcm: Kernel<Binary> = ({ self, other }, context) => {
  const out = emptyOutput(context);
  const divisorOf = gcdIn(out.dtype);
  const times = isNarrowInt(out.dtype) ? Math.imul : (x: number, y: number): number => x * y;
  const real = map2((x, y) => {
    const divisor = divisorOf(x, y);
    return divisor === 0 ? 0 : Math.abs(times(x / divisor, y));
  });
  return elementwise({ real, big: bigLcm }, out, [self, other]);
};
const bigLcm = (x: bigint, y: bigint): bigint => {
  const divisor = bigGcd(x, y);
  const multiple = divisor === 0n ? 0n : BigInt.asIntN(64, (x / divisor) * y);
  return multiple < 0n ? -multiple : multiple;
};

const maximum = binary({ real: maxLoop, big: bigMax });
const minimum = binary({ real: minLoop, big: bigMin });
const heaviside = (x: number, y: number): number => (x === 0 ? y : x > 0 ? 1 : 0);
const bigHeaviside = (x: bigint, y: bigint): bigint => (x === 0n ? y : x > 0n ? 1n : 0n);
const heavisideKernel = kernel(
  "aten::heaviside(Tensor self, Tensor values) -> Tensor",
  ({ self, values }, context) =>
    elementwise({ real: map2(heaviside), big: bigHeaviside }, emptyOutput(context), [self, values]),
);

/** x 2^n in steps, because 2^n alone may be out of range; `n` is a C int. */
function scaleByPower(x: number, n: number): number {
  let left = Math.max(-3000, Math.min(n | 0, 3000));
  let scaled = x;
  for (let steps = 3; steps > 0; steps--) {
    const step = Math.trunc(left / steps);
    scaled *= 2 ** step;
    left -= step;
  }
  return scaled;
}

/**
 * A float by an integer power of two is exact; otherwise the power of two is a separate tensor
 * first.
 */
const ldexp = kernel(
  "aten::ldexp.Tensor(Tensor self, Tensor other) -> Tensor",
  ({ self, other }, context) => {
    const out = emptyOutput(context);
    if (dtypeInfo(self.dtype).kind === "float" && isIntegralDType(other.dtype)) {
      return elementwise({ real: map2(scaleByPower) }, out, [self, other]);
    }
    const float = dtypeInfo(other.dtype).kind === "int" || other.dtype === "bool" ? "float32" : other.dtype;
    return elementwise(multiply, out, [raise(Tensor.empty(other.shape, float), 2, other), self]);
  },
);
const atan2 = binary({ real: map2(Math.atan2) });
const polar = kernel("aten::polar(Tensor abs, Tensor angle) -> Tensor", ({ abs, angle }, context) => {
  const out = emptyOutput(context);
  const toParts: Elementwise["complex"] = (result, [size, phase], count) => {
    for (let i = 0; i < 2 * count; i += 2) {
      result[i] = size![i]! * Math.cos(phase![i]!);
      result[i + 1] = size![i]! * Math.sin(phase![i]!);
    }
  };
  return elementwise({ complex: toParts }, out, [abs, angle]);
});
const joinParts: Elementwise["complex"] = (out, [re, im], count) => {
  for (let i = 0; i < 2 * count; i += 2) {
    out[i] = re![i]!;
    out[i + 1] = im![i]!;
  }
};
const complexFromParts = kernel(
  "aten::complex(Tensor real, Tensor imag) -> Tensor",
  ({ real, imag }, context) => elementwise({ complex: joinParts }, emptyOutput(context), [real, imag]),
);

export const add = addition(1);
export const sub = addition(-1);
const fmod = modulus(
  (x, y) => x % y,
  (x, y) => x % bigNonZero(y),
);
const pythonRemainder = modulus(remainder, bigRemainder);
const copysign = binary({ real: map2(copySign) });
const zetaKernel = binary({ real: map2(zeta) });

export const binaryPointwiseKernels = defineKernels([
  kernel(
    [
      "aten::add.Tensor(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor",
      "aten::add.Scalar(Tensor self, Scalar other, Scalar alpha=1) -> Tensor",
    ],
    add,
  ),
  kernel(
    [
      "aten::sub.Tensor(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor",
      "aten::sub.Scalar(Tensor self, Scalar other, Scalar alpha=1) -> Tensor",
    ],
    sub,
  ),
  kernel("aten::rsub.Tensor(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor", reversed(sub)),
  kernel("aten::rsub.Scalar(Tensor self, Scalar other, Scalar alpha=1) -> Tensor", reversed(sub)),
  kernel(
    [
      "aten::mul.Tensor(Tensor self, Tensor other) -> Tensor",
      "aten::mul.Scalar(Tensor self, Scalar other) -> Tensor",
    ],
    product,
  ),
  kernel(
    [
      "aten::div.Tensor(Tensor self, Tensor other) -> Tensor",
      "aten::div.Scalar(Tensor self, Scalar other) -> Tensor",
    ],
    trueDivision,
  ),
  division,
  kernel(
    [
      "aten::floor_divide(Tensor self, Tensor other) -> Tensor",
      "aten::floor_divide.Scalar(Tensor self, Scalar other) -> Tensor",
    ],
    floorDivision,
  ),
  kernel(
    [
      "aten::fmod.Tensor(Tensor self, Tensor other) -> Tensor",
      "aten::fmod.Scalar(Tensor self, Scalar other) -> Tensor",
    ],
    fmod,
  ),
  kernel(
    [
      "aten::remainder.Tensor(Tensor self, Tensor other) -> Tensor",
      "aten::remainder.Scalar(Tensor self, Scalar other) -> Tensor",
      "aten::remainder.Scalar_Tensor(Scalar self, Tensor other) -> Tensor",
    ],
    pythonRemainder,
  ),
  ldexp,
  kernel(
    [
      "aten::pow.Tensor_Tensor(Tensor self, Tensor exponent) -> Tensor",
      "aten::pow.Tensor_Scalar(Tensor self, Scalar exponent) -> Tensor",
      "aten::pow.Scalar(Scalar self, Tensor exponent) -> Tensor",
      "aten::float_power.Tensor_Tensor(Tensor self, Tensor exponent) -> Tensor",
      "aten::float_power.Tensor_Scalar(Tensor self, Scalar exponent) -> Tensor",
      "aten::float_power.Scalar(Scalar self, Tensor exponent) -> Tensor",
    ],
    power,
  ),
  kernel(
    [
      "aten::maximum(Tensor self, Tensor other) -> Tensor",
      "aten::max.other(Tensor self, Tensor other) -> Tensor",
    ],
    maximum,
  ),
  kernel(
    [
      "aten::minimum(Tensor self, Tensor other) -> Tensor",
      "aten::min.other(Tensor self, Tensor other) -> Tensor",
    ],
    minimum,
  ),
  kernel("aten::fmax(Tensor self, Tensor other) -> Tensor", binary({ real: map2(fmax), big: bigMax })),
  kernel("aten::fmin(Tensor self, Tensor other) -> Tensor", binary({ real: map2(fmin), big: bigMin })),
  kernel("aten::atan2(Tensor self, Tensor other) -> Tensor", atan2),
  kernel("aten::hypot(Tensor self, Tensor other) -> Tensor", binary({ real: map2(hypot) })),
  kernel(
    "aten::logaddexp(Tensor self, Tensor other) -> Tensor",
    binary({ real: map2(logAddExp), complex: complexLoops.logaddexp }),
  ),
  kernel("aten::logaddexp2(Tensor self, Tensor other) -> Tensor", binary({ real: map2(logAddExp2) })),
  kernel("aten::igamma(Tensor self, Tensor other) -> Tensor", binaryOf(gammaP)),
  kernel("aten::igammac(Tensor self, Tensor other) -> Tensor", binaryOf(gammaQ)),
  kernel(
    [
      "aten::copysign.Tensor(Tensor self, Tensor other) -> Tensor",
      "aten::copysign.Scalar(Tensor self, Scalar other) -> Tensor",
    ],
    copysign,
  ),
  kernel("aten::nextafter(Tensor self, Tensor other) -> Tensor", nextAfter),
  heavisideKernel,
  kernel("aten::gcd(Tensor self, Tensor other) -> Tensor", gcd),
  kernel("aten::lcm(Tensor self, Tensor other) -> Tensor", lcm),
  kernel(
    [
      "aten::xlogy.Tensor(Tensor self, Tensor other) -> Tensor",
      "aten::xlogy.Scalar_Self(Scalar self, Tensor other) -> Tensor",
      "aten::xlogy.Scalar_Other(Tensor self, Scalar other) -> Tensor",
    ],
    xlogyKernel,
  ),
  kernel(
    [
      "aten::special_xlog1py(Tensor self, Tensor other) -> Tensor",
      "aten::special_xlog1py.other_scalar(Tensor self, Scalar other) -> Tensor",
      "aten::special_xlog1py.self_scalar(Scalar self, Tensor other) -> Tensor",
    ],
    xlog1pyKernel,
  ),
  kernel(
    [
      "aten::special_zeta(Tensor self, Tensor other) -> Tensor",
      "aten::special_zeta.other_scalar(Tensor self, Scalar other) -> Tensor",
      "aten::special_zeta.self_scalar(Scalar self, Tensor other) -> Tensor",
    ],
    zetaKernel,
  ),
  polar,
  complexFromParts,
]);
