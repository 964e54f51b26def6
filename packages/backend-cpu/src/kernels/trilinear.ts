/** @file The sum of products of three tensors that `bilinear` comes down to. */

import { wrapDims } from "@sconce/ops";
import { broadcastStrides, isIntegralDType, numel, positionsOf } from "@sconce/tensor";
import {
  type BigArray,
  finishOutput,
  greatestMagnitude,
  type NumberArray,
  readBigInts,
  readNumbers,
  writeBigInts,
} from "../kernel/dense.js";
import { defineKernels, emptyOutput, kernel } from "../kernel/kernel.js";
import { scratch } from "../kernel/scratch.js";

const trilinear = kernel(
  "aten::_trilinear(Tensor i1, Tensor i2, Tensor i3, int[] expand1, int[] expand2, int[] expand3, int[] sumdim, int unroll_dim=1) -> Tensor",
  (args, context) => {
    const out = emptyOutput(context);
    const shapes = (
      [
        [args.i1, args.expand1],
        [args.i2, args.expand2],
        [args.i3, args.expand3],
      ] as const
    ).map(([tensor, expand]) =>
      wrapDims(expand, tensor.ndim + expand.length).reduce(
        (shape, d) => shape.toSpliced(d, 0, 1),
        [...tensor.shape],
      ),
    );
    const full = shapes[0]!.map((_, d) => Math.max(...shapes.map((shape) => shape[d]!)));
    const summed = wrapDims(args.sumdim, full.length);
    const kept = full.map((size, d) => (summed.includes(d) ? 1 : size));
    const at = [...shapes, kept].map((shape) => {
      const strides = shape.map((_, d) => numel(shape.slice(d + 1)));
      return positionsOf(full, { strides: broadcastStrides(shape, strides, full), storageOffset: 0 });
    }) as [Int32Array, Int32Array, Int32Array, Int32Array];
    const operands = [args.i1, args.i2, args.i3];
    const [a, b, c] = operands.map((tensor) => readNumbers(tensor)) as [
      NumberArray,
      NumberArray,
      NumberArray,
    ];
    const most = [a, b, c].reduce((size, values) => size * greatestMagnitude(values), numel(full));
    if (isIntegralDType(out.dtype) && most > Number.MAX_SAFE_INTEGER) {
      const [x, y, z] = operands.map((tensor) => readBigInts(tensor)) as [BigArray, BigArray, BigArray];
      const exact = scratch(BigInt64Array, out.numel);
      for (let i = 0; i < numel(full); i++)
        exact[at[3][i]!]! += x[at[0][i]!]! * y[at[1][i]!]! * z[at[2][i]!]!;
      writeBigInts(out, exact);
      return out;
    }
    const sums = scratch(Float64Array, out.numel);
    for (let i = 0; i < numel(full); i++) sums[at[3][i]!]! += a[at[0][i]!]! * b[at[1][i]!]! * c[at[2][i]!]!;
    return finishOutput(out, sums);
  },
);

export const trilinearKernels = defineKernels([trilinear]);
