/**
 * @file The inner loops of matrix multiplication: `C += A B` for packed panels of {@link TILE} rows of A and
 * columns of B, in float64. In WebAssembly where there is SIMD, in JavaScript otherwise.
 */
import { assemble, wasm } from "./assembler.js";

/** Rows of an A panel, columns of a B panel. */
export const TILE = 4;

/**
 * Memory for panels, and the loops over them. Positions are in bytes, panels hold `TILE` numbers a step of k.
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

/** The machine of this process, made when first asked for. */
export function tileMachine(): TileMachine {
  machine ??= wasmMachine() ?? scriptMachine();
  return machine;
}

const PAGE = 65536;

function wasmMachine(): TileMachine | undefined {
  if (typeof WebAssembly === "undefined") return undefined;
  const bytes = tileModule();
  if (!WebAssembly.validate(bytes)) return undefined;
  const { exports } = new WebAssembly.Instance(new WebAssembly.Module(bytes));
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

/** The WebAssembly module: see {@link TileMachine.run} for its parameters. */
function tileModule(): Uint8Array<ArrayBuffer> {
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
  const [rowPanels, columnPanels, k, a, b, c, rowStride, panelStride] = [0, 1, 2, 3, 4, 5, 6, 7];
  const [rows, steps, pa, pb, row, tile, panel] = [8, 9, 10, 11, 12, 13, 14];
  const sum = (i: number, j: number): number => 15 + 2 * i + j;
  const [b0, b1, ai] = [23, 24, 25];
  const range = [0, 1, 2, 3];
  const advance = (local: number, by: readonly number[]): number[] => [
    ...get(local),
    ...by,
    ...i32Add,
    ...set(local),
  ];
  const countDown = (local: number): number[] => [...get(local), ...i32(1), ...i32Sub, ...tee(local)];
  const eachRow = (body: (i: number) => number[]): number[] => [
    ...get(tile!),
    ...set(row!),
    ...range.flatMap((i) => [...body(i), ...advance(row!, get(rowStride!))]),
  ];
  const multiplyAdd = (i: number, j: number): number[] => [
    ...get(ai!),
    ...get(j === 0 ? b0! : b1!),
    ...f64x2Mul,
    ...get(sum(i, j)),
    ...f64x2Add,
    ...set(sum(i, j)),
  ];
  const step = [
    ...get(pb!),
    ...loadVector(0),
    ...set(b0!),
    ...get(pb!),
    ...loadVector(16),
    ...set(b1!),
    ...range.flatMap((i) => [
      ...get(pa!),
      ...loadSplat64(8 * i),
      ...set(ai!),
      ...multiplyAdd(i, 0),
      ...multiplyAdd(i, 1),
    ]),
    ...advance(pa!, i32(32)),
    ...advance(pb!, i32(32)),
  ];
  const load = (i: number): number[] => [
    ...get(row!),
    ...loadVector(0),
    ...set(sum(i, 0)),
    ...get(row!),
    ...loadVector(16),
    ...set(sum(i, 1)),
  ];
  const store = (i: number): number[] => [
    ...get(row!),
    ...get(sum(i, 0)),
    ...storeVector(0),
    ...get(row!),
    ...get(sum(i, 1)),
    ...storeVector(16),
  ];
  const oneTile = [
    ...get(panel!),
    ...set(pa!),
    ...get(b!),
    ...set(pb!),
    ...get(k!),
    ...set(steps!),
    ...eachRow(load),
    ...repeat(step, countDown(steps!)),
    ...eachRow(store),
    ...get(row!),
    ...set(tile!),
    ...advance(panel!, get(panelStride!)),
  ];
  const onePanel = [
    ...get(a!),
    ...set(panel!),
    ...get(c!),
    ...set(tile!),
    ...get(rowPanels!),
    ...set(rows!),
    ...repeat(oneTile, countDown(rows!)),
    ...advance(b!, get(panelStride!)),
    ...advance(c!, i32(32)),
  ];
  return assemble({
    params: 8,
    i32Locals: 7,
    vectorLocals: 11,
    pages: 64,
    body: [repeat(onePanel, countDown(columnPanels!))],
  });
}

/** The same in plain JavaScript. */
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
