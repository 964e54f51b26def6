/** @file Elements in another order, or repeated: `flip`, `roll`, `repeat`. */

import { type Tensor, wrapDimension } from "@sconce/tensor";
import { copyInto, detached } from "../kernel/copy.js";
import { readNumbers, writeNumbers } from "../kernel/dense.js";
import { invalidArgument } from "../kernel/errors.js";
import { defineKernels, emptyOutput, kernel } from "../kernel/kernel.js";
import { scratch } from "../kernel/scratch.js";
import { dynamicOutput, narrowView } from "./index-elements.js";

const flip = kernel("aten::flip(Tensor self, int[] dims) -> Tensor", ({ self, dims }, context) => {
  const out = emptyOutput(context);
  const strides = self.strides.slice();
  let offset = self.storageOffset;
  for (const dim of dims) {
    const d = wrapDimension(dim, self.ndim);
    if (self.ndim === 0 || self.shape[d] === 0) continue;
    offset += (self.shape[d]! - 1) * strides[d]!;
    strides[d] = -strides[d]!;
  }
  copyInto(out, self.asStrided(self.shape, strides, offset));
  return out;
});

/** One dimension after the other, each as two blocks that change places. */
const roll = kernel(
  "aten::roll(Tensor self, SymInt[1] shifts, int[1] dims=[]) -> Tensor",
  ({ self, shifts, dims }, context) => {
    const out = emptyOutput(context);
    if (self.numel === 0) return out;
    if (dims.length === 0) {
      const flat = self.isContiguous ? self : detached(self);
      rollOne(out.asStrided([out.numel], [1]), flat.asStrided([self.numel], [1]), 0, shifts[0]!);
      return out;
    }
    let current = self;
    dims.forEach((dim, k) => {
      const next = k === dims.length - 1 ? out : detached(self);
      rollOne(next, current, wrapDimension(dim, self.ndim), shifts[k]!);
      current = next;
    });
    return out;
  },
);

function rollOne(out: Tensor, source: Tensor, d: number, shift: number): void {
  const size = source.shape[d] ?? 1;
  if (source.ndim === 0) {
    copyInto(out, source);
    return;
  }
  const by = ((shift % size) + size) % size;
  copyInto(narrowView(out, d, by, size - by), narrowView(source, d, 0, size - by));
  copyInto(narrowView(out, d, 0, by), narrowView(source, d, size - by, by));
}

/** The output seen as [repeat, size] pairs, into which the input is broadcast. */
const repeat = kernel(
  "aten::repeat(Tensor self, SymInt[] repeats) -> Tensor",
  ({ self, repeats }, context) => {
    const out = emptyOutput(context);
    if (out.numel === 0) return out;
    const lead = repeats.length - self.ndim;
    const shape: number[] = [];
    const strides: number[] = [];
    const source: number[] = [];
    repeats.forEach((times, d) => {
      const size = d < lead ? 1 : self.shape[d - lead]!;
      shape.push(times, size);
      strides.push(out.strides[d]! * size, out.strides[d]!);
      source.push(0, d < lead ? 0 : self.strides[d - lead]!);
    });
    copyInto(out.asStrided(shape, strides), self.asStrided(shape, source));
    return out;
  },
);

/** For counts [2, 0, 1] the positions [0, 0, 2]. */
const repeatInterleave = kernel(
  "aten::repeat_interleave.Tensor(Tensor repeats, *, SymInt? output_size=None) -> Tensor",
  ({ repeats, output_size: wanted }) => {
    const counts = readNumbers(repeats);
    let total = 0;
    for (const count of counts) {
      if (count < 0) throw invalidArgument("repeats can not be negative");
      total += count;
    }
    if (wanted !== null && wanted !== total)
      throw invalidArgument("allocated size does not match required size");
    const values = scratch(Float64Array, total);
    let at = 0;
    for (let i = 0; i < counts.length; i++) for (let k = 0; k < counts[i]!; k++) values[at++] = i;
    const out = dynamicOutput([total], repeats.dtype);
    writeNumbers(out, values);
    return out;
  },
);

export const rearrangeKernels = defineKernels([flip, roll, repeat, repeatInterleave]);
