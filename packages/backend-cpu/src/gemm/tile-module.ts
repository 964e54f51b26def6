/**
 * @file The loops over panels as a WebAssembly module with SIMD. Its function `run` takes the
 * parameters of `TileMachine.run`. A tile of four rows and four columns stays in eight vectors of
 * two numbers while the steps of k add to it.
 */
import { assemble, wasm } from "./assembler.js";

const {
  get,
  set,
  tee,
  i32,
  i32Add,
  i32Sub,
  repeat,
  loadVector,
  loadSplat64,
  storeVector,
  f64x2Add,
  f64x2Mul,
} = wasm;

/** Parameters of `run`, by their places among the locals. */
const PARAM = {
  rowPanels: 0,
  columnPanels: 1,
  k: 2,
  a: 3,
  b: 4,
  c: 5,
  rowStride: 6,
  panelStride: 7,
} as const;
/** Counters, and positions in memory in bytes. */
const LOCAL = { rows: 8, steps: 9, pa: 10, pb: 11, row: 12, tile: 13, panel: 14 } as const;
/** Returns the vector that holds half a row of the tile: columns 0 and 1, or 2 and 3. */
const sum = (row: number, half: number): number => 15 + 2 * row + half;
/** Operands of one step: a row of B in two halves, an element of A twice. */
const OPERAND = { b0: 23, b1: 24, a: 25 } as const;

const ROWS = [0, 1, 2, 3];
/** Bytes of a panel that one step of k reads. */
const STEP_BYTES = 32;
const HALF_BYTES = 16;

const copy = (from: number, to: number): number[] => [...get(from), ...set(to)];
const advance = (local: number, by: readonly number[]): number[] => [
  ...get(local),
  ...by,
  ...i32Add,
  ...set(local),
];
const countDown = (local: number): number[] => [...get(local), ...i32(1), ...i32Sub, ...tee(local)];

/**
 * Code for each row of the tile, one after the other, with the position of the row in memory in a
 * local.
 */
const eachRow = (body: (row: number) => number[]): number[] => [
  ...copy(LOCAL.tile, LOCAL.row),
  ...ROWS.flatMap((row) => [...body(row), ...advance(LOCAL.row, get(PARAM.rowStride))]),
];
const loadRow = (row: number): number[] => [
  ...get(LOCAL.row),
  ...loadVector(0),
  ...set(sum(row, 0)),
  ...get(LOCAL.row),
  ...loadVector(HALF_BYTES),
  ...set(sum(row, 1)),
];
const storeRow = (row: number): number[] => [
  ...get(LOCAL.row),
  ...get(sum(row, 0)),
  ...storeVector(0),
  ...get(LOCAL.row),
  ...get(sum(row, 1)),
  ...storeVector(HALF_BYTES),
];

const multiplyAdd = (row: number, half: number): number[] => [
  ...get(OPERAND.a),
  ...get(half === 0 ? OPERAND.b0 : OPERAND.b1),
  ...f64x2Mul,
  ...get(sum(row, half)),
  ...f64x2Add,
  ...set(sum(row, half)),
];

/** One step of k: a column of A times a row of B. */
const oneStep = (): number[] => [
  ...get(LOCAL.pb),
  ...loadVector(0),
  ...set(OPERAND.b0),
  ...get(LOCAL.pb),
  ...loadVector(HALF_BYTES),
  ...set(OPERAND.b1),
  ...ROWS.flatMap((row) => [
    ...get(LOCAL.pa),
    ...loadSplat64(8 * row),
    ...set(OPERAND.a),
    ...multiplyAdd(row, 0),
    ...multiplyAdd(row, 1),
  ]),
  ...advance(LOCAL.pa, i32(STEP_BYTES)),
  ...advance(LOCAL.pb, i32(STEP_BYTES)),
];

/** Returns all steps of one tile; the next tile lies below it. */
const oneTile = (): number[] => [
  ...copy(LOCAL.panel, LOCAL.pa),
  ...copy(PARAM.b, LOCAL.pb),
  ...copy(PARAM.k, LOCAL.steps),
  ...eachRow(loadRow),
  ...repeat(oneStep(), countDown(LOCAL.steps)),
  ...eachRow(storeRow),
  ...copy(LOCAL.row, LOCAL.tile),
  ...advance(LOCAL.panel, get(PARAM.panelStride)),
];

/** Returns all tiles of one panel of B; the next panel lies to the right. */
const onePanel = (): number[] => [
  ...copy(PARAM.a, LOCAL.panel),
  ...copy(PARAM.c, LOCAL.tile),
  ...copy(PARAM.rowPanels, LOCAL.rows),
  ...repeat(oneTile(), countDown(LOCAL.rows)),
  ...advance(PARAM.b, get(PARAM.panelStride)),
  ...advance(PARAM.c, i32(STEP_BYTES)),
];

/** Returns the bytes of the module. It exports the function `run` and its `memory`. */
export const tileModule = (): Uint8Array<ArrayBuffer> =>
  assemble({
    params: 8,
    i32Locals: 7,
    vectorLocals: 11,
    pages: 64,
    body: [repeat(onePanel(), countDown(PARAM.columnPanels))],
  });
