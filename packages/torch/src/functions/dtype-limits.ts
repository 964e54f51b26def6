/** @file The limits of dtypes: `torch.finfo` and `torch.iinfo`. */
import { type FloatLiteral, float } from "@sconce/ir";
import { type DType, dtypeInfo, isDType, isIntegralDType } from "@sconce/tensor";
import { invalidArgument } from "./errors.js";

/** The limits of a float dtype; of a complex one those of its parts. */
export interface FloatInfo {
  /** Bits of a number. */
  readonly bits: number;
  /** The distance from 1 to the next larger number. */
  readonly eps: number;
  /** The largest number, as an argument that stays a float: its number is `max.value`. */
  readonly max: FloatLiteral;
  /** The smallest number, as an argument that stays a float: its number is `min.value`. */
  readonly min: FloatLiteral;
  /** The smallest positive number of full precision. */
  readonly smallestNormal: number;
  /** The same as `smallestNormal`. */
  readonly tiny: number;
  /** `10 ** -digits`, where so many decimal digits are exact. */
  readonly resolution: number;
  /** The dtype of one number. */
  readonly dtype: DType;
}

/** The limits of an integer dtype. */
export interface IntegerInfo {
  /** Bits of a number. */
  readonly bits: number;
  /** The largest number, as a bigint from 64 bits on. */
  readonly max: number | bigint;
  /** The smallest number, as a bigint from 64 bits on. */
  readonly min: number | bigint;
  readonly dtype: DType;
}

/** Bits of the fraction, the exponents of the largest number's bound and of `tiny`, digits. */
const FLOATS: Readonly<
  Partial<Record<DType, readonly [fraction: number, top: number, tiny: number, digits: number]>>
> = {
  float64: [52, 1024, -1022, 15],
  float32: [23, 128, -126, 6],
  float16: [10, 16, -14, 3],
  bfloat16: [7, 128, -126, 2],
  float8_e5m2: [2, 16, -14, 0],
  float8_e5m2fnuz: [2, 16, -15, 0],
  float8_e4m3fnuz: [3, 8, -7, 0],
};

/** Parts of complex numbers. */
const PARTS: Readonly<Partial<Record<DType, DType>>> = {
  complex32: "float16",
  complex64: "float32",
  complex128: "float64",
};

/**
 * `torch.finfo(dtype)`.
 * @throws SconceError `TORCH_ARGUMENT` for a dtype without floats
 */
export function finfo(dtype: DType = "float32"): FloatInfo {
  const part = PARTS[dtype] ?? dtype;
  // The all-ones pattern of this dtype is NaN, so its largest fraction is one less.
  const isE4m3 = part === "float8_e4m3fn";
  const limits = isE4m3 ? ([3, 9, -6, 0] as const) : FLOATS[part];
  if (limits === undefined)
    throw invalidArgument(
      "torch.finfo",
      `${String(dtype)} is not a float dtype`,
      "use torch.iinfo for integers",
    );
  const [fraction, top, tiny, digits] = limits;
  const max = isE4m3 ? 448 : (2 - 2 ** -fraction) * 2 ** (top - 1);
  const smallest = 2 ** tiny;
  return Object.freeze({
    bits: dtypeInfo(part).itemSize * 8,
    eps: part === "float8_e5m2fnuz" ? 0.125 : 2 ** -fraction,
    // Both are whole numbers, or past 2^53.
    max: float(max) as FloatLiteral,
    min: float(-max) as FloatLiteral,
    smallestNormal: smallest,
    tiny: smallest,
    resolution: Number(`1e-${digits}`),
    dtype: part,
  });
}

/**
 * `torch.iinfo(dtype)`.
 * @throws SconceError `TORCH_ARGUMENT` for a dtype without integers
 */
export function iinfo(dtype: DType): IntegerInfo {
  if (!isDType(dtype) || dtype === "bool" || !isIntegralDType(dtype))
    throw invalidArgument(
      "torch.iinfo",
      `${String(dtype)} is not an integer dtype`,
      "use torch.finfo for floats",
    );
  const { itemSize, signed } = dtypeInfo(dtype);
  const bits = itemSize * 8;
  const count = 2n ** BigInt(bits);
  const exact = (value: bigint): number | bigint => (bits < 64 ? Number(value) : value);
  return Object.freeze({
    bits,
    max: exact(signed ? count / 2n - 1n : count - 1n),
    min: exact(signed ? -count / 2n : 0n),
    dtype,
  });
}
