/**
 * @file Sizes and scales of resizing, as `UpSample.h` and PyTorch's decompositions compute them.
 */
import { type FakeTensor, type IntLike, type SymScalar, symFloat } from "@sconce/ir";
import type { SymEnv } from "@sconce/symbolic";
import { floatConstant, floatTrueDiv, intTrueDiv, mul, sub, toFloat, truncToInt } from "@sconce/symbolic";
import type { Emit } from "../rows/emit.js";
import { invalidArgument, shapeMismatch } from "../rows/errors.js";
import { isEqual } from "./comparison.js";
import { describeSizes } from "./describe.js";
import { fakeInFormatOf } from "./memory-format.js";
import { sizeMath } from "./size-math.js";

/** A factor of coordinates: a Python float, symbolic when a size is. */
export type Factor = number | SymScalar;

function checkSizeOrScale(
  input: FakeTensor,
  size: readonly IntLike[] | null,
  scales: readonly number[] | null,
): readonly IntLike[] {
  const spatial = input.shape.slice(2);
  if ((size === null) === (scales === null)) {
    throw invalidArgument("Must specify exactly one of output_size and scale_factors");
  }
  const given = (size ?? scales)!.length;
  if (given !== spatial.length) {
    throw shapeMismatch(`It is expected output_size equals to ${spatial.length}, but got size ${given}`);
  }
  return spatial;
}

/** Returns the output size: given, or the input's multiplied; symbolic products become nodes. */
export function resizedSize(
  emit: Emit,
  input: FakeTensor,
  size: readonly IntLike[] | null,
  scales: readonly number[] | null,
): readonly IntLike[] {
  const spatial = checkSizeOrScale(input, size, scales);
  if (size !== null) return size;
  return spatial.map((length, i) => {
    const scale = scales![i]!;
    return Number.isInteger(scale) ? sizeMath(emit, "mul", length, scale) : truncated(length, scale);
  });
}

const truncated = (length: IntLike, scale: number): IntLike =>
  typeof length === "number" ? Math.trunc(length * scale) : truncToInt(mul(toFloat(length), scale));

/** Returns the fake result of resizing by size or by scale. */
export function resizedBy(
  env: SymEnv,
  input: FakeTensor,
  size: readonly IntLike[] | null,
  scales: readonly number[] | null,
): FakeTensor {
  const spatial = checkSizeOrScale(input, size, scales);
  const sizes =
    size ??
    spatial.map((length, i) => {
      const scale = scales![i]!;
      return Number.isInteger(scale) ? mul(length, scale) : truncated(length, scale);
    });
  return resizedTo(env, input, sizes);
}

/** Returns the fake result of resizing to a size: batch, channels and memory format stay. */
export function resizedTo(env: SymEnv, input: FakeTensor, size: readonly IntLike[]): FakeTensor {
  if (input.ndim !== size.length + 2) {
    throw shapeMismatch(`It is expected input_size equals to ${size.length + 2}, but got size ${input.ndim}`);
  }
  const all = [...input.shape.slice(1), ...size];
  if (all.some((length) => isEqual(env, length, 0) || (typeof length === "number" && length < 0))) {
    throw shapeMismatch(
      `Input and output sizes should be greater than 0, but got input size ${describeSizes(input.shape)} and ` +
        `output size ${describeSizes(size)}`,
    );
  }
  return fakeInFormatOf(input, [...input.shape.slice(0, 2), ...size], env);
}

/** Input positions per output position, for nearest neighbors. */
export function nearestScale(input: IntLike, output: IntLike, scale: number | null): Factor {
  const scaled = scale !== null && scale > 0;
  if (typeof input === "number" && typeof output === "number") {
    return scaled ? input / (input * scale) : input / output;
  }
  if (!scaled) return symFloat(intTrueDiv(input, output));
  return symFloat(floatTrueDiv(toFloat(input), mul(toFloat(input), scale)));
}

/**
 * Input positions per output position, for interpolation; undefined for a single output position
 * with aligned corners, where Python has an integer.
 */
export function interpolationScale(
  input: IntLike,
  output: IntLike,
  alignCorners: boolean,
  scale: number | null,
): Factor | undefined {
  if (alignCorners) {
    if (output === 1) return undefined;
    if (typeof input === "number" && typeof output === "number") return (input - 1) / (output - 1);
    const last = (size: IntLike): IntLike =>
      typeof size === "number" ? size - 1 : sub(toFloat(size), floatConstant(1));
    return symFloat(floatTrueDiv(last(input), last(output)));
  }
  if (scale !== null && scale > 0) return 1 / scale;
  return typeof input === "number" && typeof output === "number"
    ? input / output
    : symFloat(intTrueDiv(input, output));
}
