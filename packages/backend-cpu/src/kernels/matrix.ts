/**
 * @file Small dense matrices, real or complex, in columns as LAPACK keeps them; kernels of linear
 * algebra compute on them.
 */

import { isComplexDType, numel, type Tensor } from "@sconce/tensor";
import { finishOutput, readComplex, readFloat64, writeComplex } from "../kernel/dense.js";
import { scratch } from "../kernel/scratch.js";

/** Real and imaginary parts; no imaginary parts for real numbers. */
export interface Parts {
  readonly re: Float64Array;
  readonly im: Float64Array | undefined;
}

/** Element (i, j) is at `j * rows + i`. */
export interface Matrix extends Parts {
  readonly rows: number;
  readonly columns: number;
}

/** A number that algorithms change in place, so that none is allocated per element. */
export interface Complex {
  re: number;
  im: number;
}

/** Returns a matrix of zeros. */
export const zeros = (rows: number, columns: number, complex: boolean): Matrix => ({
  rows,
  columns,
  re: scratch(Float64Array, rows * columns),
  im: complex ? scratch(Float64Array, rows * columns) : undefined,
});

/** Ones on the diagonal. */
export function identity(rows: number, columns: number, complex: boolean): Matrix {
  const matrix = zeros(rows, columns, complex);
  for (let i = 0; i < Math.min(rows, columns); i++) matrix.re[i * rows + i] = 1;
  return matrix;
}

export const copyOf = ({ rows, columns, re, im }: Matrix): Matrix => ({
  rows,
  columns,
  re: re.slice(),
  im: im?.slice(),
});

/** Returns the first columns, as a copy. */
export const firstColumns = ({ rows, re, im }: Matrix, columns: number): Matrix => ({
  rows,
  columns,
  re: re.slice(0, rows * columns),
  im: im?.slice(0, rows * columns),
});

/** Rows and columns exchanged, conjugated when `conjugate`. */
export function transposed(matrix: Matrix, conjugate = false): Matrix {
  const { rows, columns, re, im } = matrix;
  const result = zeros(columns, rows, im !== undefined);
  for (let j = 0; j < columns; j++) {
    for (let i = 0; i < rows; i++) {
      result.re[i * columns + j] = re[j * rows + i]!;
      if (im !== undefined) result.im![i * columns + j] = conjugate ? -im[j * rows + i]! : im[j * rows + i]!;
    }
  }
  return result;
}

export const adjoint = (matrix: Matrix): Matrix => transposed(matrix, true);

/**
 * Returns which elements of a matrix to keep: of the triangle at and above (or below) a diagonal.
 */
export function triangle(matrix: Matrix, part: "upper" | "lower", offset = 0): Matrix {
  const result = copyOf(matrix);
  const { rows, columns } = matrix;
  for (let j = 0; j < columns; j++) {
    for (let i = 0; i < rows; i++) {
      if (part === "upper" ? j - i >= offset : j - i <= offset) continue;
      result.re[j * rows + i] = 0;
      if (result.im !== undefined) result.im[j * rows + i] = 0;
    }
  }
  return result;
}

/** Returns the upper left corner of another size; what is outside of the matrix is zero. */
export function resized(matrix: Matrix, rows: number, columns: number): Matrix {
  const result = zeros(rows, columns, matrix.im !== undefined);
  const height = Math.min(rows, matrix.rows);
  for (let j = 0; j < Math.min(columns, matrix.columns); j++) {
    const from = j * matrix.rows;
    result.re.set(matrix.re.subarray(from, from + height), j * rows);
    result.im?.set(matrix.im!.subarray(from, from + height), j * rows);
  }
  return result;
}

/** `A B`, column by column. */
export function multiply(a: Matrix, b: Matrix): Matrix {
  const result = zeros(a.rows, b.columns, a.im !== undefined || b.im !== undefined);
  for (let j = 0; j < b.columns; j++) {
    for (let k = 0; k < a.columns; k++) {
      const at = j * b.rows + k;
      addScaled(a.rows, b.re[at]!, b.im?.[at] ?? 0, a, k * a.rows, 1, result, j * a.rows, 1);
    }
  }
  return result;
}

/** `y += f x` on runs of numbers, each with its start and step. */
export function addScaled(
  count: number,
  fr: number,
  fi: number,
  x: Parts,
  px: number,
  dx: number,
  y: Parts,
  py: number,
  dy: number,
): void {
  if (fr === 0 && fi === 0) return;
  const { re: xr, im: xi } = x;
  const { re: yr, im: yi } = y;
  if (yi === undefined) {
    for (let i = 0, p = px, q = py; i < count; i++, p += dx, q += dy) yr[q]! += fr * xr[p]!;
    return;
  }
  for (let i = 0, p = px, q = py; i < count; i++, p += dx, q += dy) {
    const im = xi === undefined ? 0 : xi[p]!;
    yr[q]! += fr * xr[p]! - fi * im;
    yi[q]! += fr * im + fi * xr[p]!;
  }
}

/** Sum of `conj(x) y`, left in `into`. */
export function dot(
  into: Complex,
  count: number,
  x: Parts,
  px: number,
  dx: number,
  y: Parts,
  py: number,
  dy: number,
): void {
  let [re, im] = [0, 0];
  const { re: xr, im: xi } = x;
  const { re: yr, im: yi } = y;
  if (xi === undefined || yi === undefined) {
    for (let i = 0, p = px, q = py; i < count; i++, p += dx, q += dy) re += xr[p]! * yr[q]!;
  } else {
    for (let i = 0, p = px, q = py; i < count; i++, p += dx, q += dy) {
      re += xr[p]! * yr[q]! + xi[p]! * yi[q]!;
      im += xr[p]! * yi[q]! - xi[p]! * yr[q]!;
    }
  }
  into.re = re;
  into.im = im;
}

