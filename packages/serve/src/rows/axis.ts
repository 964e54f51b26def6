/** @file Which dimension of a value holds the rows of the requests. */
import type { FakeTensor } from "@sconce/ir";
import { freeSymbols, type IntLike, mul, mulAll, sameSize, substitute } from "@sconce/symbolic";

/**
 * The dimension of a tensor along which its slices belong to rows: it has `rows * inner` elements,
 * and the slice `i` is computed from row `floor(i / inner)` alone. A tensor without an axis does
 * not depend on the requests.
 */
export interface Axis {
  /** The dimension, from 0. */
  readonly dim: number;
  /** Slices for each row: 8 where a row's 8 heads were joined to the dimension of the rows. */
  readonly inner: IntLike;
}

/** The symbol that counts the rows of a call. */
export interface RowCount {
  /** As ranges and texts name it: `s77`. */
  readonly name: string;
  /** The symbol itself. */
  readonly size: IntLike;
}

/** A tensor of the graph, as rules see it. */
export interface Tracked {
  /** Sizes, symbolic where they are dynamic. */
  readonly shape: readonly IntLike[];
  /** The element type; `bindArgs` recognizes tensors by it. */
  readonly dtype: string;
  /** Where the rows are; undefined for a value that is the same for all requests. */
  readonly axis: Axis | undefined;
}

/** Thrown where a rule cannot prove that rows stay separate. Callers report its reason. */
export class RowsMixed {
  readonly reason: string;

  constructor(reason: string) {
    this.reason = reason;
  }
}

/** Stops the proof. */
export function mixed(reason: string): never {
  throw new RowsMixed(reason);
}

/** Returns whether a size depends on the number of rows. */
export const hasRows = (size: unknown, { name }: RowCount): boolean =>
  typeof size === "object" && size !== null && freeSymbols(size as IntLike).has(name);

/**
 * Returns the slices for each row of a dimension of this size; undefined where they are not whole.
 */
export function innerOf(size: IntLike, rows: RowCount): IntLike | undefined {
  const inner = substitute(size, new Map([[rows.name, 1]])) as IntLike;
  return sameSize(mul(rows.size, inner), size) ? inner : undefined;
}

/** Returns the product of sizes. */
export const product = (sizes: readonly IntLike[]): IntLike => mulAll([...sizes]);

/**
 * Checks that the sizes of a result agree with its axis: only that dimension depends on the number
 * of rows.
 */
export function requireSizes(
  { shape }: Pick<FakeTensor, "shape">,
  axis: Axis | undefined,
  rows: RowCount,
): void {
  shape.forEach((size, d) => {
    if (d !== axis?.dim && hasRows(size, rows))
      mixed("another size than that of the rows depends on their number");
  });
  if (axis === undefined) return;
  const inner = axis.dim < shape.length ? innerOf(shape[axis.dim]!, rows) : undefined;
  if (inner === undefined || !sameSize(inner, axis.inner)) mixed("the number of rows changes");
}
