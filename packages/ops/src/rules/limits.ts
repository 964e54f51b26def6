import type { DType } from "@sconce/tensor";

const LARGEST: Readonly<Partial<Record<DType, number>>> = {
  float64: Number.MAX_VALUE,
  complex128: Number.MAX_VALUE,
  float32: 3.4028234663852886e38,
  complex64: 3.4028234663852886e38,
  float16: 65504,
  complex32: 65504,
  bfloat16: 3.3895313892515355e38,
  float8_e4m3fn: 448,
  float8_e5m2: 57344,
  float8_e4m3fnuz: 240,
  float8_e5m2fnuz: 57344,
};

/** `torch.finfo(dtype).max`; infinity for dtypes that are not floats. */
export const largestFinite = (dtype: DType): number => LARGEST[dtype] ?? Number.POSITIVE_INFINITY;
