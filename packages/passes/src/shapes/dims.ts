/** Returns a dimension counted from the front, of a tensor with `ndim` dimensions. */
export const positive = (dim: number, ndim: number): number => (dim < 0 ? dim + ndim : dim);
