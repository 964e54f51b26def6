/**
 * @file Products of rows that are quantized to 8 bits at once with weights of 4 bits
 * (`aten/src/ATen/native/cpu/int4mm_kernel.cpp`, the functions that begin with `ref_dyn_quant`).
 */

import { floatToInt32 } from "@sconce/tensor";
import { finishOutput, openOutput, readNumbers } from "../kernel/dense.js";
import { defineKernels, emptyOutput, kernel } from "../kernel/kernel.js";
import { clamp, roundHalfEven } from "./pointwise-math.js";

/** C++'s `std::round`: halves go away from zero. */
const roundAway = (x: number): number => Math.sign(x) * Math.floor(Math.abs(x) + 0.5);

interface QuantizedRow {
  readonly levels: Int32Array;
  /** A level times this is a value. */
  readonly step: number;
}

/** Comparisons are written as C++'s `std::max` and `std::min`, which pass NaN on or drop it. */
function quantizeRow(row: ArrayLike<number>): QuantizedRow {
  let [low, high] = [3.4028234663852886e38, -3.4028234663852886e38];
  for (let k = 0; k < row.length; k++) {
    const value = row[k]!;
    high = value < high ? high : value;
    low = low < value ? low : value;
  }
  const [least, most] = [low < 0 ? low : 0, 0 < high ? high : 0];
  const scale = least === most ? 1 : Math.fround(255 / Math.fround(most - least));
  const step = scale === 0 ? 0 : Math.fround(1 / scale);
  const [below, above] = [Math.fround(least * scale), Math.fround(most * scale)];
  const errors = Math.fround(Math.fround(-128 + below) + Math.fround(127 + above));
  const place = errors > 0 ? Math.fround(-128 - below) : Math.fround(127 - above);
  const zero = Number.isNaN(place) ? 0 : roundHalfEven(clamp(place, -128, 127));
  const levels = new Int32Array(row.length);
  for (let k = 0; k < row.length; k++) {
    const level = floatToInt32(roundAway(Math.fround(row[k]! * scale)));
    levels[k] = clamp((level + zero) | 0, -128, 127) - zero;
  }
  return { levels, step };
}

const product = kernel(
  "aten::_dyn_quant_matmul_4bit(Tensor inp, Tensor packed_weights, int block_size, int in_features, int out_features) -> Tensor",
  ({ inp, packed_weights: packed, block_size: size, in_features: inner, out_features: outer }, context) => {
    const out = emptyOutput(context);
    const [values, stored] = [readNumbers(inp), readNumbers(packed)];
    const [count, blocks] = [(outer * inner) / 2, inner / size];
    const bytes = Uint8Array.from(stored.subarray(0, count));
    const results = openOutput(out);
    const finish = inp.dtype === "bfloat16" ? cutToHalf : within;
    const bias = count + outer * blocks;
    const hasBias = stored.length > bias;
    for (let m = 0; m < inp.shape[0]!; m++) {
      const { levels, step } = quantizeRow(values.subarray(m * inner, (m + 1) * inner));
      for (let n = 0; n < outer; n++) {
        let sum = 0;
        for (let b = 0; b < blocks; b++) {
          const total = dot(levels, bytes, n * inner, b * size, size);
          const scale = stored[count + n * blocks + b]!;
          sum = Math.fround(sum + Math.fround(Math.fround(total) * scale));
        }
        const scaled = Math.fround(sum * step);
        results[m * outer + n] = finish(hasBias ? Math.fround(scaled + stored[bias + n]!) : scaled);
      }
    }
    return finishOutput(out, results);
  },
);

/** Integer sum of products of a block. */
function dot(levels: Int32Array, bytes: Uint8Array, row: number, from: number, size: number): number {
  let sum = 0;
  for (let k = from; k < from + size; k++) {
    const byte = bytes[(row + k) >> 1]!;
    sum += levels[k]! * (((k & 1) === 0 ? byte & 15 : byte >> 4) - 8);
  }
  return sum | 0;
}

/** Greatest finite bfloat16, and float32, as the kernels write them. */
const [MOST_HALF, MOST] = [Math.fround(3.38953139e38), 3.4028234663852886e38];

/** Infinities become the greatest finite number. */
const within = (value: number): number => Math.min(Math.max(value, -MOST), MOST);

/** Returns the upper 16 bits of a float32, within the greatest finite bfloat16. */
function cutToHalf(value: number): number {
  word[0] = Math.min(Math.max(value, -MOST_HALF), MOST_HALF);
  bits[0]! &= 0xffff0000;
  return word[0]!;
}

const word = new Float32Array(1);
const bits = new Uint32Array(word.buffer);

export const matmulDynamicKernels = defineKernels([product]);
