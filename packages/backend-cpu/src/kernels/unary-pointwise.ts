/** @file Kernels of one tensor argument, element by element. */

import { LARGEST_FINITE } from "@sconce/ops";
import { dtypeInfo, isIntegralDType, type Tensor } from "@sconce/tensor";
import { isHalf, roundTo, stepOf } from "../kernel/half.js";
import { defineKernels, emptyOutput, emptyOutputs, type Kernel, kernel } from "../kernel/kernel.js";
import { complexLoops } from "./complex-loops.js";
import { type ComplexLoop, type Elementwise, elementwise, type LaneLoop, map1 } from "./pointwise-loop.js";
import {
  absoluteLoop,
  erfLoop,
  expLoop,
  negateLoop,
  reciprocalLoop,
  reluLoop,
  rsqrtLoop,
  sigmoidLoop,
  sigmoidSingleLoop,
  sqrtLoop,
  squareLoop,
  tanhLoop,
} from "./pointwise-loops.js";
import { isNegative, roundHalfEven, sinc, sincSingle } from "./pointwise-math.js";
import {
  besselI0,
  besselI1,
  besselIn,
  besselIScaled,
  digamma,
  erfc,
  erfcx,
  erfinv,
  lgamma,
  logNdtr,
  ndtr,
  ndtri,
  polygamma,
} from "./pointwise-special.js";

type Unary = { readonly self: Tensor };

/**
 * Computes in the dtype of the result: integers become floats first where the result is a float.
 */
const unary =
  (operation: Elementwise): Kernel<Unary> =>
  ({ self }, context) =>
    elementwise(operation, emptyOutput(context), [self]);

/** Returns a float function, by itself or with its complex form. */
const float = (f: (x: number) => number, complex?: ComplexLoop): Kernel<Unary> =>
  unary({ real: map1(f), complex });

/** PyTorch computes all but float64 in float32. */
const sigmoid: Kernel<Unary> = ({ self }, context) => {
  const out = emptyOutput(context);
  const real = out.dtype === "float64" ? sigmoidLoop : sigmoidSingleLoop;
  return elementwise({ real, complex: complexLoops.sigmoid }, out, [self]);
};

const sincKernel: Kernel<Unary> = ({ self }, context) => {
  const out = emptyOutput(context);
  const real = map1(out.dtype === "float64" ? sinc : sincSingle);
  return elementwise({ real, complex: complexLoops.sinc }, out, [self]);
};

/**
 * Computes in the dtype of the argument, whatever the result's: predicates, magnitudes of complex
 * numbers.
 */
const inOwnDType =
  (operation: Elementwise): Kernel<Unary> =>
  ({ self }, context) =>
    elementwise(operation, emptyOutput(context), [self], self.dtype);

const predicate = (f: (x: number) => boolean, complex?: ComplexLoop): Kernel<Unary> =>
  inOwnDType({ real: map1((x) => (f(x) ? 1 : 0)), big: (x) => (f(Number(x)) ? 1n : 0n), complex });

/** Rounding functions leave integers as they are. */
const rounding = (f: (x: number) => number): Kernel<Unary> => unary({ real: map1(f), big: (x) => x });

const squareInt32: LaneLoop = map1((x) => Math.imul(x, x));
const bigAbs = (x: bigint): bigint => (x < 0n ? -x : x);
const signOf = (x: number): number => (x > 0 ? 1 : x < 0 ? -1 : 0);

const square: Kernel<Unary> = ({ self }, context) => {
  const narrow = isIntegralDType(self.dtype) && dtypeInfo(self.dtype).itemSize <= 4;
  const operation = {
    real: narrow ? squareInt32 : squareLoop,
    big: (x: bigint) => x * x,
    complex: complexLoops.square,
  };
  return elementwise(operation, emptyOutput(context), [self]);
};

const bitwiseNot = inOwnDType({ real: map1((x) => -x - 1), big: (x) => ~x });
const notBool = map1((x) => (x === 0 ? 1 : 0));

/** Scales, rounds half to even and scales back, each step in the dtype computed in. */
const roundDecimals = kernel(
  "aten::round.decimals(Tensor self, *, int decimals) -> Tensor",
  ({ self, decimals }, context) => {
    const out = emptyOutput(context);
    const step = self.dtype === "float64" ? (x: number): number => x : Math.fround;
    const scale = step(10 ** Math.abs(decimals));
    const up = (x: number): number => step(roundHalfEven(step(x * scale)) / scale);
    const down = (x: number): number => step(roundHalfEven(step(x / scale)) * scale);
    return elementwise({ real: map1(decimals >= 0 ? up : down), big: (x) => x }, out, [self]);
  },
);

