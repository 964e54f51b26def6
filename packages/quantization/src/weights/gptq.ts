/**
 * @file The scheme `gptq`: codes that make the outputs of a layer near, column by column, where
 * each column makes up for the errors of those before (Frantar et al., 2022, "GPTQ").
 */
import type { MatrixScheme, QuantizedMatrix } from "../numbers/matrix.js";
import { parametersOf } from "../numbers/matrix.js";
import { codeOf, numberOf, type QuantizationParameters } from "../numbers/parameters.js";

/** The part of the mean of the diagonal that is added to it, as published. */
const DAMPING = 0.01;

/**
 * Quantizes a matrix whose rows are output channels.
 *
 * @param hessian the sum of `x x^T` over the inputs `x` of the layer, row by row
 */
export function quantizeGptq(
  given: Float32Array,
  columns: number,
  hessian: Float64Array,
  scheme: MatrixScheme,
): QuantizedMatrix {
  const values = Float64Array.from(given);
  const rows = values.length / columns;
  const factor = inverseFactor(damped(hessian, columns), columns);
  const groups = columns / scheme.group;
  const codes = new Int16Array(values.length);
  const [scales, zeros] = [new Float32Array(rows * groups), new Int32Array(rows * groups)];
  for (let row = 0; row < rows; row++) {
    const own = values.subarray(row * columns, (row + 1) * columns);
    let parameters: QuantizationParameters | undefined;
    for (let column = 0; column < columns; column++) {
      if (column % scheme.group === 0) {
        const items = Float32Array.from(own.subarray(column, column + scheme.group));
        parameters = parametersOf(items, scheme);
        const group = row * groups + column / scheme.group;
        [scales[group], zeros[group]] = [parameters.scale, parameters.zero];
      }
      const value = Math.fround(own[column]!);
      const code = codeOf(value, parameters!, scheme.range);
      codes[row * columns + column] = code;
      const error = (own[column]! - numberOf(code, parameters!)) / factor[column * columns + column]!;
      for (let next = column + 1; next < columns; next++)
        own[next]! -= error * factor[column * columns + next]!;
    }
  }
  return { codes, scales, zeros };
}

/** Returns the matrix with a larger diagonal; inputs that are always 0 get 1. */
function damped(hessian: Float64Array, size: number): Float64Array {
  const result = hessian.slice();
  let trace = 0;
  for (let i = 0; i < size; i++) {
    if (result[i * size + i] === 0) result[i * size + i] = 1;
    trace += result[i * size + i]!;
  }
  for (let i = 0; i < size; i++) result[i * size + i]! += (DAMPING * trace) / size;
  return result;
}

/** Returns the upper triangle `u` with `u^T u` the inverse of a positive definite matrix. */
function inverseFactor(matrix: Float64Array, size: number): Float64Array {
  const r = new Float64Array(size * size);
  // `r r^T` is the matrix, so the inverse of `r` is the factor.
  for (let j = size - 1; j >= 0; j--) {
    for (let i = j; i >= 0; i--) {
      let sum = matrix[i * size + j]!;
      for (let k = j + 1; k < size; k++) sum -= r[i * size + k]! * r[j * size + k]!;
      r[i * size + j] = i === j ? Math.sqrt(sum) : sum / r[j * size + j]!;
    }
  }
  const inverse = new Float64Array(size * size);
  for (let i = size - 1; i >= 0; i--) {
    const row = inverse.subarray(i * size, (i + 1) * size);
    for (let k = i + 1; k < size; k++) {
      const part = r[i * size + k]!;
      for (let j = k; j < size; j++) row[j]! -= part * inverse[k * size + j]!;
    }
    for (let j = i + 1; j < size; j++) row[j]! /= r[i * size + i]!;
    row[i] = 1 / r[i * size + i]!;
  }
  return inverse;
}
