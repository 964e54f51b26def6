/**
 * @file Sums of floats in the order of PyTorch's kernel (`SumKernel.cpp`), so that they have its
 * bits: partial sums of 4 levels in 4 rows of vectors, by the strides of the tensor. PyTorch's
 * vectors here have 256 bits on every processor. It divides sums of more than 32,768 elements among
 * threads, which this kernel does not.
 */
import { requiredBytes, Tensor } from "@sconce/tensor";
import { scratchLike } from "../kernel/scratch.js";
import { type Axis, type Dims, forPlanes } from "./reduction-axes.js";

/** A typed array of the floats that are summed: storing a sum rounds it. */
export type Floats = Float32Array | Float64Array;

const LEVELS = 4;
/** Returns the elements of a vector of 256 bits: 8 of float32, 4 of float64. */
const lanesOf = (data: Floats): number => 32 / data.BYTES_PER_ELEMENT;
/** Sums that run beside each other. */
const ROWS = 4;

/** Returns the sums over some dimensions, in row-major order of the others. */
export function cascadeSums(self: Tensor, dims: Dims, count: number, ignoreNan = false): Floats {
  const out = scratchLike(self.data as Floats, count);
  if (self.numel === 0) return out;
  const given = ignoreNan ? withoutNan(self) : self;
  const sum = new Cascade(given.data as Floats, out);
  forPlanes(given, dims, (...plane) => sum.plane(...plane));
  return out;
}

/** Returns a copy of the memory that a tensor spans, as a tensor of its strides; NaN is 0. */
function withoutNan({ data, dtype, shape, strides, storageOffset }: Tensor): Tensor {
  const from = data as Floats;
  const out = scratchLike(from, requiredBytes(shape, strides, 0, 1));
  for (let i = 0; i < out.length; i++) {
    const x = from[storageOffset + i]!;
    out[i] = Number.isNaN(x) ? 0 : x;
  }
  return Tensor.fromData(out, dtype).asStrided(shape, strides);
}

class Cascade {
  readonly #data: Floats;
  readonly #out: Floats;
  readonly #lanes: number;
  /** For each level, the partial sums of all lanes. */
  readonly #levels: readonly Floats[];
  readonly #add: typeof addSingles;

  constructor(data: Floats, out: Floats) {
    this.#data = data;
    this.#out = out;
    this.#lanes = lanesOf(data);
    this.#levels = Array.from({ length: LEVELS }, () => scratchLike(data, ROWS * this.#lanes));
    this.#add = data instanceof Float32Array ? addSingles : addDoubles;
  }

  /** Adds the sums of two dimensions to the output. */
  plane(inner: Axis, outer: Axis, from: number, to: number): void {
    const [a, b] = inner.to !== 0 && outer.to === 0 ? [outer, inner] : [inner, outer];
    if (a.to !== 0) this.#copies(a, b, from, to);
    else if (a.from === 1 && a.size >= this.#lanes) this.#vectorRows(a, b, from, to);
    else if (b.from === 1 && b.size >= this.#lanes) this.#vectorColumns(a, b, from, to);
    else if (a.from < b.from) this.#scalars(a, b, from, to, 0);
    else this.#scalarColumns(a, b, from, to);
  }

  /** Nothing is summed: each element is one sum. */
  #copies(a: Axis, b: Axis, from: number, to: number): void {
    for (let j = 0; j < b.size; j++)
      for (let i = 0; i < a.size; i++)
        this.#out[to + j * b.to + i * a.to]! += this.#data[from + j * b.from + i * a.from]!;
  }

  /** Rows whose elements lie side by side: vectors along the row. */
  #vectorRows(a: Axis, b: Axis, from: number, to: number): void {
    const lanes = this.#lanes;
    const vectors = (a.size / lanes) | 0;
    const rest = a.size % lanes;
    for (let j = 0, row = from; j < b.size; j++, row += b.from) {
      const sums = this.#rowSum(row, lanes, vectors, lanes);
      const total = this.#add(0, this.#data, row + vectors * lanes, 1, rest);
      this.#out[to + j * b.to]! += this.#add(total, sums, 0, 1, lanes);
    }
  }

