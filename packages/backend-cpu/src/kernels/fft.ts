/** @file Discrete Fourier transforms of any length over any dimensions, in float64. */

import { axisOf } from "../kernel/axis.js";
import { finishOutput, readComplex, writeComplex } from "../kernel/dense.js";
import { defineKernels, emptyOutput, kernel } from "../kernel/kernel.js";
import { scratch } from "../kernel/scratch.js";
import { planTransform } from "./fft-line.js";

/** Transforms every line along a dimension of interleaved complex numbers, in place. */
function transformAlong(values: Float64Array, shape: readonly number[], dim: number, sign: 1 | -1): void {
  const { outer, size, inner } = axisOf(shape, dim);
  const line = scratch(Float64Array, 2 * size);
  const transform = planTransform(size, sign);
  for (let o = 0; o < outer; o++) {
    for (let n = 0; n < inner; n++) {
      const start = 2 * (o * size * inner + n);
      for (let i = 0, p = start; i < size; i++, p += 2 * inner) {
        line[2 * i] = values[p]!;
        line[2 * i + 1] = values[p + 1]!;
      }
      const result = transform(line);
      for (let i = 0, p = start; i < size; i++, p += 2 * inner) {
        values[p] = result[2 * i]!;
        values[p + 1] = result[2 * i + 1]!;
      }
    }
  }
}

/** 0: none, 1: by the root of the number of elements transformed, 2: by that number. */
function normalize(values: Float64Array, count: number, normalization: number): void {
  if (normalization === 0 || count === 0) return;
  const scale = 1 / (normalization === 1 ? Math.sqrt(count) : count);
  for (let i = 0; i < values.length; i++) values[i]! *= scale;
}

const transformedCount = (shape: readonly number[], dims: readonly number[]): number =>
  dims.reduce((count, dim) => count * shape.at(dim)!, 1);

const complexToComplex = kernel(
  "aten::_fft_c2c(Tensor self, SymInt[] dim, int normalization, bool forward) -> Tensor",
  ({ self, dim, normalization, forward }, context) => {
    const out = emptyOutput(context);
    const values = readComplex(self);
    for (const d of dim) transformAlong(values, self.shape, d, forward ? -1 : 1);
    normalize(values, transformedCount(self.shape, dim), normalization);
    writeComplex(out, values);
    return out;
  },
);

const realToComplex = kernel(
  "aten::_fft_r2c(Tensor self, int[] dim, int normalization, bool onesided) -> Tensor",
  ({ self, dim, normalization, onesided }, context) => {
    const out = emptyOutput(context);
    const values = readComplex(self);
    for (const d of dim) transformAlong(values, self.shape, d, -1);
    normalize(values, transformedCount(self.shape, dim), normalization);
    const last = dim[dim.length - 1];
    writeComplex(
      out,
      onesided && last !== undefined ? resized(values, self.shape, last, out.shape.at(last)!) : values,
    );
    return out;
  },
);

/** Returns the first `size` elements along a dimension. */
function resized(values: Float64Array, shape: readonly number[], dim: number, size: number): Float64Array {
  const { outer, size: from, inner } = axisOf(shape, dim);
  const out = scratch(Float64Array, 2 * outer * size * inner);
  const kept = Math.min(from, size) * 2 * inner;
  for (let o = 0; o < outer; o++) {
    out.set(values.subarray(o * from * 2 * inner, o * from * 2 * inner + kept), o * size * 2 * inner);
  }
  return out;
}

/** The inverse of a one-sided transform: the other half is the mirrored conjugate. */
const complexToReal = kernel(
  "aten::_fft_c2r(Tensor self, int[] dim, int normalization, SymInt last_dim_size) -> Tensor",
  ({ self, dim, normalization }, context) => {
    const out = emptyOutput(context);
    const values = readComplex(self);
    for (const d of dim.slice(0, -1)) transformAlong(values, self.shape, d, 1);
    const last = dim[dim.length - 1]!;
    const { outer, size: from, inner } = axisOf(self.shape, last);
    const size = out.shape.at(last)!;
    const real = scratch(Float64Array, outer * size * inner);
    const line = scratch(Float64Array, 2 * size);
    const transform = planTransform(size, 1);
    for (let o = 0; o < outer; o++) {
      for (let n = 0; n < inner; n++) {
        for (let i = 0; i < size; i++) {
          const mirrored = i > Math.floor(size / 2);
          const source = mirrored ? size - i : i;
          const p = 2 * ((o * from + source) * inner + n);
          line[2 * i] = source < from ? values[p]! : 0;
          line[2 * i + 1] =
            source < from && source !== 0 && 2 * source !== size ? (mirrored ? -1 : 1) * values[p + 1]! : 0;
        }
        const result = transform(line);
        for (let i = 0; i < size; i++) real[(o * size + i) * inner + n] = result[2 * i]!;
      }
    }
    normalize(real, transformedCount(out.shape, dim), normalization);
    return finishOutput(out, real);
  },
);

export const fftKernels = defineKernels([complexToComplex, realToComplex, complexToReal]);