const nanToNum = kernel(
  "aten::nan_to_num(Tensor self, float? nan=None, float? posinf=None, float? neginf=None) -> Tensor",
  ({ self, nan, posinf, neginf }, context) => {
    const limit = LARGEST_FINITE[self.dtype] ?? 0;
    const high = posinf ?? limit;
    const low = neginf ?? -limit;
    const replace = (x: number): number =>
      Number.isNaN(x) ? (nan ?? 0) : x === Infinity ? high : x === -Infinity ? low : x;
    const complex: ComplexLoop = (out, [x], count) => {
      for (let i = 0; i < 2 * count; i++) out[i] = replace(x![i]!);
    };
    return elementwise({ real: map1(replace), big: (x) => x, complex }, emptyOutput(context), [self]);
  },
);

const logit = kernel("aten::logit(Tensor self, float? eps=None) -> Tensor", ({ self, eps }, context) => {
  // The bounds have the precision of the tensor. With bounds that cross (eps above 1/2) the lower
  // one is looked at first.
  const out = emptyOutput(context);
  const round = roundTo(out.dtype);
  // Halves are rounded at each step.
  const step = isHalf(out.dtype) ? round : (x: number): number => x;
  const low = round(eps ?? -1);
  const high = round(1 - low);
  const clamp = (x: number): number => (low < 0 ? x : x < low ? low : Math.min(x, high));
  const f = (x: number): number => {
    const p = clamp(x);
    return Math.log(step(p / step(1 - p)));
  };
  return elementwise({ real: map1(f) }, out, [self]);
});

const LEAST_NORMAL = 2 ** -1022;

/**
 * `x` as `mantissa * 2 ** exponent`, the mantissa in [0.5, 1); zeros, infinities and NaN are their
 * own mantissas.
 */
function exponentOf(x: number): number {
  if (x === 0 || !Number.isFinite(x)) return 0;
  const size = Math.abs(x);
  if (size < LEAST_NORMAL) return exponentOf(x * 2 ** 54) - 54;
  const guess = Math.floor(Math.log2(size)) + 1;
  // The logarithm of a number next to a power of two may be rounded to that of the power.
  if (size >= 2 ** guess) return guess + 1;
  return size < 2 ** (guess - 1) ? guess - 1 : guess;
}

/** In two steps, as 2 ** -exponent may overflow. */
function mantissaOf(x: number): number {
  const half = Math.trunc(exponentOf(x) / 2);
  return x / 2 ** half / 2 ** (exponentOf(x) - half);
}

const frexp = kernel(
  "aten::frexp.Tensor(Tensor self) -> (Tensor mantissa, Tensor exponent)",
  ({ self }, context) => {
    const [mantissa, exponent] = emptyOutputs(context);
    return [
      elementwise({ real: map1(mantissaOf) }, mantissa, [self]),
      elementwise({ real: map1(exponentOf) }, exponent, [self], self.dtype),
    ];
  },
);

const polygammaKernel = kernel("aten::polygamma(int n, Tensor self) -> Tensor", ({ n, self }, context) => {
  const out = emptyOutput(context);
  const f = n === 1 ? trigamma(stepOf(out.dtype)) : (x: number): number => polygamma(n, x);
  return elementwise({ real: map1(f) }, out, [self]);
});

/**
 * Left of 1/2 by reflection. Like `trigamma` of PyTorch's Math.h it takes the sine of a rounded
 * angle, which is why the poles at the negative integers are finite.
 */
function trigamma(round: (x: number) => number): (x: number) => number {
  const pi = round(Math.PI);
  return (x) => {
    if (x === Number.POSITIVE_INFINITY) return 0;
    if (!(x < 0.5)) return polygamma(1, x);
    const sine = round(Math.sin(round(pi * x)));
    return round(pi * pi) / round(sine * sine) - polygamma(1, 1 - x);
  };
}

const mvlgamma = kernel("aten::mvlgamma(Tensor self, int p) -> Tensor", ({ self, p }, context) => {
  const f = (x: number): number => {
    let sum = (p * (p - 1) * Math.log(Math.PI)) / 4;
    for (let j = 0; j < p; j++) sum += lgamma(x - j / 2);
    return sum;
  };
  return elementwise({ real: map1(f) }, emptyOutput(context), [self]);
});

