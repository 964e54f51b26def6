/**
 * @file Moves whole elements by storage position, whatever their dtype: as 1, 2 or 4 byte words,
 * never as numbers.
 */

import type { FakeTensor } from "@sconce/ir";
import { shapeMismatch } from "@sconce/ops";
import {
  contiguousStrides,
  type DType,
  dtypeInfo,
  isContiguous,
  positionsOf,
  Storage,
  Tensor,
} from "@sconce/tensor";
import { copyInto } from "../kernel/copy.js";
import { readNumbers } from "../kernel/dense.js";
import { indexOutOfRange } from "../kernel/errors.js";
import { allocate, emptyStrided, type KernelContext } from "../kernel/kernel.js";
import { scratch } from "../kernel/scratch.js";

type Words = Uint8Array | Uint16Array | Int32Array;

interface ElementWords {
  readonly words: Words;
  readonly perElement: number;
}

function wordsOf(tensor: Tensor): ElementWords {
  const { itemSize } = dtypeInfo(tensor.dtype);
  const dtype: DType = itemSize === 1 ? "uint8" : itemSize === 2 ? "uint16" : "int32";
  return { words: tensor.storage.view(dtype) as Words, perElement: Math.max(1, itemSize / 4) };
}

/** Copies element `from[i]` of `source` to element `to[i]` of `target`; both of one dtype. */
export function moveElements(
  target: Tensor,
  to: ArrayLike<number>,
  source: Tensor,
  from: ArrayLike<number>,
  count: number,
): void {
  const { words: out, perElement } = wordsOf(target);
  const { words } = wordsOf(source);
  if (perElement === 1) {
    for (let i = 0; i < count; i++) out[to[i]!] = words[from[i]!]!;
    return;
  }
  for (let i = 0; i < count; i++) {
    const a = to[i]! * perElement;
    const b = from[i]! * perElement;
    for (let w = 0; w < perElement; w++) out[a + w] = words[b + w]!;
  }
}

/** Fills `out`, in row-major order, with the elements of `source` at these positions. */
export function gatherElements(out: Tensor, source: Tensor, positions: ArrayLike<number>): Tensor {
  if (!isContiguous(out.shape, out.strides)) {
    moveElements(out, positionsOf(out.shape, out), source, positions, out.numel);
    return out;
  }
  const { words: to, perElement } = wordsOf(out);
  const { words } = wordsOf(source);
  const count = out.numel;
  let at = out.storageOffset * perElement;
  if (perElement === 1) for (let i = 0; i < count; i++) to[at++] = words[positions[i]!]!;
  else {
    for (let i = 0; i < count; i++) {
      const from = positions[i]! * perElement;
      for (let w = 0; w < perElement; w++) to[at++] = words[from + w]!;
    }
  }
  return out;
}

/**
 * Fills `out` from `source`, whose coordinate in dimension `d` is `maps[d][c]` for coordinate `c`
 * of `out`, or `c` itself where the map is null.
 */
export function gatherByAxes(
  out: Tensor,
  source: Tensor,
  maps: readonly (ArrayLike<number> | null)[],
): Tensor {
  return gatherElements(out, source, positionsByAxes(out.shape, source, maps));
}

/**
 * Storage positions in `source` for all coordinates of `shape`, mapped axis by axis as in {@link
 * gatherByAxes}.
 */
export function positionsByAxes(
  shape: readonly number[],
  source: Tensor,
  maps: readonly (ArrayLike<number> | null)[],
): Int32Array {
  let positions = Int32Array.of(source.storageOffset);
  shape.forEach((size, d) => {
    const stride = source.strides[d]!;
    const map = maps[d];
    const next = scratch(Int32Array, positions.length * size);
    let at = 0;
    for (const base of positions) {
      for (let c = 0; c < size; c++) next[at++] = base + stride * (map ? map[c]! : c);
    }
    positions = next;
  });
  return positions;
}

/** Returns a copy of a tensor to write into, laid out as the meta rule says. */
export function copyAsOutput(context: KernelContext, self: Tensor): Tensor {
  const out = allocate(context.meta as FakeTensor);
  copyInto(out, self);
  return out;
}

/**
 * Returns a copy of all the memory behind a tensor, what lies between its elements too
 * (`clone_preserve_strides`); where elements share places the result has its own memory.
 */
export function copyWithStorage(context: KernelContext, self: Tensor): Tensor {
  const { dtype, shape, strides, storageOffset, storage } = self;
  if (shape.some((size, d) => size > 1 && strides[d] === 0)) return copyAsOutput(context, self);
  const copy = Storage.allocate(storage.byteLength);
  copy.bytes.set(storage.bytes);
  return new Tensor({ dtype, shape, strides, storageOffset, storage: copy });
}

/**
 * Returns the output of an operator whose result size depends on data: the meta rule knows its
 * dtype only.
 */
export function dynamicOutput(
  shape: readonly number[],
  dtype: DType,
  strides: readonly number[] = contiguousStrides(shape),
): Tensor {
  return emptyStrided(shape, strides, dtype);
}

/**
 * Index values in row-major order, negative ones counted from the end, all checked against the
 * size.
 */
export function readIndices(index: Tensor, size: number, what: (value: number) => string): Float64Array {
  const values = Float64Array.from(readNumbers(index) as Float64Array);
  for (let i = 0; i < values.length; i++) {
    const value = values[i]!;
    if (value >= size || value < -size) throw indexOutOfRange(what(value));
    if (value < 0) values[i] = value + size;
  }
  return values;
}

/** Index values that may not be negative, as `gather`, `scatter` and `index_select` take them. */
export function readPlainIndices(index: Tensor, size: number, dim: number): ArrayLike<number> {
  const values = readNumbers(index);
  for (let i = 0; i < values.length; i++) {
    const value = values[i]!;
    if (value < 0 || value >= size) {
      throw indexOutOfRange(`index ${value} is out of bounds for dimension ${dim} with size ${size}`);
    }
  }
  return values;
}

/** Returns a slice in one dimension: `length` elements from `start`, at a step of `step`. */
export function narrowView(tensor: Tensor, dim: number, start: number, length: number, step = 1): Tensor {
  const shape = tensor.shape.slice();
  const strides = tensor.strides.slice();
  const offset = tensor.storageOffset + start * strides[dim]!;
  shape[dim] = length;
  strides[dim] = strides[dim]! * step;
  return tensor.asStrided(shape, strides, offset);
}

/** Shape of two tensors broadcast together. */
export function broadcastShape(a: readonly number[], b: readonly number[]): number[] {
  const ndim = Math.max(a.length, b.length);
  return Array.from({ length: ndim }, (_, d) => {
    const x = a[d - ndim + a.length] ?? 1;
    const y = b[d - ndim + b.length] ?? 1;
    if (x !== y && x !== 1 && y !== 1)
      throw shapeMismatch(
        `The size of tensor a (${x}) must match the size of tensor b (${y}) at non-singleton dimension ${d}`,
      );
    return x === 1 ? y : x;
  });
}
