/**
 * @file What a generated program's values are known to be like. It keeps programs numerically tame:
 * no overflow, no division by almost nothing, and no jump (`floor`, `argmax`, a comparison) on a
 * value that rounding could move across.
 */
import { type DType, dtypeInfo } from "@sconce/tensor";

export interface Facts {
  /** No element is larger in absolute value. */
  bound: number;
  /**
   * How far rounding may move an element, roughly: what two correct ways to compute it may differ
   * by.
   */
  noise: number;
  /** Whether every correct way to compute it gives the same bits. */
  exact: boolean;
  /** Whose storage it is: constants must not be written to. */
  readonly home: "fresh" | "input" | "buffer" | "constant";
}

const MAX_BOUND = 1e4;
/** Noise past this would hide real differences. */
const MAX_NOISE = 0.05;

const EPSILON: Readonly<Partial<Record<DType, number>>> = {
  float64: 2.3e-16,
  float32: 1.2e-7,
  float16: 1e-3,
  bfloat16: 8e-3,
};

/** Spacing of the dtype's numbers near 1; 0 for integers. */
export const epsilon = (dtype: DType): number => EPSILON[dtype] ?? 0;

export const exactly = (bound: number): Facts => ({ bound, noise: 0, exact: true, home: "fresh" });

/** Returns a value that was computed with rounding. */
export const rounded = (bound: number, noise: number, dtype: DType): Facts => ({
  bound,
  noise: noise + 4 * epsilon(dtype) * Math.max(bound, 1e-3),
  exact: false,
  home: "fresh",
});

export function withinLimits({ bound, noise }: Facts, dtype: DType): boolean {
  const limit = dtypeInfo(dtype).kind === "float" && dtypeInfo(dtype).itemSize === 2 ? 1e3 : MAX_BOUND;
  return bound <= limit && noise <= MAX_NOISE;
}
