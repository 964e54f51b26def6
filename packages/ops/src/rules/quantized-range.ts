/** @file The levels that dtypes of quantized tensors have. */
import type { IntLike } from "@sconce/ir";
import type { DType } from "@sconce/tensor";
import { dtypeMismatch, invalidArgument } from "../rows/errors.js";

const BOUNDS: Partial<Record<DType, readonly [number, number]>> = {
  uint8: [0, 255],
  int8: [-128, 127],
  uint16: [0, 65535],
  int16: [-32768, 32767],
  int32: [-(2 ** 31), 2 ** 31 - 1],
  float8_e4m3fn: [-448, 448],
  float8_e5m2: [-57344, 57344],
};

/** Returns whether PyTorch's passes quantize to a dtype. */
export const isQuantizedDType = (dtype: DType): boolean => BOUNDS[dtype] !== undefined;

/**
 * Refuses levels that a dtype cannot hold.
 *
 * @throws SconceError `DTYPE_MISMATCH`, `INVALID_ARGUMENT`
 */
export function checkQuantizedRange(min: IntLike, max: IntLike, dtype: DType): void {
  const bounds = BOUNDS[dtype];
  if (bounds === undefined) throw dtypeMismatch(`Unsupported dtype: ${dtype}`);
  if (typeof min === "number" && min < bounds[0]) {
    throw invalidArgument(
      `quant_min out of bounds for dtype, quant_min_lower_bound: ${bounds[0]} quant_min: ${min}`,
    );
  }
  if (typeof max === "number" && max > bounds[1]) {
    throw invalidArgument(
      `quant_max out of bounds for dtype, quant_max_upper_bound: ${bounds[1]} quant_max: ${max}`,
    );
  }
}
