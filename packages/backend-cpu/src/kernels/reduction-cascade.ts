/**
 * @file Sums of floats in the order of PyTorch's kernel (`SumKernel.cpp`), so that they have its
 * bits: partial sums of 4 levels in 32 lanes, by the strides of the tensor. The kernel has the same
 * 8 lanes on every processor; it divides sums of more than 32,768 elements among threads, which
 * this one does not.
 */
import type { Tensor } from "@sconce/tensor";
import { scratchLike } from "../kernel/scratch.js";
import { reducedDims } from "./reduction-rows.js";

/** A typed array of the floats that are summed: storing a sum rounds it. */
export type Floats = Float32Array | Float64Array;

/** A dimension of both tensors; the output has no stride where it is reduced. */
interface Axis {
  size: number;
  /** Strides in elements, of the input and the output. */
  from: number;
  to: number;
}

const NO_AXIS: Axis = { size: 1, from: 0, to: 0 };
const LEVELS = 4;
/** Elements of a vector of 256 bits of float32. PyTorch's vectors of float64 have half as many. */
const lanesOf = (data: Floats): number => 32 / data.BYTES_PER_ELEMENT;
/** Sums that run beside each other. */
const ROWS = 4;

/** The sums over some dimensions, in row-major order of the others. */
export function cascadeSums(
  self: Tensor,
  dims: readonly number[] | number | null,
  count: number,
  ignoreNan = false,
): Floats {
  const source = self.data as Floats;
  const out = scratchLike(source, count);
  if (self.numel === 0) return out;
  const axes = joined(sorted(axesOf(self, dims)));
  const [inner = NO_AXIS, outer = NO_AXIS, ...others] = axes;
  const sum = new Cascade(ignoreNan ? withoutNan(source) : source, out);
  const visit = (level: number, from: number, to: number): void => {
    if (level < 0) {
      sum.plane(inner, outer, from, to);
      return;
    }
    const axis = others[level]!;
    for (let i = 0; i < axis.size; i++) visit(level - 1, from + i * axis.from, to + i * axis.to);
  };
  visit(others.length - 1, self.storageOffset, 0);
  return out;
}

/** The dimensions, the last one first. */
function axesOf({ shape, strides, ndim }: Tensor, dims: readonly number[] | number | null): Axis[] {
  const reduced = new Set(reducedDims(ndim, dims));
  const axes: Axis[] = [];
  let step = 1;
  for (let d = ndim - 1; d >= 0; d--) {
    const size = shape[d]!;
    axes.push({ size, from: strides[d]!, to: reduced.has(d) ? 0 : step });
    if (!reduced.has(d)) step *= size;
  }
  return axes;
}

/**
 * Reduced dimensions first, then by strides, as `reorder_dimensions` of `TensorIterator.cpp` does
 * it: comparisons may be ambiguous, so the kind of sort matters.
 */
function sorted(axes: Axis[]): Axis[] {
  for (let i = 1; i < axes.length; i++) {
    let at = i;
    for (let before = i - 1; before >= 0; before--) {
      const order = comparison(axes[before]!, axes[at]!);
      if (order < 0) break;
      if (order === 0) continue;
      [axes[before], axes[at]] = [axes[at]!, axes[before]!];
      at = before;
    }
  }
  return axes;
}

function comparison(a: Axis, b: Axis): number {
  if ((a.to === 0) !== (b.to === 0)) return b.to === 0 ? 1 : -1;
  for (const key of ["to", "from"] as const) {
    if (a[key] === 0 || b[key] === 0) continue;
    if (a[key] !== b[key]) return a[key] < b[key] ? -1 : 1;
    if (a.size > b.size) return 1;
  }
  return 0;
}

/** Dimensions that follow each other in both tensors, as one (`coalesce_dimensions`). */
function joined(axes: readonly Axis[]): Axis[] {
  const out: Axis[] = [];
  for (const axis of axes) {
    const last = out.at(-1);
    const isNext =
      last !== undefined &&
      (last.size === 1 ||
        axis.size === 1 ||
        (last.size * last.from === axis.from && last.size * last.to === axis.to));
    if (!isNext) out.push({ ...axis });
    else if (last.size === 1) Object.assign(last, axis);
    else last.size *= axis.size;
  }
  return out;
}

function withoutNan(data: Floats): Floats {
  const out = scratchLike(data, data.length);
  for (let i = 0; i < data.length; i++) out[i] = Number.isNaN(data[i]!) ? 0 : data[i]!;
  return out;
}

class Cascade {
  readonly #data: Floats;
  readonly #out: Floats;
  readonly #lanes: number;
  /** For each level, the partial sums of all lanes. */
  readonly #levels: readonly Floats[];
  readonly #total: Floats;

