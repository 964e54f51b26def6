/** @file The factory options `dtype`, `layout`, `device`, `pin_memory`, which end many schemas. */
import {
  type DeviceLiteral,
  device,
  type FakeTensor,
  type IntLike,
  type LayoutName,
  type MemoryFormat,
} from "@sconce/ir";
import { ge, type SymEnv } from "@sconce/symbolic";
import type { DType } from "@sconce/tensor";
import type { EmitArg } from "../rows/emit.js";
import { invalidArgument } from "../rows/errors.js";
import { check } from "./comparison.js";
import { describeSize, describeSizes } from "./describe.js";
import { memoryOrder } from "./elementwise.js";
import { fake, isNonOverlappingAndDense, memoryFormatStrides, stridesInOrder } from "./fake.js";

/** As bound from `ScalarType? dtype, Layout? layout, Device? device, bool? pin_memory`. */
export interface FactoryOptions {
  readonly dtype: DType | null;
  readonly layout: LayoutName | null;
  readonly device: DeviceLiteral | null;
  readonly pin_memory: boolean | null;
}

/** The schema text of the four options. */
export const OPTIONS =
  "ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None";
export type Options = typeof OPTIONS;

/** Returns a row-major tensor of these sizes, which are not negative. */
export function created(
  shape: readonly IntLike[],
  dtype: DType,
  { layout, device }: FactoryOptions,
  env?: SymEnv,
): FakeTensor {
  const negative = shape.find((size) => typeof size === "number" && size < 0);
  if (negative !== undefined) throw negativeSize(negative, shape);
  if (env !== undefined) {
    for (const size of shape)
      if (typeof size !== "number") check(env, ge(size, 0), () => negativeSize(size, shape));
  }
  return fake({ dtype, shape, layout, device });
}

const negativeSize = (size: IntLike, shape: readonly IntLike[]): Error =>
  invalidArgument(
    `Trying to create tensor with negative dimension ${describeSize(size)}: ${describeSizes(shape)}`,
  );

/**
 * Returns the strides of `empty_like`: those of a dense tensor, or its order of dimensions made
 * dense.
 */
export function likeStrides(self: FakeTensor, format: MemoryFormat | null, env: SymEnv): readonly IntLike[] {
  if (format !== null && format !== "preserve_format") return memoryFormatStrides(self.shape, format);
  if (isNonOverlappingAndDense(self, env)) return self.strides;
  return stridesInOrder(self.shape, memoryOrder(env, self.shape, [self]));
}

/** Returns a new tensor with the sizes and, where dense, the strides of `self`. */
export const emptyLike = (self: FakeTensor, env: SymEnv, dtype: DType = self.dtype): FakeTensor =>
  fake({ dtype, shape: self.shape, strides: likeStrides(self, null, env), like: self });

/** Returns a fresh tensor of the sizes of `self`. */
export function createdLike(
  self: FakeTensor,
  options: FactoryOptions,
  format: MemoryFormat | null,
  env: SymEnv,
): FakeTensor {
  return fake({
    dtype: options.dtype ?? self.dtype,
    shape: self.shape,
    strides: likeStrides(self, format, env),
    like: self,
    layout: options.layout,
    device: options.device,
  });
}

export type EmitKwargs = Readonly<Record<string, EmitArg>>;

const CPU = device("cpu");

/** Defaults of PyTorch's Python factories: strided, on the CPU, not pinned. */
export const factoryKwargs = ({
  dtype,
  layout,
  device: place,
  pin_memory: pin,
}: FactoryOptions): EmitKwargs => ({
  dtype,
  layout: layout ?? "strided",
  device: place ?? CPU,
  pin_memory: pin ?? false,
});

/** As the `_like` factories hand them on: only what was given, not pinned. */
export const likeKwargs = ({ dtype, layout, device, pin_memory: pin }: FactoryOptions): EmitKwargs => ({
  dtype,
  layout,
  device,
  pin_memory: pin ?? false,
});

/** As the `new_` factories hand them on: filled in from the tensor. */
export const newKwargs = (
  self: FakeTensor,
  { dtype, layout, device, pin_memory: pin }: FactoryOptions,
): EmitKwargs => ({
  dtype: dtype ?? self.dtype,
  layout: layout ?? self.layout,
  device: device ?? self.device,
  pin_memory: pin ?? false,
});
