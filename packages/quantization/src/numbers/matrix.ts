/** @file Matrices of floats as codes with a scale for each group of a row. */
import {
  type CodeRange,
  chooseParameters,
  codeOf,
  numberOf,
  type QuantizationParameters,
} from "./parameters.js";

/** How a matrix is quantized. */
export interface MatrixScheme {
  /** The codes that are used. */
  readonly range: CodeRange;
  /** Elements of a row that share a scale; it divides the length of a row. */
  readonly group: number;
  /** Whether the zero point of all groups is the middle of the range. */
  readonly isSymmetric: boolean;
  /** `absmax` keeps the largest magnitude; `mse` searches the range of the least squared error. */
  readonly scheme: "absmax" | "mse";
  /** The least scale. */
  readonly eps: number;
}

/** A quantized matrix. */
export interface QuantizedMatrix {
  /** The code of each element, row by row. */
  readonly codes: Int16Array;
  /** The scale of each group, row by row. */
  readonly scales: Float32Array;
  /** The zero point of each group. */
  readonly zeros: Int32Array;
}

/** The ranges that `mse` tries: parts of that of the values. */
const SHRINKS = Array.from({ length: 61 }, (_, i) => 1 - i / 100);

/** Quantizes a matrix, row by row; the group divides the length of a row. */
export function quantizeMatrix(values: Float32Array, options: MatrixScheme): QuantizedMatrix {
  const { group, range } = options;
  const groups = values.length / group;
  const codes = new Int16Array(values.length);
  const [scales, zeros] = [new Float32Array(groups), new Int32Array(groups)];
  for (let g = 0; g < groups; g++) {
    const items = values.subarray(g * group, (g + 1) * group);
    const parameters = parametersOf(items, options);
    scales[g] = parameters.scale;
    zeros[g] = parameters.zero;
    for (let i = 0; i < group; i++) codes[g * group + i] = codeOf(items[i]!, parameters, range);
  }
  return { codes, scales, zeros };
}

/** Returns the parameters of a group. */
export function parametersOf(
  items: Float32Array,
  { range, isSymmetric, scheme, eps }: MatrixScheme,
): QuantizationParameters {
  let [low, high] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const value of items) {
    low = Math.min(low, value);
    high = Math.max(high, value);
  }
  let best = chooseParameters(low, high, range, isSymmetric, eps);
  if (scheme === "absmax") return best;
  let least = errorOf(items, best, range, Number.POSITIVE_INFINITY);
  for (const shrink of SHRINKS) {
    const tried = chooseParameters(
      Math.fround(low * shrink),
      Math.fround(high * shrink),
      range,
      isSymmetric,
      eps,
    );
    const error = errorOf(items, tried, range, least);
    if (error >= least) continue;
    [best, least] = [tried, error];
  }
  return best;
}

/** Returns the sum of squared errors, or a part of it that reaches `bound`. */
function errorOf(
  items: Float32Array,
  parameters: QuantizationParameters,
  range: CodeRange,
  bound: number,
): number {
  let sum = 0;
  for (let i = 0; i < items.length && sum < bound; i++) {
    const error = items[i]! - numberOf(codeOf(items[i]!, parameters, range), parameters);
    sum += error * error;
  }
  return sum;
}
