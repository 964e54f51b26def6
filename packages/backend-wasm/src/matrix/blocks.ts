/** @file How a product is divided into blocks, and where they lie in scratch memory. */
import { elementsOf, fixedValue } from "@sconce/codegen";
import { rowsOfTile } from "./micro.js";
import { bytesOfFactor } from "./numbers.js";
import { paddedBytes } from "./pad-code.js";
import { countOf, type MatrixPlan, type Operand } from "./product-plan.js";

/** Steps of a sum that one pass over a block adds: a panel of B then stays in the nearest cache. */
const MOST_STEPS = 384;
/** Rows and columns of a block: its packed operands stay in the second cache. */
const BLOCK_ROWS = 128;
const BLOCK_COLUMNS = 128;

/** Sizes of blocks, and places in the scratch memory of a thread, in bytes. */
export interface Blocks {
  /** Rows of a tile. */
  readonly lanes: number;
  readonly rows: number;
  readonly columns: number;
  readonly steps: number;
  readonly rowBlocks: number;
  readonly columnBlocks: number;
  readonly stepBlocks: number;
  readonly places: number;
  readonly scratch: {
    readonly tableA: number;
    readonly tableB: number;
    readonly paddedA: number;
    readonly paddedB: number;
    readonly packedA: number;
    readonly packedB: number;
    readonly tile: number;
    /** Where the tile is, for what is computed from it. */
    readonly at: number;
    readonly bytes: number;
  };
}

const roundUp = (value: number, to: number): number => Math.ceil(value / to) * to;
/** Parts of at most so many, as equal as multiples allow. */
const even = (count: number, most: number, multiple: number): number =>
  roundUp(Math.ceil(count / Math.ceil(count / most)), multiple);

/** Units from which it does not matter how many there are. */
const MANY = 16;
/** Products that are worth a unit, and the least rows and columns of one. */
const WORTH = 1e6;
const LEAST_ROWS = 48;
const LEAST_COLUMNS = 32;

/** Rows and columns of a block: of as many blocks as threads share evenly, if there are few. */
function sizesOf({ m, n, k, outer, numbers }: MatrixPlan, lanes: number): { rows: number; columns: number } {
  const [rowBlocks, columnBlocks] = [Math.ceil(m / BLOCK_ROWS), Math.ceil(n / BLOCK_COLUMNS)];
  const places = countOf(outer);
  const worth = (places * m * n * k) / WORTH;
  const multiple = worth >= 8 ? 4 : worth >= 2 ? 2 : 1;
  let least = MANY;
  let best = { rows: even(m, BLOCK_ROWS, lanes), columns: even(n, BLOCK_COLUMNS, numbers.columns) };
  for (let r = rowBlocks; r === rowBlocks || m / r >= LEAST_ROWS; r++)
    for (let c = columnBlocks; c === columnBlocks || n / c >= LEAST_COLUMNS; c++) {
      const [rows, columns] = [roundUp(Math.ceil(m / r), lanes), roundUp(Math.ceil(n / c), numbers.columns)];
      const units = places * Math.ceil(m / rows) * Math.ceil(n / columns);
      if (units >= least || units % multiple > 0) continue;
      least = units;
      best = { rows, columns };
    }
  return best;
}

/** Steps that no block divides: four, and groups of an expanded factor. */
function stepsTogether({ b: { expanded }, k }: MatrixPlan): number {
  const group = expanded?.expansion.group ?? k;
  return group === k ? 4 : leastCommonMultiple(4, group);
}
const leastCommonMultiple = (a: number, b: number): number => {
  let multiple = Math.max(a, b);
  while (multiple % a > 0 || multiple % b > 0) multiple += Math.max(a, b);
  return multiple;
};

/**
 * Divides a product.
 *
 * @param fixed rows of a block, a multiple of those of a tile
 */
export function blocksOf(plan: MatrixPlan, relaxed: boolean, fixed?: number): Blocks {
  const { m, n, k, a, b, numbers } = plan;
  const lanes = rowsOfTile(relaxed);
  const { rows, columns } =
    fixed === undefined
      ? sizesOf(plan, lanes)
      : { rows: fixed, columns: even(n, BLOCK_COLUMNS, numbers.columns) };
  const steps = even(k, MOST_STEPS, stepsTogether(plan));
  // A table has one block of steps where their number is not known.
  const table = fixedValue(elementsOf(plan.inner)) ?? steps;
  let bytes = 0;
  const take = (size: number): number => {
    const at = bytes;
    bytes += roundUp(size, 16) + 16;
    return at;
  };
  const padded = ({ padding, type }: Operand): number =>
    padding === undefined ? 0 : paddedBytes(padding, bytesOfFactor(type));
  const scratch = {
    tableA: take(table * 4),
    tableB: take(table * 4),
    paddedA: take(padded(a)),
    paddedB: take(padded(b)),
    packedA: take(rows * steps * numbers.bytes),
    packedB: take(columns * steps * numbers.bytes),
    tile: take(rows * columns * numbers.bytes),
    at: take(16),
  };
  return {
    lanes,
    rows,
    columns,
    steps,
    rowBlocks: Math.ceil(m / rows),
    columnBlocks: Math.ceil(n / columns),
    stepBlocks: Math.ceil(k / steps),
    places: countOf(plan.outer),
    scratch: { ...scratch, bytes },
  };
}

/** Tiles of rows in a block of any number of rows. */
const OPEN_TILES = 16;
/** Divides a product whose sizes are known when the kernel runs. */
export function openBlocks(plan: MatrixPlan, relaxed: boolean): Blocks {
  const lanes = rowsOfTile(relaxed);
  const rows = fixedValue(elementsOf(plan.rows));
  return blocksOf(plan, relaxed, rows === undefined ? OPEN_TILES * lanes : even(rows, BLOCK_ROWS, lanes));
}
