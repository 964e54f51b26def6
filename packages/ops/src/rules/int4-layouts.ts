/**
 * @file The layouts of packed weights of 4 bits (`aten/src/ATen/native/cpu/int4mm_kernel.cpp`,
 * `aten/src/ATen/native/cuda/int4mm.cu`). PyTorch packs for the processor that it runs on, and a
 * file does not say which one that was.
 */

/**
 * Processors that PyTorch packs for: by vector instructions on CPUs, by vendor on graphics devices.
 */
export const INT4_LAYOUTS = ["avx512", "avx2", "plain", "neon", "nvidia", "amd"] as const;
/** One of {@link INT4_LAYOUTS}. */
export type Int4Layout = (typeof INT4_LAYOUTS)[number];

/** Rows of a block on CPUs: four vectors of float32. */
const ROWS: Readonly<Record<string, number>> = { avx512: 64, avx2: 32, plain: 32, neon: 16 };

/** A weight matrix of 4 bits. */
export interface Int4Matrix {
  readonly layout: Int4Layout;
  /** Outputs: rows of the matrix. */
  readonly rows: number;
  /** Inputs: columns of the matrix. */
  readonly columns: number;
  /** Tiles of 16 columns that lie together on graphics devices. */
  readonly innerTiles: number;
}

/** Returns whether all processors of a kind pack so few rows alike. */
export const packsAlike = (rows: number): boolean => rows <= 16;

/** Returns the place of an element, in units of 4 bits: the low half of a byte comes first. */
export function int4Place(matrix: Int4Matrix, row: number, column: number): number {
  return matrix.layout === "nvidia" || matrix.layout === "amd"
    ? tiledPlace(matrix, row, column)
    : blockedPlace(matrix, row, column);
}

function blockedPlace({ layout, rows, columns }: Int4Matrix, row: number, column: number): number {
  const block = ROWS[layout]!;
  const first = row - (row % block);
  const height = Math.min(block, rows - first);
  const r = row - first;
  const start = first * columns + column * height;
  if (layout === "avx512" && height === 64) {
    const lane = Math.floor(r / 16);
    return start + 2 * ((lane % 2) * 16 + (r % 16)) + (lane >= 2 ? 1 : 0);
  }
  if (layout === "avx2" && height === 32) return start + 2 * (r % 16) + (r >= 16 ? 1 : 0);
  return start + r;
}

/** Words of 32 bits with two tiles of 16 columns: even columns in the low half, odd ones above. */
function tiledPlace({ layout, columns, innerTiles }: Int4Matrix, row: number, column: number): number {
  const width = innerTiles * 16;
  const inner = column % width;
  const pair = (inner % 16) >> 1;
  const isAmd = layout === "amd";
  const [tile, lanes] = isAmd ? [16, 64] : [8, 32];
  const lane = isAmd ? (pair >> 1) * 16 + (row % 16) : (row % 8) * 4 + (pair % 4);
  const value = 2 * (Math.floor(inner / 16) % 2) + (isAmd ? pair % 2 : pair >> 2);
  const outer = Math.floor(row / tile) * (columns / width) + Math.floor(column / width);
  const word = (outer * lanes + lane) * (innerTiles / 2) + Math.floor(inner / 32);
  return word * 8 + (column % 2) * 4 + value;
}