/** `x *= f`. */
export function scale(count: number, fr: number, fi: number, x: Parts, px: number, dx: number): void {
  const { re, im } = x;
  for (let i = 0, p = px; i < count; i++, p += dx) {
    const value = re[p]!;
    if (im === undefined) re[p] = fr * value;
    else {
      re[p] = fr * value - fi * im[p]!;
      im[p] = fr * im[p]! + fi * value;
    }
  }
}

/** Euclidean length, without overflow on the way. */
export function norm(count: number, x: Parts, px: number, dx: number): number {
  let [size, sum] = [0, 1];
  const add = (value: number): void => {
    const magnitude = Math.abs(value);
    if (magnitude === 0) return;
    if (size < magnitude) {
      sum = 1 + sum * (size / magnitude) ** 2;
      size = magnitude;
    } else sum += (magnitude / size) ** 2;
  };
  for (let i = 0, p = px; i < count; i++, p += dx) {
    add(x.re[p]!);
    if (x.im !== undefined) add(x.im[p]!);
  }
  // A NaN is never larger, so it shows in the sum only.
  return size === 0 && !Number.isNaN(sum) ? 0 : size * Math.sqrt(sum);
}

export function swap(
  count: number,
  x: Parts,
  px: number,
  dx: number,
  y: Parts,
  py: number,
  dy: number,
): void {
  for (let i = 0, p = px, q = py; i < count; i++, p += dx, q += dy) {
    const kept = x.re[p]!;
    x.re[p] = y.re[q]!;
    y.re[q] = kept;
    if (x.im === undefined || y.im === undefined) continue;
    const other = x.im[p]!;
    x.im[p] = y.im[q]!;
    y.im[q] = other;
  }
}

export const swapColumns = (m: Matrix, a: number, b: number): void =>
  swap(m.rows, m, a * m.rows, 1, m, b * m.rows, 1);
export const swapRows = (m: Matrix, a: number, b: number): void =>
  swap(m.columns, m, a, m.rows, m, b, m.rows);

/** Rotates columns `a` and `b` by an angle: `a' = c a + s b`, `b' = c b - s a`. */
export function rotateColumns(matrix: Matrix, a: number, b: number, c: number, s: number): void {
  const { rows } = matrix;
  for (const part of matrix.im === undefined ? [matrix.re] : [matrix.re, matrix.im]) {
    for (let i = 0, p = a * rows, q = b * rows; i < rows; i++, p++, q++) {
      const [x, y] = [part[p]!, part[q]!];
      part[p] = c * x + s * y;
      part[q] = c * y - s * x;
    }
  }
}

/** `a / b`, left in `into` (Smith's division: no overflow of |b|^2). */
export function divide(into: Complex, ar: number, ai: number, br: number, bi: number): void {
  if (bi === 0) {
    into.re = ar / br;
    into.im = ai / br;
  } else if (Math.abs(br) >= Math.abs(bi)) {
    const ratio = bi / br;
    const size = br + bi * ratio;
    into.re = (ar + ai * ratio) / size;
    into.im = (ai - ar * ratio) / size;
  } else {
    const ratio = br / bi;
    const size = br * ratio + bi;
    into.re = (ar * ratio + ai) / size;
    into.im = (ai * ratio - ar) / size;
  }
}

/**
 * Returns the matrices in the last two dimensions, as copies; broadcast to the shape when given.
 */
export function readMatrices(tensor: Tensor, shape: readonly number[] = tensor.shape): Matrix[] {
  const [rows, columns] = shape.slice(-2) as [number, number];
  const complex = isComplexDType(tensor.dtype);
  const values = complex ? readComplex(tensor, shape) : readFloat64(tensor, shape);
  const step = complex ? 2 : 1;
  return Array.from({ length: numel(shape.slice(0, -2)) }, (_, b) => {
    const matrix = zeros(rows, columns, complex);
    let at = b * rows * columns * step;
    for (let i = 0; i < rows; i++) {
      for (let j = 0; j < columns; j++, at += step) {
        matrix.re[j * rows + i] = values[at]!;
        if (complex) matrix.im![j * rows + i] = values[at + 1]!;
      }
    }
    return matrix;
  });
}

/** Returns the vectors in the last dimension, each as a matrix of one column. */
export const readVectors = (tensor: Tensor): Matrix[] =>
  readMatrices(tensor.asStrided([...tensor.shape, 1], [...tensor.strides, 1], tensor.storageOffset));

/** Stores matrices, one after the other, into a tensor of that many elements. */
export function writeMatrices(tensor: Tensor, matrices: readonly Matrix[]): Tensor {
  const complex = isComplexDType(tensor.dtype);
  const values = scratch(Float64Array, tensor.numel * (complex ? 2 : 1));
  let at = 0;
  for (const { rows, columns, re, im } of matrices) {
    for (let i = 0; i < rows; i++) {
      for (let p = i; p < rows * columns; p += rows) {
        values[at++] = re[p]!;
        if (complex) values[at++] = im?.[p] ?? 0;
      }
    }
  }
  if (!complex) return finishOutput(tensor, values);
  writeComplex(tensor, values);
  return tensor;
}

/** |re| + |im| of an element: as large as its magnitude within a factor of sqrt(2), and cheaper. */
export const size1 = ({ re, im }: Matrix, at: number): number => Math.abs(re[at]!) + Math.abs(im?.[at] ?? 0);