  /** Columns that lie side by side: vectors across them. */
  #vectorColumns(a: Axis, b: Axis, from: number, to: number): void {
    const lanes = this.#lanes;
    let j = 0;
    for (; j + ROWS * lanes <= b.size; j += ROWS * lanes) {
      const sums = this.#sums(from + j, a.from, a.size, lanes, lanes);
      for (let k = 0; k < ROWS * lanes; k++) this.#out[to + (j + k) * b.to]! += sums[k]!;
    }
    for (; j + lanes <= b.size; j += lanes) {
      const sums = this.#rowSum(from + j, a.from, a.size, lanes);
      for (let k = 0; k < lanes; k++) this.#out[to + (j + k) * b.to]! += sums[k]!;
    }
    this.#scalars(a, b, from, to, j);
  }

  /** One row at a time, from the row `first` on. */
  #scalars(a: Axis, b: Axis, from: number, to: number, first: number): void {
    if (a.size < ROWS) this.#shortScalars(a, b, from, to, first);
    else
      for (let j = first; j < b.size; j++)
        this.#out[to + j * b.to]! += this.#rowSum(from + j * b.from, a.from, a.size, 1)[0]!;
  }

  /** Rows of few elements, whose sums have no parts. */
  #shortScalars(a: Axis, b: Axis, from: number, to: number, first: number): void {
    for (let j = first; j < b.size; j++)
      this.#out[to + j * b.to]! += this.#add(0, this.#data, from + j * b.from, a.from, a.size);
  }

  #scalarColumns(a: Axis, b: Axis, from: number, to: number): void {
    let j = 0;
    for (; j + ROWS <= b.size; j += ROWS) {
      const sums = this.#sums(from + j * b.from, a.from, a.size, b.from, 1);
      for (let k = 0; k < ROWS; k++) this.#out[to + (j + k) * b.to]! += sums[k]!;
    }
    this.#scalars(a, b, from, to, j);
  }

  /**
   * Returns the sum of so many vectors, one at each `stride`: every fourth one in a sum of its row.
   */
  #rowSum(from: number, stride: number, size: number, lanes: number): Floats {
    const quarter = (size / ROWS) | 0;
    const sums = quarter > 0 ? this.#sums(from, stride * ROWS, quarter, stride, lanes) : this.#levels[0]!;
    if (quarter === 0) clear(sums, lanes);
    for (let i = quarter * ROWS; i < size; i++)
      for (let lane = 0; lane < lanes; lane++) sums[lane]! += this.#data[from + i * stride + lane]!;
    if (quarter > 0)
      for (let k = lanes; k < ROWS * lanes; k += lanes)
        for (let lane = 0; lane < lanes; lane++) sums[lane]! += sums[k + lane]!;
    return sums;
  }

  /**
   * Returns the sums of four rows of vectors beside each other. Each level collects the sums of a
   * power of two of steps of the level below, so that errors grow with the logarithm of the size.
   */
  #sums(from: number, step: number, size: number, stride: number, lanes: number): Floats {
    const levels = this.#levels;
    const [sums] = levels;
    const power = Math.max(4, Math.floor(ceilLog2(size) / LEVELS));
    const length = 1 << power;
    const count = ROWS * lanes;
    const whole = size - (size % length);
    if (whole > 0) for (let level = 1; level < LEVELS; level++) clear(levels[level]!, count);
    for (let i = 0; i < whole; ) {
      const runs = Math.min(length, (whole - i) >> power);
      this.#steps({ from: from + i * step, step, length, runs, stride, lanes }, levels[1]!);
      i += runs * length;
      for (let level = 2; level < LEVELS; level++) {
        if (Math.floor(i / 2 ** ((level - 1) * power)) % length !== 0) break;
        moveUp(levels[level - 1]!, levels[level]!, count);
      }
    }
    const rest = size - whole;
    this.#steps({ from: from + whole * step, step, length: rest, runs: 1, stride, lanes }, sums!);
    if (whole > 0)
      for (let level = 1; level < LEVELS; level++)
        for (let k = 0; k < count; k++) sums![k]! += levels[level]![k]!;
    return sums!;
  }

  /** Stores the sums of vectors of each of the four rows. */
  #steps(run: Run, sums: Floats): void {
    const { stride, lanes } = run;
    const sum = this.#data instanceof Float32Array ? sumSingles : sumDoubles;
    if (lanes === 1) sum(this.#data, run, run.from, stride, sums, 0);
    else
      for (let row = 0, k = 0; row < ROWS; row++)
        for (let lane = 0; lane < lanes; lane += 4, k += 4)
          sum(this.#data, run, run.from + row * stride + lane, 1, sums, k);
  }
}

