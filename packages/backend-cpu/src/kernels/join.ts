/** @file Joins and rearrangements: `cat`, `flip`, `roll`, `repeat`, triangles, and `*_scatter` into views. */
import { dtypeInfo, positionsOf, requiredBytes, Storage, Tensor } from "@sconce/tensor";
import { copyInto, detached } from "../kernel/copy.js";
import { readNumbers, writeNumbers } from "../kernel/dense.js";
import { invalidArgument } from "../kernel/errors.js";
import { defineKernels, emptyOutput, type Kernel, type KernelContext, kernel } from "../kernel/kernel.js";
import { copyAsOutput, dynamicOutput, moveElements, narrowView, wrapDimension } from "./index-elements.js";

const cat = kernel("aten::cat(Tensor[] tensors, int dim=0) -> Tensor", ({ tensors, dim }, context) => {
  const out = emptyOutput(context);
  const d = wrapDimension(dim, out.ndim);
  let start = 0;
  for (const tensor of tensors) {
    // One-dimensional empty tensors join anything.
    if (tensor.ndim === 1 && tensor.shape[0] === 0) continue;
    const length = tensor.shape[d]!;
    copyInto(narrowView(out, d, start, length), tensor);
    start += length;
  }
  return out;
});

const flip = kernel("aten::flip(Tensor self, int[] dims) -> Tensor", ({ self, dims }, context) => {
  const out = emptyOutput(context);
  const strides = self.strides.slice();
  let offset = self.storageOffset;
  for (const dim of dims) {
    const d = wrapDimension(dim, self.ndim);
    if (self.ndim === 0 || self.shape[d] === 0) continue;
    offset += (self.shape[d]! - 1) * strides[d]!;
    strides[d] = -strides[d]!;
  }
  copyInto(out, self.asStrided(self.shape, strides, offset));
  return out;
});

/** One dimension after the other, each as two blocks that change places. */
const roll = kernel(
  "aten::roll(Tensor self, SymInt[1] shifts, int[1] dims=[]) -> Tensor",
  ({ self, shifts, dims }, context) => {
    const out = emptyOutput(context);
    if (self.numel === 0) return out;
    if (dims.length === 0) {
      const flat = self.isContiguous ? self : detached(self);
      rollOne(out.asStrided([out.numel], [1]), flat.asStrided([self.numel], [1]), 0, shifts[0]!);
      return out;
    }
    let current = self;
    dims.forEach((dim, k) => {
      const next = k === dims.length - 1 ? out : detached(self);
      rollOne(next, current, wrapDimension(dim, self.ndim), shifts[k]!);
      current = next;
    });
    return out;
  },
);

function rollOne(out: Tensor, source: Tensor, d: number, shift: number): void {
  const size = source.shape[d] ?? 1;
  if (source.ndim === 0) {
    copyInto(out, source);
    return;
  }
  const by = ((shift % size) + size) % size;
  copyInto(narrowView(out, d, by, size - by), narrowView(source, d, 0, size - by));
  copyInto(narrowView(out, d, 0, by), narrowView(source, d, size - by, by));
}

/** The output seen as [repeat, size] pairs, into which the input is broadcast. */
const repeat = kernel(
  "aten::repeat(Tensor self, SymInt[] repeats) -> Tensor",
  ({ self, repeats }, context) => {
    const out = emptyOutput(context);
    if (out.numel === 0) return out;
    const lead = repeats.length - self.ndim;
    const shape: number[] = [];
    const strides: number[] = [];
    const source: number[] = [];
    repeats.forEach((times, d) => {
      const size = d < lead ? 1 : self.shape[d - lead]!;
      shape.push(times, size);
      strides.push(out.strides[d]! * size, out.strides[d]!);
      source.push(0, d < lead ? 0 : self.strides[d - lead]!);
    });
    copyInto(out.asStrided(shape, strides), self.asStrided(shape, source));
    return out;
  },
);

/** Keeps elements whose column minus row is at most (`tril`) or at least (`triu`) the diagonal. */
const triangle =
  (keepsLower: boolean): Kernel<{ self: Tensor; diagonal: number }> =>
  ({ self, diagonal }, context) => {
    const out = emptyOutput(context);
    const [rows, columns] = [self.shape.at(-2)!, self.shape.at(-1)!];
    const from = positionsOf(self.shape, self);
    const to = positionsOf(out.shape, out);
    let kept = 0;
    for (let i = 0; i < to.length; i++) {
      const column = i % columns;
      const row = Math.floor(i / columns) % rows;
      if (keepsLower ? column - row > diagonal : column - row < diagonal) continue;
      from[kept] = from[i]!;
      to[kept++] = to[i]!;
    }
    moveElements(out, to, self, from, kept);
    return out;
  };

