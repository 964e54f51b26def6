/**
 * @file Max pooling in windows of one size whose places are drawn at random
 * (`FractionalMaxPool2d.cpp`, `...3d.cpp`).
 */
import type { FakeTensor, IntLike } from "@sconce/ir";
import { add, type SymEnv, sub } from "@sconce/symbolic";
import { isFloatDType } from "@sconce/tensor";
import { defineOp, type OpDefinition } from "../rows/define-op.js";
import { dtypeMismatch, invalidArgument, shapeMismatch } from "../rows/errors.js";
import { isBelow, isEqual, mayDiffer } from "../rules/comparison.js";
import { describeSizes } from "../rules/describe.js";
import { fake, rowMajorLike } from "../rules/fake.js";

interface PoolArgs {
  readonly self: FakeTensor;
  readonly kernel_size: readonly IntLike[];
  readonly output_size: readonly IntLike[];
}

type Rank = 2 | 3;

const nameOf = (rank: Rank, backward = false): string => {
  const name = `fractional_max_pool${rank}d`;
  if (backward) return `${name}_backward${rank === 3 ? "_out" : ""}()`;
  return rank === 2 ? `${name}()` : `${name}_out()`;
};

const AXES = ["time", "height", "width"];

function checkSizes({ kernel_size, output_size }: PoolArgs, rank: Rank): void {
  const one = rank === 2 ? "a single Int or tuple of Ints" : "a single Int or tuple of three Ints";
  for (const [what, sizes] of [
    ["kernel_size", kernel_size],
    ["output_size", output_size],
  ] as const) {
    if (sizes.length !== rank) {
      throw invalidArgument(`fractional_max_pool${rank}d: ${what} must either be ${one}`);
    }
  }
}

function checkInput(args: PoolArgs, rank: Rank, env: SymEnv): void {
  const { self, kernel_size, output_size } = args;
  checkSizes(args, rank);
  const name = nameOf(rank);
  if (self.ndim !== rank + 1 && self.ndim !== rank + 2) {
    throw shapeMismatch(
      `${name}: Expected ${rank + 1}D or ${rank + 2}D tensor, but got: ${describeSizes(self.shape)}`,
    );
  }
  for (let d = self.ndim - rank - 1; d < self.ndim; d++) {
    if (isEqual(env, self.shape[d]!, 0)) {
      throw shapeMismatch(
        `${name}: Expected input to have non-zero size for non-batch dimensions, but got` +
          `${describeSizes(self.shape)} with dimension ${d} being empty.`,
      );
    }
  }
  for (let d = 0; d < rank; d++) {
    const size = self.shape[self.ndim - rank + d]!;
    if (isBelow(env, size, sub(add(output_size[d]!, kernel_size[d]!), 1))) {
      const axis = AXES.at(d - rank)!;
      throw shapeMismatch(
        `${name}: pool ${axis} ${String(kernel_size[d])} too large relative to input ${axis} ${String(size)}`,
      );
    }
  }
}

function checkSamples(self: FakeTensor, samples: FakeTensor, rank: Rank, env: SymEnv): void {
  if (samples.dtype !== self.dtype) {
    throw dtypeMismatch("Expect _random_samples to have the same dtype as input");
  }
  if (samples.ndim !== 3) {
    throw shapeMismatch(`Expect _random_samples to have 3 dimensions, got ${samples.ndim}`);
  }
  const [count, channels, dims] = samples.shape as readonly [IntLike, IntLike, IntLike];
  const batch = self.ndim === rank + 2 ? self.shape[0]! : 1;
  if (isBelow(env, count, batch)) {
    throw shapeMismatch("Expect _random_samples.size(0) no less then input batch size.");
  }
  if (mayDiffer(env, channels, self.shape[self.ndim - rank - 1]!)) {
    throw shapeMismatch("Expect _random_samples.size(1) equals to input channel size.");
  }
  if (mayDiffer(env, dims, rank)) {
    throw shapeMismatch(`Expect _random_samples.size(2) equals to ${rank}; got ${String(dims)}.`);
  }
}

interface ForwardArgs extends PoolArgs {
  readonly random_samples: FakeTensor;
}

const forward =
  (rank: Rank) =>
  (args: ForwardArgs, { env }: { readonly env: SymEnv }): readonly FakeTensor[] => {
    const { self, output_size, random_samples } = args;
    checkInput(args, rank, env);
    if (!isFloatDType(self.dtype)) {
      throw dtypeMismatch(`"fractional_max_pool${rank}d_out_frame" not implemented for '${self.dtype}'`);
    }
    checkSamples(self, random_samples, rank, env);
    const shape = [...self.shape.slice(0, self.ndim - rank), ...output_size];
    return [fake({ dtype: self.dtype, shape, like: self }), fake({ dtype: "int64", shape, like: self })];
  };

interface BackwardArgs extends PoolArgs {
  readonly grad_output: FakeTensor;
  readonly indices: FakeTensor;
}

const backward =
  (rank: Rank) =>
  (args: BackwardArgs, { env }: { readonly env: SymEnv }): FakeTensor => {
    const { self, grad_output: grad, indices, output_size } = args;
    const first = self.ndim - rank;
    for (let d = 0; d < rank; d++) {
      if (mayDiffer(env, grad.shape[first + d] ?? 0, output_size[d]!)) {
        throw shapeMismatch(`${nameOf(rank, true)}: gradOutput ${AXES.at(d - rank)!} unexpected`);
      }
    }
    if (indices.dtype !== "int64") {
      throw dtypeMismatch(`expected scalar type Long but found ${indices.dtype}`);
    }
    return rowMajorLike(self);
  };

export const poolFractionalOps: readonly OpDefinition[] = [
  defineOp({
    schema:
      "aten::fractional_max_pool2d(Tensor self, int[2] kernel_size, int[2] output_size, Tensor random_samples) -> (Tensor, Tensor)",
    meta: forward(2),
  }),
  defineOp({
    schema:
      "aten::fractional_max_pool3d(Tensor self, int[3] kernel_size, int[3] output_size, Tensor random_samples) -> (Tensor, Tensor)",
    meta: forward(3),
  }),
  defineOp({
    schema:
      "aten::fractional_max_pool2d_backward(Tensor grad_output, Tensor self, int[2] kernel_size, int[2] output_size, Tensor indices) -> Tensor",
    meta: backward(2),
  }),
  defineOp({
    schema:
      "aten::fractional_max_pool3d_backward(Tensor grad_output, Tensor self, int[3] kernel_size, int[3] output_size, Tensor indices) -> Tensor",
    meta: backward(3),
  }),
];