/** Steps of four rows of vectors: so many runs of so many steps, whose sums are added. */
interface Run {
  readonly from: number;
  readonly step: number;
  readonly length: number;
  readonly runs: number;
  /** From one row to the next. */
  readonly stride: number;
  readonly lanes: number;
}

/** Adds elements to a sum, one after the other. */
function addSingles(start: number, data: Floats, from: number, step: number, size: number): number {
  const { fround } = Math;
  let sum = start;
  for (let i = 0, at = from; i < size; i++, at += step) sum = fround(sum + data[at]!);
  return sum;
}

function addDoubles(start: number, data: Floats, from: number, step: number, size: number): number {
  let sum = start;
  for (let i = 0, at = from; i < size; i++, at += step) sum += data[at]!;
  return sum;
}

/**
 * Four sums of sums of elements. Engines keep all of them in registers, and as float32. Sums start
 * from zero, so that none is a negative zero.
 */
function sumSingles(
  data: Floats,
  { step, length, runs }: Run,
  from: number,
  stride: number,
  sums: Floats,
  k: number,
): void {
  const { fround } = Math;
  let sumA = fround(0);
  let sumB = fround(0);
  let sumC = fround(0);
  let sumD = fround(0);
  for (let run = 0, at = from; run < runs; run++) {
    let a = fround(0);
    let b = fround(0);
    let c = fround(0);
    let d = fround(0);
    for (let i = 0; i < length; i++, at += step) {
      a = fround(a + data[at]!);
      b = fround(b + data[at + stride]!);
      c = fround(c + data[at + 2 * stride]!);
      d = fround(d + data[at + 3 * stride]!);
    }
    sumA = fround(sumA + a);
    sumB = fround(sumB + b);
    sumC = fround(sumC + c);
    sumD = fround(sumD + d);
  }
  sums[k] = sumA;
  sums[k + 1] = sumB;
  sums[k + 2] = sumC;
  sums[k + 3] = sumD;
}

function sumDoubles(
  data: Floats,
  { step, length, runs }: Run,
  from: number,
  stride: number,
  sums: Floats,
  k: number,
): void {
  let sumA = 0;
  let sumB = 0;
  let sumC = 0;
  let sumD = 0;
  for (let run = 0, at = from; run < runs; run++) {
    let a = 0;
    let b = 0;
    let c = 0;
    let d = 0;
    for (let i = 0; i < length; i++, at += step) {
      a += data[at]!;
      b += data[at + stride]!;
      c += data[at + 2 * stride]!;
      d += data[at + 3 * stride]!;
    }
    sumA += a;
    sumB += b;
    sumC += c;
    sumD += d;
  }
  sums[k] = sumA;
  sums[k + 1] = sumB;
  sums[k + 2] = sumC;
  sums[k + 3] = sumD;
}

function moveUp(low: Floats, high: Floats, count: number): void {
  for (let k = 0; k < count; k++) {
    high[k]! += low[k]!;
    low[k] = 0;
  }
}

function clear(level: Floats, count: number): void {
  for (let k = 0; k < count; k++) level[k] = 0;
}

const ceilLog2 = (size: number): number => (size <= 2 ? 1 : 32 - Math.clz32(size - 1));
