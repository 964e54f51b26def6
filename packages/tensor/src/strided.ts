/**
 * @file Iteration over strided tensors. Nothing is allocated per element: a loop over several
 * tensors of one shape is cut into runs of constant steps, so contiguous (or equally permuted
 * dense) operands are one run.
 */
import { broadcastMismatch } from "./errors.js";
import { requireMemory } from "./storage.js";

/** Where a tensor's elements lie; a {@link Tensor} is one. */
export interface StridedView {
  /** Strides in elements, one for each dimension. */
  readonly strides: readonly number[];
  /** Where the first element lies, in elements. */
  readonly storageOffset: number;
}

/** One run: `count` elements from `offsets[k]` on, with stride `steps[k]`, for each operand `k`. */
export type RunBody = (offsets: readonly number[], steps: readonly number[], count: number) => void;

/**
 * Strides that read a tensor as the (larger) broadcast shape: stride 0 where it has size 1 or no
 * dimension.
 */
export function broadcastStrides(
  shape: readonly number[],
  strides: readonly number[],
  target: readonly number[],
): number[] {
  const lead = target.length - shape.length;
  return target.map((size, d) =>
    d < lead || (shape[d - lead] === 1 && size !== 1) ? 0 : strides[d - lead]!,
  );
}

/**
 * Returns the view of a tensor broadcast to a shape.
 *
 * @throws SconceError `SHAPE_MISMATCH` when the shape does not broadcast to the other: such a view
 * would have elements outside of the tensor
 */
export function broadcastView(
  tensor: StridedView & { readonly shape: readonly number[] },
  target: readonly number[],
): StridedView {
  if (!broadcastsTo(tensor.shape, target)) throw broadcastMismatch(tensor.shape, target);
  return {
    strides: broadcastStrides(tensor.shape, tensor.strides, target),
    storageOffset: tensor.storageOffset,
  };
}

/** Returns whether a tensor of a shape can be read as one of another. */
export function broadcastsTo(shape: readonly number[], target: readonly number[]): boolean {
  const lead = target.length - shape.length;
  if (lead < 0) return false;
  for (let d = 0; d < shape.length; d++) if (shape[d] !== 1 && shape[d] !== target[d + lead]) return false;
  return true;
}

/**
 * Calls `body` for each run of elements. Elements are visited in an order that suits the first
 * view's memory; use {@link eachRunInOrder} where the logical order matters.
 */
export function eachRun(shape: readonly number[], views: readonly StridedView[], body: RunBody): void {
  runLoop(shape, views, memoryOrder(shape, views), body);
}

/** As {@link eachRun}, in logical row-major order. */
export function eachRunInOrder(shape: readonly number[], views: readonly StridedView[], body: RunBody): void {
  runLoop(
    shape,
    views,
    shape.map((_, d) => d),
    body,
  );
}

/** Dimensions by falling stride of the first view in which their strides differ. */
export function memoryOrder(shape: readonly number[], views: readonly StridedView[]): number[] {
  const order = shape.map((_, d) => d);
  const compare = (a: number, b: number): number => {
    for (const { strides } of views) {
      const difference = strides[b]! - strides[a]!;
      if (difference !== 0 && strides[a] !== 0 && strides[b] !== 0) return difference;
    }
    return a - b;
  };
  for (let i = 1; i < order.length; i++) {
    for (let j = i; j > 0 && compare(order[j - 1]!, order[j]!) > 0; j--) {
      [order[j - 1], order[j]] = [order[j]!, order[j - 1]!];
    }
  }
  return order;
}

function runLoop(
  shape: readonly number[],
  views: readonly StridedView[],
  order: readonly number[],
  body: RunBody,
): void {
  const sizes: number[] = [];
  const steps: number[][] = [];
  for (const d of order) {
    const size = shape[d]!;
    if (size === 0) return;
    if (size === 1) continue;
    const step = views.map((view) => view.strides[d]!);
    const last = steps.length - 1;
    if (last >= 0 && step.every((s, k) => steps[last]![k] === s * size)) {
      sizes[last]! *= size;
      steps[last] = step;
    } else {
      sizes.push(size);
      steps.push(step);
    }
  }
  const offsets = views.map((view) => view.storageOffset);
  const count = sizes.pop() ?? 1;
  const inner = steps.pop() ?? views.map(() => 0);
  if (sizes.length === 0) body(offsets, inner, count);
  else outerLoop(sizes, steps, offsets, () => body(offsets, inner, count));
}

function outerLoop(
  sizes: readonly number[],
  steps: readonly (readonly number[])[],
  offsets: number[],
  body: () => void,
): void {
  const index = sizes.map(() => 0);
  const operands = offsets.length;
  for (;;) {
    body();
    let d = sizes.length - 1;
    for (; d >= 0; d--) {
      const step = steps[d]!;
      if (++index[d]! < sizes[d]!) {
        for (let k = 0; k < operands; k++) offsets[k]! += step[k]!;
        break;
      }
      index[d] = 0;
      for (let k = 0; k < operands; k++) offsets[k]! -= step[k]! * (sizes[d]! - 1);
    }
    if (d < 0) return;
  }
}

/**
 * Storage positions of all elements in row-major order, for kernels that address single elements.
 */
export function positionsOf(shape: readonly number[], view: StridedView): Int32Array {
  let total = 1;
  for (const size of shape) total *= size;
  requireMemory(total * Int32Array.BYTES_PER_ELEMENT);
  const positions = new Int32Array(total);
  let at = 0;
  eachRunInOrder(shape, [view], ([offset], [step], count) => {
    for (let i = 0, p = offset!; i < count; i++, p += step!) positions[at++] = p;
  });
  return positions;
}
