/** The first 16 places of a list or a container, which are read as `items[0]`. */
export type FirstItems<T> = {
  readonly [position in 0 | 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8 | 9 | 10 | 11 | 12 | 13 | 14 | 15]: T;
};

/**
 * A list whose first 16 items are typed without `undefined`: `x.shape[1]` and `const [a, b] =
 * x.chunk(2)` are numbers and tensors, also under `noUncheckedIndexedAccess`. Whether the list is
 * that long is not checked.
 */
export interface Items<T> extends ReadonlyArray<T>, FirstItems<T> {}
