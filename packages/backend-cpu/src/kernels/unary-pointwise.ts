/** @file Kernels of one tensor argument, element by element. */
import { dtypeInfo, isIntegralDType, type Tensor } from "@sconce/tensor";
import { roundTo, stepOf } from "../kernel/half.js";
import { type AnyKernel, defineKernels, emptyOutput, emptyOutputs, kernel } from "../kernel/kernel.js";
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
import { isNegative, roundHalfEven } from "./pointwise-math.js";
import {
  besselI0,
  besselI1,
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
import { LARGEST_FINITE } from "./scalar-range.js";

type Unary = { readonly self: Tensor };

/** Computes in the dtype of the result: integers become floats first where the result is a float. */
const unary = (operation: Elementwise): AnyKernel =>
  kernel<Unary>(({ self }, context) => elementwise(operation, emptyOutput(context), [self]));

/** A float function, by itself or with its complex form. */
const float = (f: (x: number) => number, complex?: ComplexLoop): AnyKernel =>
  unary({ real: map1(f), complex });

/** PyTorch computes all but float64 in float32. */
const sigmoid = kernel<Unary>(({ self }, context) => {
  const out = emptyOutput(context);
  const real = out.dtype === "float64" ? sigmoidLoop : sigmoidSingleLoop;
  return elementwise({ real, complex: complexLoops.sigmoid }, out, [self]);
});

/**
 * Computes in the dtype of the argument, whatever the result's: predicates, magnitudes of complex numbers.
 */
const inOwnDType = (operation: Elementwise): AnyKernel =>
  kernel<Unary>(({ self }, context) => elementwise(operation, emptyOutput(context), [self], self.dtype));

const predicate = (f: (x: number) => boolean, complex?: ComplexLoop): AnyKernel =>
  inOwnDType({ real: map1((x) => (f(x) ? 1 : 0)), big: (x) => (f(Number(x)) ? 1n : 0n), complex });

/** Rounding functions leave integers as they are. */
const rounding = (f: (x: number) => number): AnyKernel => unary({ real: map1(f), big: (x) => x });

const squareInt32: LaneLoop = map1((x) => Math.imul(x, x));
const bigAbs = (x: bigint): bigint => (x < 0n ? -x : x);
const signOf = (x: number): number => (x > 0 ? 1 : x < 0 ? -1 : 0);

const square = kernel<Unary>(({ self }, context) => {
  const narrow = isIntegralDType(self.dtype) && dtypeInfo(self.dtype).itemSize <= 4;
  const operation = {
    real: narrow ? squareInt32 : squareLoop,
    big: (x: bigint) => x * x,
    complex: complexLoops.square,
  };
  return elementwise(operation, emptyOutput(context), [self]);
});

const bitwiseNot = inOwnDType({ real: map1((x) => -x - 1), big: (x) => ~x });
const notBool = map1((x) => (x === 0 ? 1 : 0));

/** Scales, rounds half to even and scales back, each step in the dtype computed in. */
const roundDecimals = kernel<{ self: Tensor; decimals: number }>(({ self, decimals }, context) => {
  const out = emptyOutput(context);
  const step = self.dtype === "float64" ? (x: number): number => x : Math.fround;
  const scale = step(10 ** Math.abs(decimals));
  const up = (x: number): number => step(roundHalfEven(step(x * scale)) / scale);
  const down = (x: number): number => step(roundHalfEven(step(x / scale)) * scale);
  return elementwise({ real: map1(decimals >= 0 ? up : down), big: (x) => x }, out, [self]);
});

const nanToNum = kernel<{ self: Tensor; nan: number | null; posinf: number | null; neginf: number | null }>(
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

const logit = kernel<{ self: Tensor; eps: number | null }>(({ self, eps }, context) => {
  // The bounds have the precision of the tensor. With bounds that cross (eps above 1/2) the lower one is looked at first.
  const out = emptyOutput(context);
  const round = roundTo(out.dtype);
  const low = round(eps ?? -1);
  const high = round(1 - low);
  const clamp = (x: number): number => (low < 0 ? x : x < low ? low : Math.min(x, high));
  const f = (x: number): number => {
    const p = clamp(x);
    return Math.log(p / (1 - p));
  };
  return elementwise({ real: map1(f) }, out, [self]);
});

const LEAST_NORMAL = 2 ** -1022;

/** `x` as `mantissa * 2 ** exponent`, the mantissa in [0.5, 1); zeros, infinities and NaN are their own mantissas. */
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

const frexp = kernel<{ self: Tensor }>(({ self }, context) => {
  const [mantissa, exponent] = emptyOutputs(context) as [Tensor, Tensor];
  return [
    elementwise({ real: map1(mantissaOf) }, mantissa, [self]),
    elementwise({ real: map1(exponentOf) }, exponent, [self], self.dtype),
  ];
});

const polygammaKernel = kernel<{ n: number; self: Tensor }>(({ n, self }, context) => {
  const out = emptyOutput(context);
  const f = n === 1 ? trigamma(stepOf(out.dtype)) : (x: number): number => polygamma(n, x);
  return elementwise({ real: map1(f) }, out, [self]);
});

/**
 * Left of 1/2 by reflection. Like `trigamma` of PyTorch's Math.h it takes the sine of a rounded angle, which is why the
 * poles at the negative integers are finite.
 */
function trigamma(round: (x: number) => number): (x: number) => number {
  const pi = round(Math.PI);
  return (x) => {
    if (!(x < 0.5)) return polygamma(1, x);
    const sine = round(Math.sin(round(pi * x)));
    return round(pi * pi) / round(sine * sine) - polygamma(1, 1 - x);
  };
}

const mvlgamma = kernel<{ self: Tensor; p: number }>(({ self, p }, context) => {
  const f = (x: number): number => {
    let sum = (p * (p - 1) * Math.log(Math.PI)) / 4;
    for (let j = 0; j < p; j++) sum += lgamma(x - j / 2);
    return sum;
  };
  return elementwise({ real: map1(f) }, emptyOutput(context), [self]);
});

/** sin(πx) / (πx), which is 1 at 0. */
const sinc = (x: number): number => (x === 0 ? 1 : Math.sin(Math.PI * x) / (Math.PI * x));
const entropy = (x: number): number =>
  Number.isNaN(x) ? x : x > 0 ? -x * Math.log(x) : x === 0 ? 0 : -Infinity;
/** The angle of a real number: π for negative ones. */
const angle = (x: number): number => (Number.isNaN(x) ? x : x < 0 ? Math.PI : 0);
/** In float32 the factor exp|x| overflows before the product does. */
const bessel = (f: (x: number) => number): AnyKernel =>
  kernel<Unary>(({ self }, context) => {
    const out = emptyOutput(context);
    const narrow = (x: number): number =>
      Number.isFinite(x) && Math.exp(Math.abs(x)) > 3.4028235e38 ? f(Math.sign(x) * 1000) : f(x);
    return elementwise({ real: map1(out.dtype === "float64" ? f : narrow) }, out, [self]);
  });
const positive = unary({ real: map1((x) => x), big: (x) => x, complex: complexLoops.positive });
const conjugate = unary({ real: map1((x) => x), big: (x) => x, complex: complexLoops.conj });

/** `angle` of integers computes in float32, of complex numbers in their own dtype. */
const angleKernel = kernel<Unary>(({ self }, context) => {
  const out = emptyOutput(context);
  const dtype = dtypeInfo(self.dtype).kind === "complex" ? self.dtype : out.dtype;
  return elementwise({ real: map1(angle), complex: complexLoops.angle }, out, [self], dtype);
});

export const unaryPointwiseKernels = defineKernels({
  "aten.neg.default": unary({ real: negateLoop, big: (x) => -x, complex: complexLoops.neg }),
  "aten.abs.default": inOwnDType({ real: absoluteLoop, big: bigAbs, complex: complexLoops.abs }),
  "aten.positive.default": positive,
  "aten.sign.default": unary({ real: map1(signOf), big: (x) => (x > 0n ? 1n : x < 0n ? -1n : 0n) }),
  "aten.sgn.default": unary({
    real: map1(signOf),
    big: (x) => (x > 0n ? 1n : x < 0n ? -1n : 0n),
    complex: complexLoops.sgn,
  }),
  "aten.square.default": square,
  "aten.ceil.default": rounding(Math.ceil),
  "aten.floor.default": rounding(Math.floor),
  "aten.trunc.default": rounding(Math.trunc),
  "aten.round.default": rounding(roundHalfEven),
  "aten.round.decimals": roundDecimals,
  "aten.frac.default": float((x) => x - Math.trunc(x)),
  "aten.reciprocal.default": unary({ real: reciprocalLoop, complex: complexLoops.reciprocal }),
  "aten.sqrt.default": unary({ real: sqrtLoop, complex: complexLoops.sqrt }),
  "aten.rsqrt.default": unary({ real: rsqrtLoop, complex: complexLoops.rsqrt }),
  "aten.exp.default": unary({ real: expLoop, complex: complexLoops.exp }),
  "aten.exp2.default": float((x) => 2 ** x, complexLoops.exp2),
  "aten.expm1.default": float(Math.expm1, complexLoops.expm1),
  "aten.log.default": float(Math.log, complexLoops.log),
  "aten.log2.default": float(Math.log2, complexLoops.log2),
  "aten.log10.default": float(Math.log10, complexLoops.log10),
  "aten.log1p.default": float(Math.log1p, complexLoops.log1p),
  "aten.sin.default": float(Math.sin, complexLoops.sin),
  "aten.cos.default": float(Math.cos, complexLoops.cos),
  "aten.tan.default": float(Math.tan, complexLoops.tan),
  "aten.asin.default": float(Math.asin, complexLoops.asin),
  "aten.acos.default": float(Math.acos, complexLoops.acos),
  "aten.atan.default": float(Math.atan, complexLoops.atan),
  "aten.sinh.default": float(Math.sinh, complexLoops.sinh),
  "aten.cosh.default": float(Math.cosh, complexLoops.cosh),
  "aten.tanh.default": unary({ real: tanhLoop, complex: complexLoops.tanh }),
  "aten.asinh.default": float(Math.asinh, complexLoops.asinh),
  "aten.acosh.default": float(Math.acosh, complexLoops.acosh),
  "aten.atanh.default": float(Math.atanh, complexLoops.atanh),
  "aten.sigmoid.default": sigmoid,
  "aten.relu.default": unary({ real: reluLoop, big: (x) => (x < 0n ? 0n : x) }),
  "aten.erf.default": unary({ real: erfLoop }),
  "aten.erfc.default": float(erfc),
  "aten.erfinv.default": float(erfinv),
  "aten.special_erfcx.default": float(erfcx),
  "aten.special_ndtri.default": float(ndtri),
  "aten.special_ndtr.default": float(ndtr),
  "aten.special_log_ndtr.default": float(logNdtr),
  "aten.special_entr.default": float(entropy),
  "aten.lgamma.default": float(lgamma),
  "aten.digamma.default": float(digamma),
  "aten.frexp.Tensor": frexp,
  "aten.polygamma.default": polygammaKernel,
  "aten.mvlgamma.default": mvlgamma,
  "aten.i0.default": bessel(besselI0),
  "aten.special_i0e.default": float((x) => besselIScaled(0, x)),
  "aten.special_i1.default": bessel(besselI1),
  "aten.special_i1e.default": float((x) => besselIScaled(1, x)),
  "aten.sinc.default": float(sinc, complexLoops.sinc),
  "aten.logit.default": logit,
  "aten.deg2rad.default": float((x) => x * (Math.PI / 180)),
  "aten.rad2deg.default": float((x) => x * (180 / Math.PI)),
  "aten.angle.default": angleKernel,
  "aten.isnan.default": predicate(Number.isNaN, complexLoops.isnan),
  "aten.isinf.default": predicate((x) => Math.abs(x) === Infinity, complexLoops.isinf),
  "aten.isposinf.default": predicate((x) => x === Infinity),
  "aten.isneginf.default": predicate((x) => x === -Infinity),
  "aten.isfinite.default": predicate(Number.isFinite, complexLoops.isfinite),
  "aten.signbit.default": predicate(isNegative),
  "aten.logical_not.default": predicate((x) => x === 0, complexLoops.logicalNot),
  "aten.bitwise_not.default": kernel<Unary>(({ self }, context) =>
    self.dtype === "bool"
      ? elementwise({ real: notBool }, emptyOutput(context), [self])
      : bitwiseNot({ self }, context),
  ),
  "aten.nan_to_num.default": nanToNum,
  "aten._conj_physical.default": conjugate,
  "aten._conj.default": conjugate,
});