  constructor(data: Floats, out: Floats) {
    this.#data = data;
    this.#out = out;
    this.#lanes = lanesOf(data);
    this.#levels = Array.from({ length: LEVELS }, () => scratchLike(data, ROWS * this.#lanes));
    this.#total = scratchLike(data, 1);
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
    const vectors = Math.floor(a.size / lanes);
    const total = this.#total;
    for (let j = 0; j < b.size; j++) {
      const row = from + j * b.from;
      const sums = this.#rowSum(row, lanes, vectors, lanes);
      total[0] = 0;
      for (let k = vectors * lanes; k < a.size; k++) total[0]! += this.#data[row + k]!;
      for (let lane = 0; lane < lanes; lane++) total[0]! += sums[lane]!;
      this.#out[to + j * b.to]! += total[0]!;
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
    const data = this.#data;
    const total = this.#total;
    for (let j = first; j < b.size; j++) {
      total[0] = 0;
      for (let i = 0, at = from + j * b.from; i < a.size; i++, at += a.from) total[0]! += data[at]!;
      this.#out[to + j * b.to]! += total[0]!;
    }
  }

  #scalarColumns(a: Axis, b: Axis, from: number, to: number): void {
    let j = 0;
    for (; j + ROWS <= b.size; j += ROWS) {
      const sums = this.#sums(from + j * b.from, a.from, a.size, b.from, 1);
      for (let k = 0; k < ROWS; k++) this.#out[to + (j + k) * b.to]! += sums[k]!;
    }
    this.#scalars(a, b, from, to, j);
  }

  /** The sum of so many vectors, one at each `stride`: every fourth one in a sum of its row. */
  #rowSum(from: number, stride: number, size: number, lanes: number): Floats {
    const quarter = Math.floor(size / ROWS);
    const sums = this.#sums(from, stride * ROWS, quarter, stride, lanes);
    for (let i = quarter * ROWS; i < size; i++)
      for (let lane = 0; lane < lanes; lane++) sums[lane]! += this.#data[from + i * stride + lane]!;
    if (quarter > 0)
      for (let k = lanes; k < ROWS * lanes; k += lanes)
        for (let lane = 0; lane < lanes; lane++) sums[lane]! += sums[k + lane]!;
    return sums;
  }

  /**
   * The sums of four rows of vectors beside each other. Each level collects the sums of a power of
   * two of steps of the level below, so that errors grow with the logarithm of the size.
   */
  #sums(from: number, step: number, size: number, stride: number, lanes: number): Floats {
    const levels = this.#levels;
    const [sums] = levels;
    const power = Math.max(4, Math.floor(ceilLog2(size) / LEVELS));
    const length = 2 ** power;
    const count = ROWS * lanes;
    const whole = size - (size % length);
    if (whole > 0) for (let level = 1; level < LEVELS; level++) clear(levels[level]!, count);
    for (let i = 0; i < whole; ) {
      this.#steps(from + i * step, step, length, stride, lanes);
      i += length;
      for (let level = 1; level < LEVELS; level++) {
        moveUp(levels[level - 1]!, levels[level]!, count);
        if (Math.floor(i / 2 ** (level * power)) % length !== 0) break;
      }
    }
    this.#steps(from + whole * step, step, size - whole, stride, lanes);
    if (whole > 0)
      for (let level = 1; level < LEVELS; level++)
        for (let k = 0; k < count; k++) sums![k]! += levels[level]![k]!;
    return sums!;
  }

  /** The sums of so many vectors of each of the four rows, at the lowest level. */
  #steps(from: number, step: number, length: number, stride: number, lanes: number): void {
    const sum = this.#data instanceof Float32Array ? sumSingles : sumDoubles;
    const sums = this.#levels[0]!;
    if (lanes === 1) sum(this.#data, from, step, length, stride, sums, 0);
    else
      for (let row = 0, k = 0; row < ROWS; row++)
        for (let lane = 0; lane < lanes; lane += 4, k += 4)
          sum(this.#data, from + row * stride + lane, step, length, 1, sums, k);
  }
}

/** Four sums of elements. Engines keep the sums in registers, and as float32. */
function sumSingles(
  data: Floats,
  from: number,
  step: number,
  length: number,
  stride: number,
  sums: Floats,
  k: number,
): void {
  const { fround } = Math;
  let a = fround(0);
  let b = fround(0);
  let c = fround(0);
  let d = fround(0);
  for (let i = 0, at = from; i < length; i++, at += step) {
    a = fround(a + data[at]!);
    b = fround(b + data[at + stride]!);
    c = fround(c + data[at + 2 * stride]!);
    d = fround(d + data[at + 3 * stride]!);
  }
  sums[k] = a;
  sums[k + 1] = b;
  sums[k + 2] = c;
  sums[k + 3] = d;
}

function sumDoubles(
  data: Floats,
  from: number,
  step: number,
  length: number,
  stride: number,
  sums: Floats,
  k: number,
): void {
  let a = 0;
  let b = 0;
  let c = 0;
  let d = 0;
  for (let i = 0, at = from; i < length; i++, at += step) {
    a += data[at]!;
    b += data[at + stride]!;
    c += data[at + 2 * stride]!;
    d += data[at + 3 * stride]!;
  }
  sums[k] = a;
  sums[k + 1] = b;
  sums[k + 2] = c;
  sums[k + 3] = d;
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
