/**
 * @file Products with weights of 4 bits (`aten/src/ATen/native/cpu/int4mm_kernel.cpp`,
 * `aten/src/ATen/native/cuda/int4mm.cu`): sums of products with one rounding each in float32.
 */

import { type Int4Matrix, int4Place, packsAlike } from "@sconce/ops";
import { bfloat16ToNumber, numberToBfloat16, type Tensor } from "@sconce/tensor";
import { finishOutput, openOutput, readNumbers } from "../kernel/dense.js";
import { unknownPacking } from "../kernel/errors.js";
import { defineKernels, emptyOutput, kernel } from "../kernel/kernel.js";
import { declareInt4Layout, layoutOf } from "./packed-layouts.js";

const pack = kernel(
  "aten::_convert_weight_to_int4pack_for_cpu(Tensor self, int innerKTiles) -> Tensor",
  ({ self }, context) => {
    const out = emptyOutput(context);
    const [rows, columns] = [self.shape[0]!, self.shape[1]!];
    const matrix: Int4Matrix = { layout: "avx512", rows, columns, innerTiles: 1 };
    const levels = readNumbers(self);
    const bytes = openOutput(out);
    for (let r = 0; r < rows; r++)
      for (let c = 0; c < columns; c++) {
        const [place, level] = [int4Place(matrix, r, c), levels[r * columns + c]!];
        // A level of more than 4 bits runs into its neighbor, as PyTorch's do.
        bytes[place >> 1]! |= place & 1 ? (level << 4) & 255 : level & 255;
      }
    declareInt4Layout(out, matrix.layout);
    return finishOutput(out, bytes);
  },
);

const packTiles = kernel(
  "aten::_convert_weight_to_int4pack(Tensor self, int innerKTiles) -> Tensor",
  ({ self, innerKTiles: innerTiles }, context) => {
    const out = emptyOutput(context);
    const [rows, half] = [self.shape[0]!, self.shape[1]!];
    const matrix: Int4Matrix = { layout: "nvidia", rows, columns: 2 * half, innerTiles };
    const pairs = readNumbers(self);
    const words = openOutput(out);
    for (let r = 0; r < rows; r++)
      for (let c = 0; c < 2 * half; c++) {
        const pair = pairs[r * half + (c >> 1)]!;
        const place = int4Place(matrix, r, c);
        words[place >> 3]! |= (c & 1 ? pair & 15 : pair >> 4) << (4 * (place & 7));
      }
    declareInt4Layout(out, matrix.layout);
    return finishOutput(out, words);
  },
);

interface Product {
  readonly self: Tensor;
  readonly mat2: Tensor;
  readonly qGroupSize: number;
  readonly qScaleAndZeros: Tensor;
}

/** `(level - 8) * scale + zero`, and the sum of products, in float32 with one rounding each. */
function multiply(args: Product, out: Tensor, matrix: Int4Matrix, round: (value: number) => number): Tensor {
  const { rows, columns } = matrix;
  const [x, packed, settings] = [args.self, args.mat2, args.qScaleAndZeros].map((one) => readNumbers(one));
  const [shift, mask] = args.mat2.dtype === "uint8" ? [1, 1] : [3, 7];
  const results = openOutput(out);
  const weights = new Float64Array(columns);
  for (let r = 0; r < rows; r++) {
    for (let c = 0; c < columns; c++) {
      const place = int4Place(matrix, r, c);
      const level = (packed![place >> shift]! >>> (4 * (place & mask))) & 15;
      const at = 2 * (Math.floor(c / args.qGroupSize) * rows + r);
      weights[c] = round((level - 8) * settings![at]! + settings![at + 1]!);
    }
    for (let m = 0; m < args.self.shape[0]!; m++) {
      let sum = 0;
      for (let c = 0; c < columns; c++) sum = Math.fround(x![m * columns + c]! * weights[c]! + sum);
      results[m * rows + r] = sum;
    }
  }
  return finishOutput(out, results);
}

const product = kernel(
  "aten::_weight_int4pack_mm_for_cpu(Tensor self, Tensor mat2, int qGroupSize, Tensor qScaleAndZeros) -> Tensor",
  (args, context) => {
    const out = emptyOutput(context);
    const rows = args.mat2.shape[0]!;
    const layout = layoutOf(args.mat2) ?? (packsAlike(rows) ? "plain" : undefined);
    if (layout === undefined) throw unknownPacking("processor");
    const matrix = { layout, rows, columns: args.self.shape[1]!, innerTiles: 1 };
    return multiply(args, out, matrix, Math.fround);
  },
);

const productOfTiles = kernel(
  "aten::_weight_int4pack_mm(Tensor self, Tensor mat2, int qGroupSize, Tensor qScaleAndZeros) -> Tensor",
  (args, context) => {
    const out = emptyOutput(context);
    const layout = layoutOf(args.mat2);
    if (layout === undefined) throw unknownPacking("graphics device");
    const [tiles, pairs] = [args.mat2.shape[0]!, args.mat2.shape[3]!];
    const matrix = { layout, rows: 8 * tiles, columns: args.self.shape[1]!, innerTiles: 2 * pairs };
    return multiply(args, out, matrix, (value) => bfloat16ToNumber(numberToBfloat16(Math.fround(value))));
  },
);

export const matmulPackedKernels = defineKernels([pack, packTiles, product, productOfTiles]);
