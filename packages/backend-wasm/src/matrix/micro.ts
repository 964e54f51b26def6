/**
 * @file Microkernels: a tile of the result stays in vector registers while a block of the sum is
 * added to it.
 */
import { internalError } from "@sconce/errors";
import { type FunctionBuilder, i32, type Local, type ModuleBuilder } from "@sconce/wasm";
import { Helpers } from "../emit/helpers.js";
import { constantsInPlace } from "../emit/vector/constants.js";
import { type Vector, VectorWriter } from "../emit/vector/lines.js";
import type { Address } from "./index-code.js";
import { FLOAT32, type Numbers } from "./numbers.js";
import { shared } from "./shared.js";

/** Columns of a tile of float32. */
export const COLUMNS = 8;
/** Vectors of a row of a tile, and bytes of a row of a panel of B. */
export const VECTORS = 2;
export const PANEL_BYTES = 16 * VECTORS;
/** Vector registers that V8 uses for values. */
const REGISTERS = 15;

/** Rows of a tile: as many as the registers hold. */
export function rowsOfTile(relaxed: boolean): number {
  const rows = relaxed ? 6 : 5;
  // Sums, a row of B, an element of A, and the product unless one instruction adds it.
  const used = rows * VECTORS + VECTORS + (relaxed ? 1 : 2);
  if (used > REGISTERS) throw internalError(`a tile of ${rows} rows needs ${used} vector registers`);
  return rows;
}

/**
 * Parameters of a microkernel: addresses of A, B and C, the steps of the sum, bytes of a row of C,
 * whether it adds to C, bytes of a row of A.
 */
const PARAMS = ["i32", "i32", "i32", "i32", "i32", "i32", "i32"] as const;

/** Steps of the sum that one iteration over separate rows adds. */
const UNROLLED = 4;

/** How the rows of A lie: side by side in panels, or each by itself with its steps side by side. */
type Rows = "panels" | "rows";

/** How the results of four sums are computed and written. */
export interface DirectTile {
  /** Equal keys are the same code. */
  readonly key: string;
  /** What is read beside the sums: bytes from one row, and from one column, to the next. */
  readonly loads: readonly { readonly row: number; readonly column: number }[];
  readonly write: (w: VectorWriter, sum: Vector, loaded: readonly Vector[]) => void;
}

/** What microkernels are made for. */
export interface TileInit {
  /** Default: float32. */
  readonly numbers?: Numbers;
  /** Rows of a whole tile. */
  readonly lanes: number;
  readonly relaxed: boolean;
  readonly from: Rows;
  /** How results are computed from the sums. Default: sums are stored, or added to. */
  readonly direct?: DirectTile | undefined;
}

/**
 * Adds a function that multiplies `rows` rows of A by a panel of B of eight columns, or four of
 * float64. It adds to the tile if `isMore` is not zero.
 */
function microkernel(
  module: ModuleBuilder,
  rows: number,
  { lanes, relaxed, from, numbers = FLOAT32, direct }: TileInit,
): number {
  const { bytes, columns, shape } = numbers;
  const name = `tile_${rows}x${columns}${relaxed ? "_madd" : ""}_${from}`;
  const splat = bytes === 8 ? "v128.load64_splat" : "v128.load32_splat";
  const params = [...PARAMS, ...extraParams(direct)] as const;
  return module.func({ params, name }, (f, a, b, c, steps, rowBytes, isMore, aBytes, ...extra) => {
    const sums = Array.from({ length: rows }, () => f.locals("v128", VECTORS));
    const row = f.locals("v128", VECTORS);
    const element = f.local("v128");
    const pointers = [a];
    if (from === "rows")
      for (let r = 1; r < rows; r++) pointers.push(f.let(i32(pointers[r - 1]!).plus(aBytes)));
    const step = (at: number): void => {
      for (const [i, half] of row.entries())
        f.get(b)
          .memory("v128.load", PANEL_BYTES * at + 16 * i)
          .set(half);
      for (const [r, sum] of sums.entries()) {
        const [pointer, place] = from === "panels" ? [a, lanes * at + r] : [pointers[r]!, at];
        f.get(pointer)
          .memory(splat, bytes * place)
          .set(element);
        for (const [i, half] of sum.entries()) multiplyAdd(f, relaxed, element, row[i]!, half, shape);
      }
    };
    const some = (count: number): void => {
      for (let at = 0; at < count; at++) step(at);
      for (const pointer of pointers)
        f.increase(pointer, count * (from === "panels" ? bytes * lanes : bytes));
      f.increase(b, PANEL_BYTES * count);
    };
    // Each row has a pointer, and four steps move it once. Engines without relaxed arithmetic are
    // older: they keep the sums of such a loop in memory. V8 of Node 20 keeps all sums in registers
    // only if the loop is inside of a branch.
    for (const count of from === "rows" && relaxed ? [UNROLLED, 1] : [1])
      f.put(i32(steps).is("ge_s", count)).if(() => f.countDown(steps, () => some(count), count));
    if (direct === undefined) storeTile(f, sums, { c, rowBytes, isMore }, shape);
    else finishTile(module, f, sums, { c, rowBytes, extra }, direct);
  });
}

