/**
 * @file The inner loops of matrix multiplication: `C += A B` for packed panels of {@link TILE} rows
 * of A and columns of B, in float64. In WebAssembly where there is SIMD, in JavaScript otherwise.
 */
import { tileModule } from "./tile-module.js";

/** Rows of an A panel, columns of a B panel. */
export const TILE = 4;

/**
 * Memory for panels, and the loops over them. Positions are in bytes, panels hold `TILE` numbers a
 * step of k.
 */
export interface TileMachine {
  /** At least so many bytes, as numbers; the array of an earlier call may be detached. */
  reserve(bytes: number): Float64Array;
  /**
   * For each of `columnPanels` panels at `b` and `rowPanels` panels at `a`, adds the product over
   * `k` steps to the tile of `c`. Panels start every `panelStride` bytes, rows of `c` every
   * `rowStride` bytes.
   */
  run(
    rowPanels: number,
    columnPanels: number,
    k: number,
    a: number,
    b: number,
    c: number,
    rowStride: number,
    panelStride: number,
  ): void;
}

let machine: TileMachine | undefined;

/** Returns the machine of this process, made when first asked for. */
export function tileMachine(): TileMachine {
  machine ??= wasmMachine() ?? scriptMachine();
  return machine;
}

const PAGE = 65536;

/**
 * Returns the machine in WebAssembly; undefined where there is none, or a content policy forbids
 * it.
 */
export function wasmMachine(): TileMachine | undefined {
  if (typeof WebAssembly === "undefined") return undefined;
  const bytes = tileModule();
  if (!WebAssembly.validate(bytes)) return undefined;
  let exports: WebAssembly.Exports;
  try {
    exports = new WebAssembly.Instance(new WebAssembly.Module(bytes)).exports;
  } catch (error) {
    // Without `wasm-unsafe-eval` a page may validate modules, and not compile them.
    if (error instanceof WebAssembly.CompileError) return undefined;
    throw error;
  }
  const memory = exports["memory"] as WebAssembly.Memory;
  let numbers = new Float64Array(memory.buffer);
  return {
    run: exports["run"] as TileMachine["run"],
    reserve(size) {
      const missing = size - memory.buffer.byteLength;
      if (missing > 0) memory.grow(Math.ceil(missing / PAGE));
      if (numbers.buffer !== memory.buffer) numbers = new Float64Array(memory.buffer);
      return numbers;
    },
  };
}

/** Returns the same in plain JavaScript. */
export function scriptMachine(): TileMachine {
  let numbers = new Float64Array(0);
  return {
    reserve(bytes) {
      if (numbers.byteLength < bytes) {
        const larger = new Float64Array(Math.ceil(bytes / 8));
        larger.set(numbers);
        numbers = larger;
      }
      return numbers;
    },
    run(rowPanels, columnPanels, k, a, b, c, rowStride, panelStride) {
      for (let j = 0; j < columnPanels; j++) {
        for (let i = 0; i < rowPanels; i++) {
          const at = (c + i * TILE * rowStride + j * 32) / 8;
          scriptTile(numbers, k, (a + i * panelStride) / 8, (b + j * panelStride) / 8, at, rowStride / 8);
        }
      }
    },
  };
}

/** One tile, two rows at a time: eight sums and six factors are about what registers hold. */
function scriptTile(m: Float64Array, k: number, a: number, b: number, c: number, stride: number): void {
  for (let i = 0; i < TILE; i += 2) {
    const p = c + i * stride;
    const q = p + stride;
    let s0 = 0;
    let s1 = 0;
    let s2 = 0;
    let s3 = 0;
    let t0 = 0;
    let t1 = 0;
    let t2 = 0;
    let t3 = 0;
    for (let step = 0, pa = a + i, pb = b; step < k; step++, pa += TILE, pb += TILE) {
      const x = m[pa]!;
      const y = m[pa + 1]!;
      const b0 = m[pb]!;
      const b1 = m[pb + 1]!;
      const b2 = m[pb + 2]!;
      const b3 = m[pb + 3]!;
      s0 += x * b0;
      s1 += x * b1;
      s2 += x * b2;
      s3 += x * b3;
      t0 += y * b0;
      t1 += y * b1;
      t2 += y * b2;
      t3 += y * b3;
    }
    addRow(m, p, s0, s1, s2, s3);
    addRow(m, q, t0, t1, t2, t3);
  }
}

function addRow(m: Float64Array, at: number, s0: number, s1: number, s2: number, s3: number): void {
  m[at]! += s0;
  m[at + 1]! += s1;
  m[at + 2]! += s2;
  m[at + 3]! += s3;
}
