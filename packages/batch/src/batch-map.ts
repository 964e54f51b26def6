/** @file What a module of `--map` exports. */
import type { Tensor } from "@sconce/tensor";

/**
 * A column: a tensor whose dimension 0 counts rows, or one value a row. Values are what the file
 * holds: numbers, bigints, texts, booleans, nested arrays of these, objects of JSON.
 */
export type Column = Tensor | readonly unknown[];

/** Columns by name. All have the same number of rows. */
export type Columns = Readonly<Record<string, Column>>;

/** Where the rows of a call lie. */
export interface RowPlace {
  /** The file of the shard, as the run names it. */
  readonly shard: string;
  /** The position of the first row in the shard; rows count from 0. */
  readonly firstRow: number;
  /** The number of rows. */
  readonly rows: number;
}

/**
 * Functions that run before and after the program, on a batch of rows each. Both must be pure: the
 * same rows give the same columns, and rows do not depend on each other. When one throws, it is
 * called again for single rows, to name the row.
 */
export interface BatchMap {
  /**
   * Returns columns with the names of the program's inputs, as many rows as it gets. An input that
   * is not along the batch dimension is returned as a tensor of its whole shape.
   */
  readonly before?: (columns: Columns, place: RowPlace) => Columns | Promise<Columns>;
  /**
   * Returns the columns to write, as many rows as it gets. `outputs` are `o0`, `o1`, ... in the
   * program's order, `columns` those of the shard.
   */
  readonly after?: (
    outputs: Readonly<Record<string, Tensor>>,
    columns: Columns,
    place: RowPlace,
  ) => Columns | Promise<Columns>;
}

/**
 * Returns its argument: a module of `--map` has its types checked so.
 *
 * @example
 * export default defineBatchMap({
 *   after: ({ o0 }, { id }) => ({ id: id!, score: o0! }),
 * });
 */
export const defineBatchMap = (map: BatchMap): BatchMap => map;