/** sin(πx) / (πx), which is 1 at 0. */
const entropy = (x: number): number =>
  Number.isNaN(x) ? x : x > 0 ? -x * Math.log(x) : x === 0 ? 0 : -Infinity;
/** Returns the angle of a real number: π for negative ones. */
const angle = (x: number): number => (Number.isNaN(x) ? x : x < 0 ? Math.PI : 0);
const bessel =
  (f: (x: number) => number): Kernel<Unary> =>
  ({ self }, context) => {
    const out = emptyOutput(context);
    return elementwise({ real: map1(besselIn(out.dtype, f)) }, out, [self]);
  };
const positive = unary({ real: map1((x) => x), big: (x) => x, complex: complexLoops.positive });
const conjugate = unary({ real: map1((x) => x), big: (x) => x, complex: complexLoops.conj });

/** `angle` of integers computes in float32, of complex numbers in their own dtype. */
const angleKernel = kernel("aten::angle(Tensor self) -> Tensor", ({ self }, context) => {
  const out = emptyOutput(context);
  const dtype = dtypeInfo(self.dtype).kind === "complex" ? self.dtype : out.dtype;
  return elementwise({ real: map1(angle), complex: complexLoops.angle }, out, [self], dtype);
});

export const unaryPointwiseKernels = defineKernels([
  kernel(
    ["aten::neg(Tensor self) -> Tensor", "aten::_neg_view(Tensor(a) self) -> Tensor(a)"],
    unary({ real: negateLoop, big: (x) => -x, complex: complexLoops.neg }),
  ),
  kernel(
    "aten::abs(Tensor self) -> Tensor",
    inOwnDType({ real: absoluteLoop, big: bigAbs, complex: complexLoops.abs }),
  ),
  kernel("aten::positive(Tensor(a) self) -> Tensor(a)", positive),
  kernel(
    "aten::sign(Tensor self) -> Tensor",
    unary({ real: map1(signOf), big: (x) => (x > 0n ? 1n : x < 0n ? -1n : 0n) }),
  ),
  kernel(
    "aten::sgn(Tensor self) -> Tensor",
    unary({
      real: map1(signOf),
      big: (x) => (x > 0n ? 1n : x < 0n ? -1n : 0n),
      complex: complexLoops.sgn,
    }),
  ),
  kernel("aten::square(Tensor self) -> Tensor", square),
  kernel("aten::ceil(Tensor self) -> Tensor", rounding(Math.ceil)),
  kernel("aten::floor(Tensor self) -> Tensor", rounding(Math.floor)),
  kernel("aten::trunc(Tensor self) -> Tensor", rounding(Math.trunc)),
  kernel("aten::round(Tensor self) -> Tensor", rounding(roundHalfEven)),
  roundDecimals,
  kernel(
    "aten::frac(Tensor self) -> Tensor",
    float((x) => x - Math.trunc(x)),
  ),
  kernel(
    "aten::reciprocal(Tensor self) -> Tensor",
    unary({ real: reciprocalLoop, complex: complexLoops.reciprocal }),
  ),
  kernel("aten::sqrt(Tensor self) -> Tensor", unary({ real: sqrtLoop, complex: complexLoops.sqrt })),
  kernel("aten::rsqrt(Tensor self) -> Tensor", unary({ real: rsqrtLoop, complex: complexLoops.rsqrt })),
  kernel("aten::exp(Tensor self) -> Tensor", unary({ real: expLoop, complex: complexLoops.exp })),
  kernel(
    "aten::exp2(Tensor self) -> Tensor",
    float((x) => 2 ** x, complexLoops.exp2),
  ),
  kernel("aten::expm1(Tensor self) -> Tensor", float(Math.expm1, complexLoops.expm1)),
  kernel("aten::log(Tensor self) -> Tensor", float(Math.log, complexLoops.log)),
  kernel("aten::log2(Tensor self) -> Tensor", float(Math.log2, complexLoops.log2)),
  kernel("aten::log10(Tensor self) -> Tensor", float(Math.log10, complexLoops.log10)),
  kernel("aten::log1p(Tensor self) -> Tensor", float(Math.log1p, complexLoops.log1p)),
  kernel("aten::sin(Tensor self) -> Tensor", float(Math.sin, complexLoops.sin)),
  kernel("aten::cos(Tensor self) -> Tensor", float(Math.cos, complexLoops.cos)),
  kernel("aten::tan(Tensor self) -> Tensor", float(Math.tan, complexLoops.tan)),
  kernel("aten::asin(Tensor self) -> Tensor", float(Math.asin, complexLoops.asin)),
  kernel("aten::acos(Tensor self) -> Tensor", float(Math.acos, complexLoops.acos)),
  kernel("aten::atan(Tensor self) -> Tensor", float(Math.atan, complexLoops.atan)),
  kernel("aten::sinh(Tensor self) -> Tensor", float(Math.sinh, complexLoops.sinh)),
  kernel("aten::cosh(Tensor self) -> Tensor", float(Math.cosh, complexLoops.cosh)),
  kernel("aten::tanh(Tensor self) -> Tensor", unary({ real: tanhLoop, complex: complexLoops.tanh })),
  kernel("aten::asinh(Tensor self) -> Tensor", float(Math.asinh, complexLoops.asinh)),
  kernel("aten::acosh(Tensor self) -> Tensor", float(Math.acosh, complexLoops.acosh)),
  kernel("aten::atanh(Tensor self) -> Tensor", float(Math.atanh, complexLoops.atanh)),
  kernel("aten::sigmoid(Tensor self) -> Tensor", sigmoid),
  kernel("aten::relu(Tensor self) -> Tensor", unary({ real: reluLoop, big: (x) => (x < 0n ? 0n : x) })),
  kernel("aten::erf(Tensor self) -> Tensor", unary({ real: erfLoop })),
  kernel("aten::erfc(Tensor self) -> Tensor", float(erfc)),
  kernel("aten::erfinv(Tensor self) -> Tensor", float(erfinv)),
  kernel("aten::special_erfcx(Tensor self) -> Tensor", float(erfcx)),
  kernel("aten::special_ndtri(Tensor self) -> Tensor", float(ndtri)),
  kernel("aten::special_ndtr(Tensor self) -> Tensor", float(ndtr)),
  kernel("aten::special_log_ndtr(Tensor self) -> Tensor", float(logNdtr)),
  kernel("aten::special_entr(Tensor self) -> Tensor", float(entropy)),
  kernel("aten::lgamma(Tensor self) -> Tensor", float(lgamma)),
  kernel("aten::digamma(Tensor self) -> Tensor", float(digamma)),
  frexp,
  polygammaKernel,
  mvlgamma,
  kernel("aten::i0(Tensor self) -> Tensor", bessel(besselI0)),
  kernel(
    "aten::special_i0e(Tensor self) -> Tensor",
    float((x) => besselIScaled(0, x)),
  ),
  kernel("aten::special_i1(Tensor self) -> Tensor", bessel(besselI1)),
  kernel(
    "aten::special_i1e(Tensor self) -> Tensor",
    float((x) => besselIScaled(1, x)),
  ),
  kernel("aten::sinc(Tensor self) -> Tensor", sincKernel),
  logit,
  kernel(
    "aten::deg2rad(Tensor self) -> Tensor",
    float((x) => x * (Math.PI / 180)),
  ),
  kernel(
    "aten::rad2deg(Tensor self) -> Tensor",
    float((x) => x * (180 / Math.PI)),
  ),
  angleKernel,
  kernel("aten::isnan(Tensor self) -> Tensor", predicate(Number.isNaN, complexLoops.isnan)),
  kernel(
    "aten::isinf(Tensor self) -> Tensor",
    predicate((x) => Math.abs(x) === Infinity, complexLoops.isinf),
  ),
  kernel(
    "aten::isposinf(Tensor self) -> Tensor",
    predicate((x) => x === Infinity),
  ),
  kernel(
    "aten::isneginf(Tensor self) -> Tensor",
    predicate((x) => x === -Infinity),
  ),
  kernel("aten::isfinite(Tensor self) -> Tensor", predicate(Number.isFinite, complexLoops.isfinite)),
  kernel("aten::signbit(Tensor self) -> Tensor", predicate(isNegative)),
  kernel(
    "aten::logical_not(Tensor self) -> Tensor",
    predicate((x) => x === 0, complexLoops.logicalNot),
  ),
  kernel("aten::bitwise_not(Tensor self) -> Tensor", ({ self }, context) =>
    self.dtype === "bool"
      ? elementwise({ real: notBool }, emptyOutput(context), [self])
      : bitwiseNot({ self }, context),
  ),
  nanToNum,
  kernel(
    ["aten::_conj_physical(Tensor self) -> Tensor", "aten::_conj(Tensor(a) self) -> Tensor(a)"],
    conjugate,
  ),
]);
