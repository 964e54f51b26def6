/** @file Pooling to a given size, forward and backward. */
import type { Tensor } from "@sconce/tensor";
import { readNumbers } from "../kernel/dense.js";
import { roundTo } from "../kernel/half.js";
import { defineKernels, type Kernel, kernel } from "../kernel/kernel.js";
import { numbersOf } from "../kernel/meta-number.js";
import {
  averagePool,
  averagePoolBackward,
  divisorOf,
  type Grad,
  geometry,
  type MaxPool,
  maxBackward,
  maxPool,
  outShape,
  type PoolGeometry,
  windows,
} from "./pool.js";

function adaptiveGeometry(self: Tensor, rank: number, out: readonly number[]): PoolGeometry {
  const first = self.ndim - rank;
  const dims = Array.from({ length: rank }, (_, d) => {
    const [size, count] = [self.shape[first + d]!, out[first + d]!];
    return windows(
      size,
      count,
      (o) => [Math.floor((o * size) / count), Math.ceil(((o + 1) * size) / count)],
      1,
    );
  });
  return geometry(self.shape, rank, dims);
}

const adaptiveMax =
  (rank: number): MaxPool<{ readonly self: Tensor }> =>
  ({ self }, context) => {
    const shape = numbersOf(context.meta[0].shape);
    return maxPool(readNumbers(self), adaptiveGeometry(self, rank, shape), context);
  };

const adaptiveAverage =
  (rank: number): Kernel<{ readonly self: Tensor }> =>
  ({ self }, context) => {
    const shape = adaptiveGeometry(self, rank, outShape(context));
    // Volumes of halves are added up, then divided by one length after the other, in the dtype
    // itself.
    const half = rank === 3 && (self.dtype === "float16" || self.dtype === "bfloat16");
    return averagePool(self, shape, divisorOf(shape), context, half ? roundTo(self.dtype) : undefined);
  };

const adaptiveAverageBackward =
  (rank: number): Kernel<{ readonly self: Tensor } & Grad> =>
  (args, context) => {
    const shape = adaptiveGeometry(args.self, rank, args.grad_output.shape);
    return averagePoolBackward(args.grad_output, shape, divisorOf(shape), context);
  };

export const adaptivePoolKernels = defineKernels([
  kernel("aten::adaptive_max_pool2d(Tensor self, int[2] output_size) -> (Tensor, Tensor)", adaptiveMax(2)),
  kernel("aten::adaptive_max_pool3d(Tensor self, int[3] output_size) -> (Tensor, Tensor)", adaptiveMax(3)),
  kernel(
    "aten::adaptive_max_pool2d_backward(Tensor grad_output, Tensor self, Tensor indices) -> Tensor",
    maxBackward(2),
  ),
  kernel(
    "aten::adaptive_max_pool3d_backward(Tensor grad_output, Tensor self, Tensor indices) -> Tensor",
    maxBackward(3),
  ),
  kernel("aten::adaptive_avg_pool1d(Tensor self, int[1] output_size) -> Tensor", adaptiveAverage(1)),
  kernel("aten::_adaptive_avg_pool2d(Tensor self, SymInt[2] output_size) -> Tensor", adaptiveAverage(2)),
  kernel("aten::_adaptive_avg_pool3d(Tensor self, SymInt[3] output_size) -> Tensor", adaptiveAverage(3)),
  kernel(
    "aten::_adaptive_avg_pool2d_backward(Tensor grad_output, Tensor self) -> Tensor",
    adaptiveAverageBackward(2),
  ),
  kernel(
    "aten::_adaptive_avg_pool3d_backward(Tensor grad_output, Tensor self) -> Tensor",
    adaptiveAverageBackward(3),
  ),
]);
