/** @file Limits of the float dtypes, and of the parts of the complex ones. */
import type { DType } from "@sconce/tensor";

export interface FloatLimits {
  /** The largest finite value. */
  readonly max: number;
  /** The least normal and the least subnormal magnitude. */
  readonly normal: number;
  readonly least: number;
  /** The distance of neighbors at 1. */
  readonly epsilon: number;
}

const HALF: FloatLimits = { max: 65504, normal: 2 ** -14, least: 2 ** -24, epsilon: 2 ** -10 };
const SINGLE: FloatLimits = {
  max: 3.4028234663852886e38,
  normal: 2 ** -126,
  least: 2 ** -149,
  epsilon: 2 ** -23,
};
const DOUBLE: FloatLimits = {
  max: Number.MAX_VALUE,
  normal: 2 ** -1022,
  least: 2 ** -1074,
  epsilon: 2 ** -52,
};

const LIMITS: Readonly<Partial<Record<DType, FloatLimits>>> = {
  float16: HALF,
  bfloat16: { max: 3.3895313892515355e38, normal: 2 ** -126, least: 2 ** -133, epsilon: 2 ** -7 },
  float32: SINGLE,
  float64: DOUBLE,
  complex32: HALF,
  complex64: SINGLE,
  complex128: DOUBLE,
};

/** Undefined for other dtypes, those of eight bits among them. */
export const floatLimits = (dtype: DType): FloatLimits | undefined => LIMITS[dtype];
