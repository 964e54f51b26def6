/** @file How a product is divided into blocks, and where they lie in scratch memory. */
import { volumeOf } from "@sconce/codegen";
import { COLUMNS, rowsOfTile } from "./micro.js";
import { paddedBytes } from "./pad-code.js";
import { ELEMENT, type MatrixPlan, type Operand } from "./plan.js";

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

/** Divides a product. */
export function blocksOf(plan: MatrixPlan, relaxed: boolean): Blocks {
  const { m, n, k, a, b } = plan;
  const lanes = rowsOfTile(relaxed);
  const rows = even(m, BLOCK_ROWS, lanes);
  const columns = even(n, BLOCK_COLUMNS, COLUMNS);
  const steps = even(k, MOST_STEPS, 4);
  let bytes = 0;
  const take = (size: number): number => {
    const at = bytes;
    bytes += roundUp(size, 16) + 16;
    return at;
  };
  const padded = ({ padding }: Operand): number => (padding === undefined ? 0 : paddedBytes(padding));
  const scratch = {
    tableA: take(k * 4),
    tableB: take(k * 4),
    paddedA: take(padded(a)),
    paddedB: take(padded(b)),
    packedA: take(rows * steps * ELEMENT),
    packedB: take(columns * steps * ELEMENT),
    tile: take(rows * columns * ELEMENT),
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
    places: volumeOf(plan.outer),
    scratch: { ...scratch, bytes },
  };
}