/** For each load its address and bytes of a row. */
export const extraParams = (direct: DirectTile | undefined): readonly "i32"[] =>
  (direct?.loads ?? []).flatMap(() => ["i32", "i32"] as const);

/** Computes the results of a tile from its sums, and stores them. */
export function finishTile(
  module: ModuleBuilder,
  f: FunctionBuilder,
  sums: readonly (readonly Local<"v128">[])[],
  {
    c,
    rowBytes,
    extra,
  }: { readonly c: Address; readonly rowBytes: Address; readonly extra: readonly Address[] },
  { loads, write }: DirectTile,
): void {
  const w = new VectorWriter(f, new Helpers(module, new Map()), constantsInPlace(f));
  const read = (l: number, i: number): Vector => {
    const splat = loads[l]!.column === 0;
    return () =>
      void f.get(extra[2 * l]!).memory(splat ? "v128.load32_splat" : "v128.load", splat ? 0 : 16 * i);
  };
  // What all rows share is read once.
  const shared = loads.map(({ row }, l) =>
    row === 0 ? sums[0]!.map((_, i) => w.let(read(l, i))) : undefined,
  );
  for (const sum of sums) {
    for (const [i, half] of sum.entries()) {
      const loaded = loads.map((_, l) => shared[l]?.[i] ?? w.let(read(l, i)));
      f.get(c);
      write(w, () => void f.get(half), loaded);
      f.memory("v128.store", 16 * i);
    }
    f.increase(c, rowBytes);
    for (const [l, { row }] of loads.entries()) if (row !== 0) f.increase(extra[2 * l]!, extra[2 * l + 1]!);
  }
}

/** Adds code for `sum += a * b`. */
export function multiplyAdd(
  f: FunctionBuilder,
  relaxed: boolean,
  a: Local<"v128">,
  b: Local<"v128">,
  sum: Local<"v128">,
  shape: Numbers["shape"] = "f32x4",
): void {
  if (relaxed) f.get(a, b, sum).op(`${shape}.relaxed_madd`).set(sum);
  else f.get(sum, a, b).op(`${shape}.mul`, `${shape}.add`).set(sum);
}

/** Partial sums are added to each other, so that errors of long sums stay small. */
export function storeTile(
  f: FunctionBuilder,
  sums: readonly (readonly Local<"v128">[])[],
  { c, rowBytes, isMore }: { readonly c: Address; readonly rowBytes: Address; readonly isMore: Address },
  shape: Numbers["shape"] = "f32x4",
): void {
  const store = (write: (half: Local<"v128">, offset: number) => void): void => {
    for (const sum of sums) {
      for (const [i, half] of sum.entries()) write(half, 16 * i);
      f.increase(c, rowBytes);
    }
  };
  f.get(isMore).if(
    () =>
      store((half, offset) => {
        f.get(c, c).memory("v128.load", offset).get(half).op(`${shape}.add`).memory("v128.store", offset);
      }),
    () => store((half, offset) => f.get(c, half).memory("v128.store", offset)),
  );
}

/** Rows beyond a tile that are few: two tiles of nearly equal rows take less time. */
const FEW = 3;
const areEven = (left: number, { lanes, from }: TileInit): boolean =>
  from === "rows" && left > lanes && left <= lanes + FEW;

