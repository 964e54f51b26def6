/** @file Output sizes of pooling windows. */
import type { FakeTensor, IntLike } from "@sconce/ir";
import { add, and, floorDiv, ge, gt, mul, ne, type SymEnv, sub } from "@sconce/symbolic";
import { invalidArgument, shapeMismatch } from "../rows/errors.js";
import { check, mayBeBelow } from "./comparison.js";
import { describeSizes } from "./describe.js";
import { suggestMemoryFormat } from "./memory-format.js";

/** A pooling window as operators take it: lists of one value or of one per spatial dimension. */
export interface Window {
  readonly kernel_size: readonly IntLike[];
  /** Empty: the kernel size. */
  readonly stride: readonly IntLike[];
  readonly padding: readonly IntLike[];
  readonly dilation?: readonly IntLike[];
  readonly ceil_mode: boolean;
}

/** The window's values for one spatial dimension. */
interface Axis {
  readonly kernel: number;
  readonly stride: number;
  readonly padding: number;
  readonly dilation: number;
}

function axesOf(name: string, window: Window, spatial: number): readonly Axis[] {
  const { kernel_size, padding, dilation = [1] } = window;
  const stride = window.stride.length === 0 ? kernel_size : window.stride;
  for (const [what, list] of Object.entries({ kernel_size, stride, padding, dilation })) {
    if (list.length !== 1 && list.length !== spatial) {
      throw invalidArgument(`${name}: ${what} must either be a single int, or a tuple of ${spatial} ints`);
    }
  }
  const at = (list: readonly IntLike[], i: number): number => Number(list.length === 1 ? list[0] : list[i]);
  return Array.from({ length: spatial }, (_, i) => ({
    kernel: at(kernel_size, i),
    stride: at(stride, i),
    padding: at(padding, i),
    dilation: at(dilation, i),
  }));
}

function checkAxis(name: string, { kernel, stride, padding, dilation }: Axis): void {
  if (kernel <= 0)
    throw invalidArgument(`${name}: kernel size should be greater than zero, but got ${kernel}`);
  if (stride <= 0) throw invalidArgument(`${name}: stride should be greater than zero, but got ${stride}`);
  if (dilation <= 0)
    throw invalidArgument(`${name}: dilation should be greater than zero, but got ${dilation}`);
  if (padding < 0) throw invalidArgument(`${name}: pad must be non-negative, but got pad: ${padding}`);
  if (padding > Math.floor(kernel / 2)) {
    throw invalidArgument(
      `${name}: pad should be at most half of effective kernel size, but got pad=${padding}, kernel_size=${kernel} ` +
        `and dilation=${dilation}`,
    );
  }
}

/**
 * Sizes of the pooled tensor, leading dimensions included.
 *
 * @throws SconceError `SHAPE_MISMATCH`, `INVALID_ARGUMENT`
 */
export function pooledShape(
  name: string,
  input: FakeTensor,
  window: Window,
  spatial: number,
  env: SymEnv,
): readonly IntLike[] {
  const { shape, ndim } = input;
  if (ndim !== spatial + 1 && ndim !== spatial + 2) {
    throw shapeMismatch(
      `${name}: Expected ${spatial + 1}D or ${spatial + 2}D (batch mode) tensor with optional 0 dim batch size ` +
        `for input, but got: ${describeSizes(shape)}`,
    );
  }
  // PyTorch finds out about the memory format before the sizes.
  if (spatial === 2) suggestMemoryFormat(input, env);
  const lead = ndim - spatial;
  const noElements = (): Error =>
    shapeMismatch(`${name}: Expected input to have non-zero size, but got: ${describeSizes(shape)}`);
  const counted = ndim === spatial + 1 ? shape : shape.slice(1);
  if (spatial === 3) for (const size of counted) check(env, gt(size, 0), noElements);
  else check(env, and(...counted.map((size) => ne(size, 0))), noElements);
  const sizes = axesOf(name, window, spatial).map((axis, i) => {
    checkAxis(name, axis);
    return pooledSize(shape[lead + i]!, axis, window.ceil_mode, env);
  });
  const tooSmall = (): Error =>
    shapeMismatch(
      `${name}: Given input size: ${describeSizes(shape)}. Calculated output size: ${describeSizes(sizes)}. ` +
        "Output size is too small",
    );
  check(env, and(...sizes.toReversed().map((size) => ge(size, 1))), tooSmall);
  return [...shape.slice(0, lead), ...sizes];
}

function pooledSize(size: IntLike, axis: Axis, ceilMode: boolean, env: SymEnv): IntLike {
  const { kernel, stride, padding, dilation } = axis;
  const extra = 2 * padding - dilation * (kernel - 1) - 1 + (ceilMode ? stride - 1 : 0);
  const out = add(floorDiv(add(size, extra), stride), 1);
  if (!ceilMode) return out;
  // The last window has to start inside of the input or its left padding.
  const start = mul(sub(out, 1), stride);
  return mayBeBelow(env, start, add(size, padding)) ? out : sub(out, 1);
}
