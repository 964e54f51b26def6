/** @file Rows of different lengths, and the places of compressed matrices. */
import { contiguousStrides, numel, type Tensor } from "@sconce/tensor";
import { finishOutput, openOutput, readNumbers, writeNumbers } from "../kernel/dense.js";
import { indexOutOfRange } from "../kernel/errors.js";
import { defineKernels, emptyOutput, emptyStrided, kernel } from "../kernel/kernel.js";

/** Calls `visit` with each row, with where it begins and how many of its elements have a place. */
function eachRow(
  offsets: readonly Tensor[],
  most: number,
  visit: (row: number, start: number, count: number) => void,
): void {
  const ends = readNumbers(offsets[0]!);
  for (let row = 0; row + 1 < ends.length; row++) {
    const count = ends[row + 1]! - ends[row]!;
    visit(row, ends[row]!, Math.min(count, most));
  }
}

const toPadded = kernel(
  "aten::_jagged_to_padded_dense_forward(Tensor values, Tensor[] offsets, SymInt[] max_lengths, float padding_value=0.) -> Tensor",
  ({ values, offsets, padding_value }, context) => {
    const out = emptyOutput(context);
    const inner = numel(values.shape.slice(1));
    const length = out.shape[1]!;
    const [data, results] = [readNumbers(values), openOutput(out)];
    results.fill(padding_value);
    eachRow(offsets, length, (row, start, count) => {
      for (let i = 0; i < count * inner; i++) results[row * length * inner + i] = data[start * inner + i]!;
    });
    return finishOutput(out, results);
  },
);

const toJagged = kernel(
  "aten::_padded_dense_to_jagged_forward(Tensor dense, Tensor[] offsets, SymInt? total_L=None) -> Tensor",
  ({ dense, offsets, total_L: total }) => {
    const inner = numel(dense.shape.slice(2));
    const length = dense.shape[1]!;
    const ends = readNumbers(offsets[0]!);
    const rows = total ?? ends.at(-1)!;
    const data = readNumbers(dense);
    const results = new Float64Array(rows * inner);
    eachRow(offsets, length, (row, start, count) => {
      for (let i = 0; i < count * inner && start * inner + i < results.length; i++)
        results[start * inner + i] = data[row * length * inner + i]!;
    });
    const shape = [rows, ...dense.shape.slice(2)];
    const out = emptyStrided(shape, contiguousStrides(shape), dense.dtype);
    writeNumbers(out, results);
    return out;
  },
);

const toCompressed = kernel(
  "aten::_convert_indices_from_coo_to_csr(Tensor self, int size, *, bool out_int32=False) -> Tensor",
  ({ self }, context) => {
    const out = emptyOutput(context);
    const starts = new Float64Array(out.numel);
    for (const row of readNumbers(self)) {
      if (row < 0 || row + 1 >= starts.length)
        throw indexOutOfRange(
          `_convert_indices_from_coo_to_csr: row ${row} is outside of ${starts.length - 1} rows`,
        );
      starts[row + 1]!++;
    }
    for (let row = 1; row < starts.length; row++) starts[row]! += starts[row - 1]!;
    writeNumbers(out, starts);
    return out;
  },
);

const fromCompressed = kernel(
  "aten::_convert_indices_from_csr_to_coo(Tensor crow_indices, Tensor col_indices, *, bool out_int32=False, bool transpose=False) -> Tensor",
  ({ crow_indices: starts, col_indices: columns, transpose }, context) => {
    const out = emptyOutput(context);
    const count = columns.numel;
    const [ends, places] = [readNumbers(starts), readNumbers(columns)];
    const [perBatch, rows] = [columns.shape.at(-1)!, starts.shape.at(-1)! - 1];
    const batch = columns.shape.slice(0, -1);
    const results = new Float64Array(out.numel);
    const base = batch.length * count;
    const steps = contiguousStrides(batch);
    for (let b = 0; b < numel(batch); b++) {
      const coordinates = steps.map((step, d) => Math.floor(b / step) % batch[d]!);
      for (let row = 0; row < rows; row++)
        for (let i = ends[b * (rows + 1) + row]!; i < ends[b * (rows + 1) + row + 1]!; i++) {
          const at = b * perBatch + i;
          for (const [d, coordinate] of coordinates.entries()) results[d * count + at] = coordinate;
          results[base + (transpose ? count : 0) + at] = row;
          results[base + (transpose ? 0 : count) + at] = places[at]!;
        }
    }
    writeNumbers(out, results);
    return out;
  },
);

export const jaggedKernels = defineKernels([toPadded, toJagged, toCompressed, fromCompressed]);
