import { dtypeInfo, type Tensor } from "@sconce/tensor";
import { copyInto } from "../kernel/copy.js";
import { finishOutput, openOutput, readComplex, readNumbers, writeComplex } from "../kernel/dense.js";
import { defineKernels, emptyOutput, type Kernel, kernel } from "../kernel/kernel.js";
import { fillWith } from "./creation-fill.js";
import { gatherByAxes, narrowView } from "./index-elements.js";

/** Negative padding cuts off. */
const constantPad = kernel(
  "aten::constant_pad_nd(Tensor self, SymInt[] pad, Scalar value=0) -> Tensor",
  ({ self, pad, value }, context) => {
    const out = emptyOutput(context);
    fillWith(out, value);
    let target = out;
    let source = self;
    for (let k = 0; k < pad.length / 2; k++) {
      const d = self.ndim - 1 - k;
      const [left, right] = [pad[2 * k]!, pad[2 * k + 1]!];
      const length = self.shape[d]! + Math.min(left, 0) + Math.min(right, 0);
      if (length <= 0) return out;
      source = narrowView(source, d, Math.max(-left, 0), length);
      target = narrowView(target, d, Math.max(left, 0), length);
    }
    copyInto(target, source);
    return out;
  },
);

/** The input coordinate under each output coordinate. */
type Border = (place: number, size: number) => number;
const reflect: Border = (place, size) =>
  place < 0 ? -place : place >= size ? 2 * (size - 1) - place : place;
const replicate: Border = (place, size) => Math.min(Math.max(place, 0), size - 1);

/** Maps from output to input coordinates for the padded (last) dimensions; null for the others. */
function borderMaps(
  shape: readonly number[],
  padding: readonly number[],
  border: Border,
): (Int32Array | null)[] {
  return shape.map((size, d) => {
    const k = shape.length - 1 - d;
    const [left, right] = [padding[2 * k], padding[2 * k + 1]];
    if (left === undefined || right === undefined) return null;
    return Int32Array.from({ length: size + left + right }, (_, c) => border(c - left, size));
  });
}

const borderPad =
  (border: Border): Kernel<{ self: Tensor; padding: readonly number[] }> =>
  ({ self, padding }, context) =>
    gatherByAxes(emptyOutput(context), self, borderMaps(self.shape, padding, border));

type PadBackward = {
  readonly grad_output: Tensor;
  readonly self: Tensor;
  readonly padding: readonly number[];
};

/** Each gradient goes back to the element it was copied from. */
const borderPadBackward =
  (border: Border): Kernel<PadBackward> =>
  ({ grad_output: grad, self, padding }, context) => {
    const out = emptyOutput(context);
    const maps = borderMaps(self.shape, padding, border);
    const steps = self.shape.map((_, d) => self.shape.slice(d + 1).reduce((a, b) => a * b, 1));
    let places = Int32Array.of(0);
    grad.shape.forEach((size, d) => {
      const next = new Int32Array(places.length * size);
      let at = 0;
      for (const base of places)
        for (let c = 0; c < size; c++) next[at++] = base + steps[d]! * (maps[d]?.[c] ?? c);
      places = next;
    });
    const values = readNumbers(grad);
    const results = openOutput(out);
    for (let i = 0; i < places.length; i++) results[places[i]!]! += values[i]!;
    return finishOutput(out, results);
  };

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
  const pairs = new Float64Array(2 * out.numel);
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
        const results = new Float64Array(out.numel);
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
        const results = new Float64Array(out.numel);
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

const reflection = borderPad(reflect);
const replication = borderPad(replicate);
const reflectionBackward = borderPadBackward(reflect);
const replicationBackward = borderPadBackward(replicate);

export const paddingKernels = defineKernels([
  constantPad,
  kernel(
    [
      "aten::reflection_pad1d(Tensor self, SymInt[2] padding) -> Tensor",
      "aten::reflection_pad2d(Tensor self, SymInt[4] padding) -> Tensor",
      "aten::reflection_pad3d(Tensor self, SymInt[6] padding) -> Tensor",
    ],
    reflection,
  ),
  kernel(
    [
      "aten::replication_pad1d(Tensor self, SymInt[2] padding) -> Tensor",
      "aten::replication_pad2d(Tensor self, SymInt[4] padding) -> Tensor",
      "aten::replication_pad3d(Tensor self, SymInt[6] padding) -> Tensor",
    ],
    replication,
  ),
  kernel(
    [
      "aten::reflection_pad1d_backward(Tensor grad_output, Tensor self, SymInt[2] padding) -> Tensor",
      "aten::reflection_pad2d_backward(Tensor grad_output, Tensor self, SymInt[4] padding) -> Tensor",
      "aten::reflection_pad3d_backward(Tensor grad_output, Tensor self, SymInt[6] padding) -> Tensor",
    ],
    reflectionBackward,
  ),
  kernel(
    [
      "aten::replication_pad1d_backward(Tensor grad_output, Tensor self, SymInt[2] padding) -> Tensor",
      "aten::replication_pad2d_backward(Tensor grad_output, Tensor self, SymInt[4] padding) -> Tensor",
      "aten::replication_pad3d_backward(Tensor grad_output, Tensor self, SymInt[6] padding) -> Tensor",
    ],
    replicationBackward,
  ),
  im2col,
  col2im,
]);
