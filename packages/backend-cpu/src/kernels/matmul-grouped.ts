/** @file Products of groups of rows or columns, which offsets divide. */
import type { Tensor } from "@sconce/tensor";
import { readFloat64, readNumbers, writeNumbers } from "../kernel/dense.js";
import { defineKernels, emptyOutput, kernel } from "../kernel/kernel.js";

/** One product: the rows of `a`, the columns of `b` and the terms that it takes. */
interface Group {
  readonly rows: readonly [from: number, to: number];
  readonly columns: readonly [from: number, to: number];
  readonly terms: readonly [from: number, to: number];
}

/** A matrix of a stack, or the whole of a single one. */
interface Plane {
  readonly values: Float64Array;
  readonly width: number;
  /** Elements of one matrix; 0 where all groups share it. */
  readonly size: number;
}

function planeOf(tensor: Tensor): Plane {
  const [rows, width] = tensor.shape.slice(-2) as [number, number];
  return { values: readFloat64(tensor), width, size: tensor.ndim === 3 ? rows * width : 0 };
}

/** Where each group ends; the whole stays together without offsets. */
function groupsOf(self: Tensor, mat2: Tensor, offs: Tensor | null): readonly Group[] {
  const [rows, terms, columns] = [self.shape.at(-2)!, self.shape.at(-1)!, mat2.shape.at(-1)!];
  const whole: Group = { rows: [0, rows], columns: [0, columns], terms: [0, terms] };
  if (offs === null) return Array.from({ length: self.shape[0]! }, () => whole);
  const ends = Array.from(readNumbers(offs));
  const key = self.ndim === 3 ? "columns" : mat2.ndim === 3 ? "rows" : "terms";
  return ends.map((end, g) => ({ ...whole, [key]: [g === 0 ? 0 : ends[g - 1]!, end] }));
}

const groupedMm = kernel(
  "aten::_grouped_mm(Tensor self, Tensor mat2, Tensor? offs=None, Tensor? bias=None, ScalarType? out_dtype=None) -> Tensor",
  ({ self, mat2, offs }, context) => {
    const out = emptyOutput(context);
    const [a, b] = [planeOf(self), planeOf(mat2)];
    const width = out.shape.at(-1)!;
    const size = out.ndim === 3 ? out.shape[1]! * width : 0;
    const results = new Float64Array(out.numel);
    for (const [g, { rows, columns, terms }] of groupsOf(self, mat2, offs).entries())
      for (let i = rows[0]; i < rows[1]; i++)
        for (let j = columns[0]; j < columns[1]; j++) {
          let sum = 0;
          for (let k = terms[0]; k < terms[1]; k++)
            sum += a.values[g * a.size + i * a.width + k]! * b.values[g * b.size + k * b.width + j]!;
          results[g * size + i * width + j] = sum;
        }
    writeNumbers(out, results);
    return out;
  },
);

export const matmulGroupedKernels = defineKernels([groupedMm]);