/** Rows of the tiles of so many rows. */
function rowsOfTiles(rows: number, init: TileInit): ReadonlySet<number> {
  const all = new Set<number>();
  for (let left = rows; left > 0; ) {
    const take = areEven(left, init) ? (left + 1) >> 1 : Math.min(left, init.lanes);
    all.add(take);
    left -= take;
  }
  return all;
}

/**
 * Returns a function `(a, b, c, steps, rows, panels, rowBytes, isMore, aBytes)`: all tiles of a
 * block.
 *
 * @param blocks the rows that blocks have
 */
export function blockKernel(module: ModuleBuilder, blocks: readonly number[], init: TileInit): number {
  const { lanes, relaxed, from, numbers = FLOAT32, direct } = init;
  const key = `${lanes} ${relaxed} ${from} ${numbers.type} ${direct?.key}`;
  const counts = new Set(blocks.flatMap((rows) => [...rowsOfTiles(rows, init)]).sort((a, b) => a - b));
  return shared(module, `block ${[...counts].join()} ${key}`, () => {
    const tiles = new Map<number, number>();
    for (const rows of counts) {
      const make = (): number => microkernel(module, rows, init);
      tiles.set(rows, shared(module, `tile ${rows} ${key}`, make));
    }
    return newBlockKernel(module, tiles, init);
  });
}

function newBlockKernel(module: ModuleBuilder, tiles: ReadonlyMap<number, number>, init: TileInit): number {
  const { lanes, from, numbers: { bytes } = FLOAT32, direct } = init;
  const loads = [...(direct?.loads ?? []).entries()];
  const params = [...PARAMS, "i32", "i32", ...extraParams(direct)] as const;
  return module.func({ params, name: `block_${from}` }, (f, a, b, c, steps, rows, panels, ...more) => {
    const [rowBytes, isMore, aBytes, ...extra] = more;
    const [pa, pc, left, take] = f.locals("i32", 4);
    // Addresses of loads at the rows of a tile.
    const at = loads.map(([l, { row }]) => (row === 0 ? extra[2 * l]! : f.local("i32")));
    const ofRows = loads.filter(([, { row }]) => row !== 0);
    f.countDown(panels, () => {
      f.copy(a, pa).copy(c, pc).copy(rows, left);
      for (const [l] of ofRows) f.copy(extra[2 * l]!, at[l]!);
      f.loop((nextTile) => {
        rowsToTake(f, left, take, init);
        callTile(f, tiles, take, () => {
          f.get(pa, b, pc, steps, rowBytes, isMore, aBytes);
          for (const [l] of loads) f.get(at[l]!, extra[2 * l + 1]!);
        });
        // Panels of A have room for all rows of a tile.
        f.increase(pa, from === "panels" ? i32(steps).times(bytes * lanes) : i32(aBytes).times(take));
        f.increase(pc, i32(rowBytes).times(take));
        for (const [l] of ofRows) f.increase(at[l]!, i32(extra[2 * l + 1]!).times(take));
        f.assign(left, i32(left).minus(take)).get(left).brIf(nextTile);
      });
      f.increase(b, i32(steps).times(PANEL_BYTES)).increase(c, PANEL_BYTES);
      for (const [l, { column }] of loads) if (column !== 0) f.increase(extra[2 * l]!, PANEL_BYTES);
    });
  });
}

/** Sets the rows of the next tile. */
function rowsToTake(f: FunctionBuilder, left: Address, take: Address, { lanes, from }: TileInit): void {
  f.assign(take, i32(left).least(lanes));
  if (from === "panels") return;
  const isEven = i32(left)
    .minus(lanes + 1)
    .is("lt_u", FEW);
  f.assign(take, isEven.choose(i32(left).plus(1).shr(1), take));
}

/** Calls the tile of so many rows. */
function callTile(
  f: FunctionBuilder,
  tiles: ReadonlyMap<number, number>,
  rows: Address,
  args: () => void,
): void {
  const [most, ...smaller] = [...tiles].reverse();
  f.block((done) => {
    for (const [count, tile] of smaller)
      f.put(i32(rows).is("eq", count)).if(() => {
        args();
        f.call(tile).br(done);
      });
    args();
    f.call(most![1]);
  });
}
