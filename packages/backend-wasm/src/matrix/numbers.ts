/** @file The numbers of products: what they are computed in, and what their factors hold. */

/** What sums are computed in. */
export interface Numbers {
  readonly type: "float32" | "float64";
  /** Bytes of a number in panels and tiles. */
  readonly bytes: number;
  /** Columns of a tile: two vectors. */
  readonly columns: number;
  /** The vector instructions. */
  readonly shape: "f32x4" | "f64x2";
}
export const FLOAT32: Numbers = { type: "float32", bytes: 4, columns: 8, shape: "f32x4" };
export const FLOAT64: Numbers = { type: "float64", bytes: 8, columns: 4, shape: "f64x2" };

/** What a factor has in memory. Halves are converted as they are packed. */
export type FactorType = "float32" | "float64" | "float16" | "bfloat16";
const FACTOR_BYTES: Readonly<Record<FactorType, number>> = {
  float32: 4,
  float64: 8,
  float16: 2,
  bfloat16: 2,
};
export const bytesOfFactor = (type: FactorType): number => FACTOR_BYTES[type];
