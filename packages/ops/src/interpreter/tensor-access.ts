/** @file What control flow asks of tensors, and the answers for tensors in memory. */
import { internalError } from "@sconce/errors";
import { FakeTensor, isFloat, type MetaValue } from "@sconce/ir";
import {
  copyInto,
  dtypeInfo,
  laneReader,
  requiredBytes,
  Storage,
  Tensor,
  wrapDimension,
} from "@sconce/tensor";
import { invalidArgument } from "../rows/errors.js";
import { foreignTensor } from "./errors.js";
import type { RuntimeValue } from "./values.js";

/** What higher-order calls (`cond`, `scan`, ...) ask of the values that represent tensors. */
export interface TensorAccess<T> {
  /** Returns whether a condition holds: a tensor of one element, or a Python scalar. */
  isTrue(value: RuntimeValue<T>): boolean;
  /** Returns an index of branches: an integer, or the element of a tensor as one. */
  integerOf(value: RuntimeValue<T>): number;
  /** Returns whether a value is a tensor. */
  isTensor(value: unknown): value is T;
  /** Returns the size of one dimension. */
  sizeOf(tensor: T, dim: number): number;
  /** Index `i` of a dimension, without that dimension. */
  select(tensor: T, dim: number, i: number): T;
  /** Tensors of one shape and dtype along a new dimension; at least one. */
  stack(rows: readonly T[], dim: number): T;
  /**
   * Returns the result of a loop without iterations: size 0 in `dim`, the rest from the recorded
   * metadata.
   */
  empty(meta: MetaValue | undefined, dim: number): T;
  /** Returns a copy that later writes to the original do not change. */
  clone(tensor: T): T;
  /** Another view of the same memory, in elements. */
  asStrided(tensor: T, shape: readonly number[], strides: readonly number[], offset: number): T;
  /** Returns the dtype of a tensor, and where its elements are. */
  layoutOf(tensor: T): Pick<Tensor, "dtype" | "shape" | "strides" | "storageOffset">;
}

/** Tensors in memory. */
export const HOST_TENSORS: TensorAccess<Tensor> = {
  isTrue: truth,
  integerOf,
  isTensor: (value) => value instanceof Tensor,
  sizeOf: (tensor, dim) => host(tensor).shape[dim] ?? 0,
  select: selected,
  stack: stacked,
  empty: emptyResult,
  clone: duplicate,
  asStrided: (tensor, shape, strides, offset) => host(tensor).asStrided(shape, strides, offset),
  layoutOf: (tensor) => host(tensor),
};

function host(tensor: Tensor): Tensor {
  if (tensor instanceof Tensor) return tensor;
  throw foreignTensor();
}

function truth(value: RuntimeValue): boolean {
  if (typeof value !== "object" || value === null) return Boolean(value);
  if (isFloat(value)) return value.value !== 0;
  return lanesOf(value as Tensor, "a condition").some((lane) => lane !== 0);
}

function integerOf(value: RuntimeValue): number {
  if (typeof value !== "object" || value === null) return Number(value);
  return Math.trunc(lanesOf(value as Tensor, "an index of branches")[0]!);
}

/** Returns the lanes of the only element of a tensor. */
function lanesOf(value: Tensor, what: string): readonly number[] {
  const tensor = host(value);
  if (tensor.numel !== 1)
    throw invalidArgument(`${what} has to be a single element, got shape [${tensor.shape.join(", ")}]`);
  const { lanes } = dtypeInfo(tensor.dtype);
  const read = laneReader(tensor.dtype, tensor.data);
  return Array.from({ length: lanes }, (_, lane) => Number(read(tensor.storageOffset * lanes + lane)));
}

function selected(tensor: Tensor, dim: number, i: number): Tensor {
  const { shape, strides, storageOffset, ndim } = host(tensor);
  const d = wrapDimension(dim, ndim);
  return tensor.asStrided(shape.toSpliced(d, 1), strides.toSpliced(d, 1), storageOffset + i * strides[d]!);
}

function stacked(rows: readonly Tensor[], dim: number): Tensor {
  const first = host(rows[0]!);
  const d = wrapDimension(dim, first.ndim + 1);
  const out = Tensor.empty(first.shape.toSpliced(d, 0, rows.length), first.dtype);
  for (const [i, row] of rows.entries()) copyInto(selected(out, d, i), row);
  return out;
}

function emptyResult(meta: MetaValue | undefined, dim: number): Tensor {
  if (!(meta instanceof FakeTensor)) throw internalError("a loop without iterations has no metadata");
  const shape = meta.shape.map((size, d) => (d === dim ? 0 : typeof size === "number" ? size : 0));
  return Tensor.empty(shape, meta.dtype);
}

/** Returns a copy of a tensor's elements with the same strides. */
function duplicate(base: Tensor): Tensor {
  const { dtype, shape, strides } = host(base);
  const storage = Storage.allocate(requiredBytes(shape, strides, 0, dtypeInfo(dtype).itemSize));
  const copy = new Tensor({ dtype, shape, strides, storage });
  copyInto(copy, base);
  return copy;
}
