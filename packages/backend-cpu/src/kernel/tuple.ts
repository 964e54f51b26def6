/** A tuple of values of one type, as long as another. */
export type TupleOf<T extends readonly unknown[], U> = { -readonly [I in keyof T]: U };

/** `items.map(f)`, whose length the compiler knows. */
export const mapTuple = <const T extends readonly unknown[], U>(
  items: T,
  f: (item: T[number], index: number) => U,
): TupleOf<T, U> => items.map(f) as TupleOf<T, U>;
