/**
 * @file The order in which PyTorch's kernels visit the elements of a reduction, which strides
 * decide (`TensorIterator.cpp`).
 */
import { numel, type Tensor } from "@sconce/tensor";
import { type Rows, reducedDims } from "./reduction-rows.js";

/** Dimensions that are reduced; all of them for null. */
export type Dims = readonly number[] | number | null;

/** A dimension of both tensors; the output has no stride where it is reduced. */
export interface Axis {
  size: number;
  /** Strides in elements, of the input and the output. */
  from: number;
  to: number;
}

const NO_AXIS: Axis = { size: 1, from: 0, to: 0 };

/** Dimensions of a reduction as PyTorch iterates over them, the innermost first. */
export const reductionAxes = (self: Tensor, dims: Dims): Axis[] => joined(sorted(axesOf(self, dims)));

/** Visits the planes of the two innermost dimensions, with their first element and result. */
export function forPlanes(
  self: Tensor,
  dims: Dims,
  plane: (inner: Axis, outer: Axis, from: number, to: number) => void,
): void {
  const [inner = NO_AXIS, outer = NO_AXIS, ...others] = reductionAxes(self, dims);
  const visit = (level: number, from: number, to: number): void => {
    if (level < 0) {
      plane(inner, outer, from, to);
      return;
    }
    const axis = others[level]!;
    for (let i = 0; i < axis.size; i++) visit(level - 1, from + i * axis.from, to + i * axis.to);
  };
  visit(others.length - 1, self.storageOffset, 0);
}

/** As `rowsOf`, with the elements of a row in the order in which PyTorch visits them. */
export function rowsInOrder(self: Tensor, dims: Dims): Rows {
  const axes = axesOf(self, dims);
  const kept = axes.filter(({ to }) => to !== 0).reverse();
  const order = [...kept, ...sorted(axes.filter(({ to }) => to === 0)).reverse()];
  const tensor = self.asStrided(
    order.map(({ size }) => size),
    order.map(({ from }) => from),
  );
  const count = numel(kept.map(({ size }) => size));
  return { tensor, count, length: numel(tensor.shape.slice(kept.length)) };
}

/** Returns the dimensions, the last one first. */
function axesOf({ shape, strides, ndim }: Tensor, dims: Dims): Axis[] {
  const reduced = new Set(reducedDims(ndim, dims));
  const axes: Axis[] = [];
  let step = 1;
  for (let d = ndim - 1; d >= 0; d--) {
    const size = shape[d]!;
    axes.push({ size, from: strides[d]!, to: reduced.has(d) ? 0 : step });
    if (!reduced.has(d)) step *= size;
  }
  return axes;
}

/**
 * Reduced dimensions first, then by strides, as `reorder_dimensions` of `TensorIterator.cpp` does
 * it: comparisons may be ambiguous, so the kind of sort matters.
 */
function sorted(axes: Axis[]): Axis[] {
  for (let i = 1; i < axes.length; i++) {
    let at = i;
    for (let before = i - 1; before >= 0; before--) {
      const order = comparison(axes[before]!, axes[at]!);
      if (order < 0) break;
      if (order === 0) continue;
      [axes[before], axes[at]] = [axes[at]!, axes[before]!];
      at = before;
    }
  }
  return axes;
}

function comparison(a: Axis, b: Axis): number {
  if ((a.to === 0) !== (b.to === 0)) return b.to === 0 ? 1 : -1;
  for (const key of ["to", "from"] as const) {
    if (a[key] === 0 || b[key] === 0) continue;
    if (a[key] !== b[key]) return a[key] < b[key] ? -1 : 1;
    if (a.size > b.size) return 1;
  }
  return 0;
}

/** Dimensions that follow each other in both tensors, as one (`coalesce_dimensions`). */
function joined(axes: readonly Axis[]): Axis[] {
  const out: Axis[] = [];
  for (const axis of axes) {
    const last = out.at(-1);
    const isNext =
      last !== undefined &&
      (last.size === 1 ||
        axis.size === 1 ||
        (last.size * last.from === axis.from && last.size * last.to === axis.to));
    if (!isNext) out.push({ ...axis });
    else if (last.size === 1) Object.assign(last, axis);
    else last.size *= axis.size;
  }
  return out;
}
