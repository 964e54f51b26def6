/** @file Blocked matrix multiplication in float64 over operands of any layout. */

import type { NumberArray } from "../kernel/dense.js";
import { FLOAT32_END, withFloat32Overflow } from "../kernel/overflow.js";
import { scratch } from "../kernel/scratch.js";
import { TILE, type TileMachine, tileMachine } from "./tile-kernel.js";

/**
 * A matrix by reference: element (i, j) is `values[rows[i] + columns[j]]`. Transposed, strided,
 * broadcast and im2col operands all have this form, so none of them is copied before it is packed.
 */
export interface GatherMatrix {
  readonly values: NumberArray;
  readonly rows: Int32Array;
  readonly columns: Int32Array;
}

/**
 * Takes a finished block, placed at (i, j): `rows` x `columns` numbers from `block[start]`. Rows
 * start every `stride` numbers.
 */
export type StoreBlock = (
  i: number,
  j: number,
  rows: number,
  columns: number,
  block: Float64Array,
  start: number,
  stride: number,
) => void;

/** Positions `offset, offset + step, ...` of one dimension. */
export function stepped(count: number, step: number, offset = 0): Int32Array {
  const positions = scratch(Int32Array, count);
  for (let i = 0, p = offset; i < count; i++, p += step) positions[i] = p;
  return positions;
}

/**
 * Columns of a block of C; with K_BLOCK steps and 64 rows its operands stay in the second-level
 * cache.
 */
const COLUMNS = 256;
const K_BLOCK = 256;
/** Limit of packed numbers of one operand: 4 Mi numbers, 32 MB. */
const PANEL_LIMIT = 1 << 22;

/**
 * Returns a bound of the sizes of finite elements. Where elements repeat, as those of images do
 * below a kernel, it is that of all numbers in memory.
 */
function boundOf({ values, rows, columns }: GatherMatrix): number {
  let most = 0;
  if (values.length <= rows.length * columns.length) {
    for (let i = 0; i < values.length; i++) {
      const size = Math.abs(values[i]!);
      if (size > most && size < Infinity) most = size;
    }
    return most;
  }
  for (let i = 0; i < rows.length; i++) {
    const row = rows[i]!;
    for (let j = 0; j < columns.length; j++) {
      const size = Math.abs(values[row + columns[j]!]!);
      if (size > most && size < Infinity) most = size;
    }
  }
  return most;
}

/**
 * {@link multiply} with sums that overflow as those of float32: a product or a sum beyond its
 * range is infinite. Terms are added in their order.
 */
export function multiplyFloat32(a: GatherMatrix, b: GatherMatrix, store: StoreBlock): void {
  const depth = a.columns.length;
  const most = boundOf(a) * boundOf(b) * depth;
  if (most < FLOAT32_END) {
    multiply(a, b, store);
    return;
  }
  const [m, n] = [a.rows.length, b.columns.length];
  const line = new Float64Array(n);
  for (let i = 0; i < m; i++) {
    const row = a.rows[i]!;
    for (let j = 0; j < n; j++) {
      const column = b.columns[j]!;
      let sum = 0;
      for (let p = 0; p < depth; p++) {
        sum = withFloat32Overflow(
          sum + withFloat32Overflow(a.values[row + a.columns[p]!]! * b.values[b.rows[p]! + column]!),
        );
      }
      line[j] = sum;
    }
    store(i, 0, 1, n, line, 0, n);
  }
}

/** `A (m x k) times B (k x n)`, block by block. The sums are in float64; `store` rounds. */
export function multiply(
  a: GatherMatrix,
  b: GatherMatrix,
  store: StoreBlock,
  machine: TileMachine = tileMachine(),
): void {
  const [m, k, n] = [a.rows.length, a.columns.length, b.columns.length];
  const depth = Math.max(k, 1);
  const columns = Math.min(roundUp(n), Math.max(TILE, Math.min(COLUMNS, roundDown(PANEL_LIMIT / depth))));
  const rows = Math.min(roundUp(m), Math.max(TILE, Math.min(64, roundDown(PANEL_LIMIT / depth))));
  const allRows = roundUp(m) * depth <= PANEL_LIMIT ? roundUp(m) : rows;
  const cSize = rows * columns;
  const aStart = cSize;
  const bStart = aStart + allRows * depth;
  const memory = machine.reserve(8 * (bStart + columns * depth));
  const keepA = allRows >= m;
  if (keepA) packPanels(memory, aStart, a.values, a.rows, 0, m, a.columns);
  for (let j = 0; j < n; j += columns) {
    const width = Math.min(columns, n - j);
    packPanels(memory, bStart, b.values, b.columns, j, width, b.rows);
    for (let i = 0; i < m; i += rows) {
      const height = Math.min(rows, m - i);
      if (!keepA) packPanels(memory, aStart, a.values, a.rows, i, height, a.columns);
      const from = keepA ? aStart + i * depth : aStart;
      memory.fill(0, 0, cSize);
      for (let p = 0; p < k; p += K_BLOCK) {
        const steps = Math.min(K_BLOCK, k - p);
        machine.run(
          roundUp(height) / TILE,
          roundUp(width) / TILE,
          steps,
          8 * (from + p * TILE),
          8 * (bStart + p * TILE),
          0,
          8 * columns,
          8 * depth * TILE,
        );
      }
      store(i, j, height, width, memory, 0, columns);
    }
  }
}

const roundUp = (n: number): number => Math.ceil(n / TILE) * TILE;
const roundDown = (n: number): number => Math.floor(n / TILE) * TILE;

/**
 * Lays `count` lines (rows of A, columns of B) from `first` on into panels of four, step after
 * step; missing lines are zero.
 */
function packPanels(
  memory: Float64Array,
  start: number,
  values: NumberArray,
  lines: Int32Array,
  first: number,
  count: number,
  steps: Int32Array,
): void {
  const depth = steps.length;
  let at = start;
  for (let line = 0; line < count; line += TILE) {
    if (line + TILE <= count) {
      const i = first + line;
      at = packFull(memory, at, values, lines[i]!, lines[i + 1]!, lines[i + 2]!, lines[i + 3]!, steps);
      continue;
    }
    memory.fill(0, at, at + depth * TILE);
    for (let part = 0; line + part < count; part++) {
      const base = lines[first + line + part]!;
      for (let p = 0, to = at + part; p < depth; p++, to += TILE) memory[to] = values[base + steps[p]!]!;
    }
    at += depth * TILE;
  }
}

function packFull(
  memory: Float64Array,
  start: number,
  values: NumberArray,
  l0: number,
  l1: number,
  l2: number,
  l3: number,
  steps: Int32Array,
): number {
  let at = start;
  for (let p = 0; p < steps.length; p++, at += TILE) {
    const step = steps[p]!;
    memory[at] = values[l0 + step]!;
    memory[at + 1] = values[l1 + step]!;
    memory[at + 2] = values[l2 + step]!;
    memory[at + 3] = values[l3 + step]!;
  }
  return at;
}
