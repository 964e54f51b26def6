/** @file Results of elementwise operators, with the strides that TensorIterator gives them. */
import { FakeTensor, type IntLike } from "@sconce/ir";
import { eq, ge, mod, type SymEnv } from "@sconce/symbolic";
import type { DType } from "@sconce/tensor";
import type { MetaContext } from "../rows/define-op.js";
import { broadcastOperands, broadcastShapes, stridesEqual } from "./dims.js";
import {
  contiguousStridesOf,
  equalSizes,
  fake,
  isChannelsLast,
  isContiguousFake,
  isNonOverlappingAndDense,
  isRowMajor,
  memoryFormatStrides,
  sameAs,
  stridesInOrder,
} from "./fake.js";
import { type Operand, promoteOperands } from "./promote.js";

export interface ElementwiseOptions {
  /** The promoted dtype of the operands when left out. */
  readonly dtype?: DType | undefined;
  /**
   * Whether PyTorch computes the sizes of its results in its fast way, which compares the operands
   * in order.
   */
  readonly isFast?: boolean;
  /**
   * Whether the layout follows the operands from the last on, as where a decomposition of PyTorch
   * ends with a choice by the last one.
   */
  readonly isLastFirst?: boolean;
}

/**
 * Returns the fresh result of an elementwise operator over these operands: broadcast shape,
 * promoted dtype, layout kept from the operands as TensorIterator does.
 *
 * @throws SconceError `SHAPE_MISMATCH`, `PROMOTION`
 */
export function elementwise(
  context: MetaContext,
  operands: readonly Operand[],
  options?: ElementwiseOptions,
): FakeTensor {
  const tensors = operands.filter((operand) => operand instanceof FakeTensor);
  const numbers = tensors.length < operands.length;
  const { env } = context;
  const dtype = options?.dtype ?? promoteOperands(operands);
  const like = tensors.find((tensor) => tensor.ndim > 0) ?? tensors[0];
  const shape =
    tensors.length === 1
      ? tensors[0]!.shape
      : (options?.isFast === true && context.isInPlace !== true ? broadcastShapes : broadcastOperands)(
          env,
          ...tensors.map((t) => t.shape),
        );
  if (context.isInPlace !== true) askChannelsLast(env, shape, tensors);
  const ordered =
    options?.isLastFirst === true && context.isInPlace !== true ? tensors.toReversed() : tensors;
  return fake({ dtype, shape, strides: elementwiseStrides(env, shape, ordered, numbers), like });
}

/**
 * Records the guards by which PyTorch finds out that row-major images are not channels-last.
 * Computed sizes leave that open.
 */
export function askChannelsLast(
  env: SymEnv,
  shape: readonly IntLike[],
  operands: readonly FakeTensor[],
): void {
  if (shape.length !== 4 || !isSymbolicShape(shape)) return;
  const images = operands.filter(({ ndim }) => ndim > 0);
  if (images.every(isRowMajor)) images.every((image) => image.ndim === 4 && isChannelsLast(image, env));
}

/**
 * Returns the strides of an elementwise result of this shape; Python numbers among the operands
 * count as 0-d tensors.
 */
export function elementwiseStrides(
  env: SymEnv,
  shape: readonly IntLike[],
  operands: readonly FakeTensor[],
  withNumbers = false,
): readonly IntLike[] {
  if (shape.length < 2) return contiguousStridesOf(shape);
  const tensors = operands.filter((tensor) => tensor.ndim > 0);
  const first = tensors[0];
  if (first === undefined) return contiguousStridesOf(shape);
  // Row-major operands, broadcast or not, never reorder a result that has elements.
  if (!shape.includes(0) && tensors.every(isRowMajor)) {
    if (isSymbolicShape(shape)) return contiguousStridesOf(shape);
    const whole = tensors.find(
      (t) => t.shape === shape || (t.ndim === shape.length && t.shape.every((s, d) => sameAs(s, shape[d]!))),
    );
    return whole?.strides ?? contiguousStridesOf(shape);
  }
  const whole = (operands.length === tensors.length && !withNumbers) || isSymbolicShape(shape);
  if (whole && tensors.every((t) => t.shape === shape || sameSizes(t.shape, shape, env))) {
    const contiguous = tensors.every((t) => isContiguousFake(t, env));
    if (contiguous) return contiguousStridesOf(shape);
    if (tensors.every((t) => isChannelsLast(t, env))) {
      return memoryFormatStrides(shape, shape.length === 4 ? "channels_last" : "channels_last_3d");
    }
    // PyTorch compares the strides of several tensors of dynamic sizes only to sort dimensions.
    const comparesAll = tensors.length === 1 || !isSymbolicShape(shape);
    if (comparesAll && tensors.every((t) => t === first || stridesEqual(t.strides, first.strides, env))) {
      if (isNonOverlappingAndDense(first, env)) return first.strides;
    }
  }
  const order = memoryOrder(env, shape, tensors);
  if (order.every((dim, d) => dim === d)) return contiguousStridesOf(shape);
  return isSymbolicShape(shape)
    ? stridesInOrder(shape, order)
    : compatibleStrides(shape as readonly number[], order);
}

