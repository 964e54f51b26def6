/** Product of sizes; 1 for a scalar. */
export function numel(shape: readonly number[]): number {
  let n = 1;
  for (const size of shape) n *= size;
  return n;
}

/** Returns a dimension counted from the front; one of a scalar counts as of one dimension. */
export const wrapDimension = (dim: number, ndim: number): number => (dim < 0 ? dim + Math.max(ndim, 1) : dim);

/** Returns whether a value is a size of a dimension: a whole number from 0 on. */
export const isSize = (value: unknown): value is number =>
  Number.isSafeInteger(value) && (value as number) >= 0;

/** Returns the index of the element with this ordinal number in logical (row-major) order. */
export function indexOf(ordinal: number, shape: readonly number[]): number[] {
  const index = new Array<number>(shape.length);
  for (let d = shape.length - 1, rest = ordinal; d >= 0; d--) {
    index[d] = rest % shape[d]!;
    rest = Math.floor(rest / shape[d]!);
  }
  return index;
}

/** Row-major strides in elements; a size of 0 counts as 1, as PyTorch does. */
export function contiguousStrides(shape: readonly number[]): number[] {
  const strides = new Array<number>(shape.length);
  let step = 1;
  for (let d = shape.length - 1; d >= 0; d--) {
    strides[d] = step;
    step *= Math.max(shape[d]!, 1);
  }
  return strides;
}

/**
 * Row-major contiguity; strides of dimensions of size 1 do not matter, an empty tensor is
 * contiguous.
 */
export function isContiguous(shape: readonly number[], strides: readonly number[]): boolean {
  let step = 1;
  for (let d = shape.length - 1; d >= 0; d--) {
    const size = shape[d]!;
    if (size === 0) return true;
    if (size === 1) continue;
    if (strides[d] !== step) return numel(shape) === 0;
    step *= size;
  }
  return true;
}

/**
 * Bytes that a storage needs for a view: from its start to the end of the last element that the
 * view reaches; 0 for an empty view. Sizes and strides are not negative. Past 2^53 the result is
 * rounded but never too small to compare.
 */
export function requiredBytes(
  shape: readonly number[],
  strides: readonly number[],
  offset: number,
  itemSize: number,
): number {
  let last = offset;
  for (let d = 0; d < shape.length; d++) {
    if (shape[d] === 0) return 0;
    last += (shape[d]! - 1) * strides[d]!;
  }
  return (last + 1) * itemSize;
}

/**
 * Calls `visit` with the storage position of each element in logical (row-major) order, and its
 * ordinal number.
 */
export function forEachPosition(
  shape: readonly number[],
  strides: readonly number[],
  offset: number,
  visit: (position: number, ordinal: number) => void,
): void {
  const total = numel(shape);
  if (total === 0) return;
  const inner = shape.length - 1;
  const innerSize = inner < 0 ? 1 : shape[inner]!;
  const innerStride = inner < 0 ? 0 : strides[inner]!;
  const index = new Array<number>(Math.max(inner, 0)).fill(0);
  let row = offset;
  for (let ordinal = 0; ordinal < total; ) {
    for (let i = 0, position = row; i < innerSize; i++, position += innerStride) visit(position, ordinal++);
    for (let d = inner - 1; d >= 0; d--) {
      row += strides[d]!;
      if (++index[d]! < shape[d]!) break;
      row -= strides[d]! * shape[d]!;
      index[d] = 0;
    }
  }
}
