/** @file Copies in which a view is replaced: `slice_scatter` and its like. */
import { dtypeInfo, requiredBytes, wrapDimension } from "@sconce/tensor";
import { copyInto } from "../kernel/copy.js";
import { invalidArgument } from "../kernel/errors.js";
import { defineKernels, kernel } from "../kernel/kernel.js";
import { copyWithStorage, narrowView } from "./index-elements.js";

const clampIndex = (value: number, size: number): number =>
  Math.min(Math.max(value < 0 ? value + size : value, 0), size);

const sliceScatter = kernel(
  "aten::slice_scatter(Tensor self, Tensor src, int dim=0, SymInt? start=None, SymInt? end=None, SymInt step=1) -> Tensor",
  ({ self, src, dim, start, end, step }, context) => {
    const out = copyWithStorage(context, self);
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
    const out = copyWithStorage(context, self);
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
    const out = copyWithStorage(context, self);
    const [a, b] = [wrapDimension(dim1, self.ndim), wrapDimension(dim2, self.ndim)];
    const start = out.storageOffset + (offset >= 0 ? offset * out.strides[b]! : -offset * out.strides[a]!);
    const strides = out.strides.filter((_, d) => d !== a && d !== b);
    copyInto(out.asStrided(src.shape, [...strides, out.strides[a]! + out.strides[b]!], start), src);
    return out;
  },
);

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

export const viewCopyKernels = defineKernels([
  sliceScatter,
  selectScatter,
  diagonalScatter,
  asStridedScatter,
]);