/** TensorIterator multiplies plain sizes here, so an empty dimension leaves strides of 0. */
function compatibleStrides(shape: readonly number[], order: readonly number[]): readonly number[] {
  const strides = new Array<number>(shape.length);
  let step = 1;
  for (let i = order.length - 1; i >= 0; i--) {
    strides[order[i]!] = step;
    step *= shape[order[i]!]!;
  }
  return strides;
}

const isSymbolicShape = (shape: readonly IntLike[]): boolean =>
  shape.some((size) => typeof size !== "number");

const sameSizes = (a: readonly IntLike[], b: readonly IntLike[], env: SymEnv): boolean =>
  a.length === b.length && a.every((size, d) => equalSizes(env, size, b[d]!));

/**
 * Dimensions from outermost to innermost: TensorIterator's insertion sort by the operands' strides.
 */
export function memoryOrder(
  env: SymEnv,
  shape: readonly IntLike[],
  operands: readonly FakeTensor[],
): number[] {
  const strides = operands.map((tensor) => broadcastStrides(env, tensor, shape));
  const order = shape.map((_, d) => shape.length - 1 - d);
  for (let i = 1; i < order.length; i++) {
    let at = i;
    for (let before = i - 1; before >= 0; before--) {
      const comparison = compareDims(env, shape, strides, order[before]!, order[at]!);
      if (comparison < 0) break;
      if (comparison > 0) {
        [order[before], order[at]] = [order[at]!, order[before]!];
        at = before;
      }
    }
  }
  return order.reverse();
}

/** Strides as the result's dimensions see them: 0 where the operand is broadcast. */
function broadcastStrides(env: SymEnv, tensor: FakeTensor, shape: readonly IntLike[]): readonly IntLike[] {
  const lead = shape.length - tensor.ndim;
  return shape.map((size, d) => {
    if (d < lead) return 0;
    const own = tensor.shape[d - lead]!;
    return equalSizes(env, own, 1) && !equalSizes(env, size, 1) ? 0 : tensor.strides[d - lead]!;
  });
}

/**
 * Positive if dimension `a` lies outside `b` although it comes first in the order, 0 if undecided.
 */
function compareDims(
  env: SymEnv,
  shape: readonly IntLike[],
  strides: readonly (readonly IntLike[])[],
  a: number,
  b: number,
): number {
  for (const stride of strides) {
    const strideA = stride[a]!;
    const strideB = stride[b]!;
    if (equalSizes(env, strideA, 0) || equalSizes(env, strideB, 0)) continue;
    if (equalSizes(env, strideA, strideB)) {
      if (atLeast(env, shape[b]!, shape[a]!)) continue;
      return 1;
    }
    if (atLeast(env, strideB, strideA)) return -1;
    if (atLeast(env, strideA, strideB)) return 1;
  }
  return 0;
}

/** `a >= b` for sizes and strides: a multiple counts as larger even when its sign is unknown. */
function atLeast(env: SymEnv, a: IntLike, b: IntLike): boolean {
  if (typeof a === "number" && typeof b === "number") return a >= b;
  if (equalSizes(env, b, 0)) return true;
  if (equalSizes(env, a, 0)) return false;
  return env.orFalse(ge(a, b)) || env.orFalse(eq(mod(a, b), 0));
}
