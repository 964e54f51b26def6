/** @file Patches as columns: `im2col` and `col2im`. */

import { dtypeInfo, type Tensor } from "@sconce/tensor";
import { finishOutput, openOutput, readComplex, readNumbers, writeComplex } from "../kernel/dense.js";
import { defineKernels, emptyOutput, kernel } from "../kernel/kernel.js";
import { scratch } from "../kernel/scratch.js";

interface Patches {
  readonly self: Tensor;
  readonly kernel_size: readonly number[];
  readonly dilation: readonly number[];
  readonly padding: readonly number[];
  readonly stride: readonly number[];
}

/**
 * Calls `visit` with the place in the columns and in the image of each pair that belong together.
 * image: [C, H, W]; columns: [C * kh * kw, outH * outW].
 */
function eachPatchPair(
  args: Omit<Patches, "self">,
  [channels, height, width]: readonly [number, number, number],
  visit: (column: number, pixel: number) => void,
): void {
  const [kh, kw] = args.kernel_size as [number, number];
  const extent = (size: number, d: number): number =>
    Math.floor(
      (size + 2 * args.padding[d]! - args.dilation[d]! * (args.kernel_size[d]! - 1) - 1) / args.stride[d]!,
    ) + 1;
  const [outHeight, outWidth] = [extent(height, 0), extent(width, 1)];
  let column = 0;
  for (let c = 0; c < channels; c++) {
    for (let k = 0; k < kh * kw; k++) {
      const top = Math.floor(k / kw) * args.dilation[0]! - args.padding[0]!;
      const left = (k % kw) * args.dilation[1]! - args.padding[1]!;
      for (let i = 0; i < outHeight; i++) {
        const y = top + i * args.stride[0]!;
        for (let j = 0; j < outWidth; j++, column++) {
          const x = left + j * args.stride[1]!;
          if (y >= 0 && y < height && x >= 0 && x < width) visit(column, (c * height + y) * width + x);
        }
      }
    }
  }
}

/** Values in row-major order, one array for each part of a complex tensor. */
function partsOf(tensor: Tensor): ArrayLike<number>[] {
  if (dtypeInfo(tensor.dtype).kind !== "complex") return [readNumbers(tensor)];
  const pairs = readComplex(tensor);
  return [0, 1].map((part) =>
    Float64Array.from({ length: pairs.length / 2 }, (_, i) => pairs[2 * i + part]!),
  );
}

function writeParts(out: Tensor, parts: readonly Float64Array[]): Tensor {
  if (parts.length === 1) {
    const results = openOutput(out);
    results.set(out.dtype === "bool" ? parts[0]!.map((x) => (x === 0 ? 0 : 1)) : parts[0]!);
    return finishOutput(out, results);
  }
  const pairs = scratch(Float64Array, 2 * out.numel);
  parts.forEach((values, part) => {
    for (let i = 0; i < values.length; i++) pairs[2 * i + part] = values[i]!;
  });
  writeComplex(out, pairs);
  return out;
}

const im2col = kernel(
  "aten::im2col(Tensor self, int[2] kernel_size, int[2] dilation, int[2] padding, int[2] stride) -> Tensor",
  ({ self, ...args }, context) => {
    const out = emptyOutput(context);
    const image = self.shape.slice(-3) as [number, number, number];
    const batches = self.ndim === 4 ? self.shape[0]! : 1;
    const [pixels, columns] = [self.numel / batches, out.numel / batches];
    return writeParts(
      out,
      partsOf(self).map((values) => {
        const results = scratch(Float64Array, out.numel);
        for (let b = 0; b < batches; b++) {
          eachPatchPair(args, image, (column, pixel) => {
            results[b * columns + column] = values[b * pixels + pixel]!;
          });
        }
        return results;
      }),
    );
  },
);

const col2im = kernel(
  "aten::col2im(Tensor self, SymInt[2] output_size, int[2] kernel_size, int[2] dilation, int[2] padding, int[2] stride) -> Tensor",
  ({ self, output_size: size, ...args }, context) => {
    const out = emptyOutput(context);
    const image = [out.shape.at(-3)!, size[0]!, size[1]!] as const;
    const batches = self.ndim === 3 ? self.shape[0]! : 1;
    const [pixels, columns] = [out.numel / batches, self.numel / batches];
    return writeParts(
      out,
      partsOf(self).map((values) => {
        const results = scratch(Float64Array, out.numel);
        for (let b = 0; b < batches; b++) {
          eachPatchPair(args, image, (column, pixel) => {
            results[b * pixels + pixel]! += values[b * columns + column]!;
          });
        }
        return results;
      }),
    );
  },
);

export const columnsKernels = defineKernels([im2col, col2im]);