const clampIndex = (value: number, size: number): number =>
  Math.min(Math.max(value < 0 ? value + size : value, 0), size);

const sliceScatter = kernel(
  "aten::slice_scatter(Tensor self, Tensor src, int dim=0, SymInt? start=None, SymInt? end=None, SymInt step=1) -> Tensor",
  ({ self, src, dim, start, end, step }, context) => {
    const out = copyAsOutput(context, self);
    const d = wrapDimension(dim, self.ndim);
    const size = self.shape[d]!;
    const first = clampIndex(start ?? 0, size);
    const last = Math.max(first, clampIndex(end ?? size, size));
    copyInto(narrowView(out, d, first, Math.ceil((last - first) / step), step), src);
    return out;
  },
);

const selectScatter = kernel(
  "aten::select_scatter(Tensor self, Tensor src, int dim, SymInt index) -> Tensor",
  ({ self, src, dim, index }, context) => {
    const out = copyAsOutput(context, self);
    const d = wrapDimension(dim, self.ndim);
    const at = index < 0 ? index + self.shape[d]! : index;
    const without = (values: readonly number[]): number[] => values.filter((_, k) => k !== d);
    copyInto(
      out.asStrided(without(out.shape), without(out.strides), out.storageOffset + at * out.strides[d]!),
      src,
    );
    return out;
  },
);

const diagonalScatter = kernel(
  "aten::diagonal_scatter(Tensor self, Tensor src, int offset=0, int dim1=0, int dim2=1) -> Tensor",
  ({ self, src, offset, dim1, dim2 }, context) => {
    const out = copyAsOutput(context, self);
    const [a, b] = [wrapDimension(dim1, self.ndim), wrapDimension(dim2, self.ndim)];
    const start = out.storageOffset + (offset >= 0 ? offset * out.strides[b]! : -offset * out.strides[a]!);
    const strides = out.strides.filter((_, d) => d !== a && d !== b);
    copyInto(out.asStrided(src.shape, [...strides, out.strides[a]! + out.strides[b]!], start), src);
    return out;
  },
);

/** A copy of all the memory behind a tensor; where elements share places the result has memory of its own. */
function copyWithStorage(context: KernelContext, self: Tensor): Tensor {
  const { dtype, shape, strides, storageOffset, storage } = self;
  if (shape.some((size, d) => size > 1 && strides[d] === 0)) return copyAsOutput(context, self);
  return new Tensor({ dtype, shape, strides, storageOffset, storage: new Storage(storage.bytes.slice()) });
}

const asStridedScatter = kernel(
  "aten::as_strided_scatter(Tensor self, Tensor src, SymInt[] size, SymInt[] stride, SymInt? storage_offset=None) -> Tensor",
  ({ self, src, size, stride, storage_offset: offset }, context) => {
    const out = copyWithStorage(context, self);
    const start = offset ?? self.storageOffset;
    const { itemSize } = dtypeInfo(self.dtype);
    const needed = requiredBytes(size, stride, start, itemSize);
    if (needed > out.storage.byteLength) {
      throw invalidArgument(
        `setStorage: sizes [${size.join(", ")}], strides [${stride.join(", ")}], storage offset ${start}, ` +
          `and itemsize ${itemSize} requiring a storage size of ${needed} are out of bounds for storage of size ` +
          `${out.storage.byteLength}`,
      );
    }
    copyInto(out.asStrided(size, stride, start), src);
    return out;
  },
);

/** For counts [2, 0, 1] the positions [0, 0, 2]. */
const repeatInterleave = kernel(
  "aten::repeat_interleave.Tensor(Tensor repeats, *, SymInt? output_size=None) -> Tensor",
  ({ repeats }) => {
    const counts = readNumbers(repeats);
    let total = 0;
    for (const count of counts) total += count;
    const values = new Float64Array(total);
    let at = 0;
    for (let i = 0; i < counts.length; i++) for (let k = 0; k < counts[i]!; k++) values[at++] = i;
    const out = dynamicOutput([total], repeats.dtype);
    writeNumbers(out, values);
    return out;
  },
);

export const joinKernels = defineKernels([
  cat,
  flip,
  roll,
  repeat,
  kernel("aten::tril(Tensor self, SymInt diagonal=0) -> Tensor", triangle(true)),
  kernel("aten::triu(Tensor self, SymInt diagonal=0) -> Tensor", triangle(false)),
  sliceScatter,
  selectScatter,
  diagonalScatter,
  asStridedScatter,
  repeatInterleave,
]);
