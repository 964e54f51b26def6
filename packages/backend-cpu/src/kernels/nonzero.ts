/** @file Where elements are true, and selection and filling by masks. */

import { broadcastView, castTensor, positionsOf, type Tensor } from "@sconce/tensor";
import { copyInto } from "../kernel/copy.js";
import { readNumbers, writeNumbers } from "../kernel/dense.js";
import { invalidArgument } from "../kernel/errors.js";
import { defineKernels, emptyOutput, kernel } from "../kernel/kernel.js";
import { scratch } from "../kernel/scratch.js";
import {
  broadcastShape,
  copyAsOutput,
  dynamicOutput,
  gatherElements,
  moveElements,
} from "./index-elements.js";

/** For each dimension, that coordinate of all true elements in row-major order. */
export function nonzeroCoordinates(tensor: Tensor): Float64Array[] {
  const truths = readNumbers(castTensor(tensor, "bool"));
  let count = 0;
  for (let i = 0; i < truths.length; i++) if (truths[i] !== 0) count++;
  const coordinates = tensor.shape.map(() => scratch(Float64Array, count));
  let at = 0;
  for (let i = 0; i < truths.length; i++) {
    if (truths[i] === 0) continue;
    let rest = i;
    for (let d = tensor.ndim - 1; d >= 0; d--) {
      const size = tensor.shape[d]!;
      coordinates[d]![at] = rest % size;
      rest = Math.floor(rest / size);
    }
    at++;
  }
  return coordinates;
}

const countTrue = (tensor: Tensor): number =>
  (readNumbers(castTensor(tensor, "bool")) as Uint8Array).reduce((sum, truth) => sum + truth, 0);

function nonzeroTable(self: Tensor): Float64Array {
  const coordinates = nonzeroCoordinates(self);
  const count = coordinates[0]?.length ?? countTrue(self);
  const table = scratch(Float64Array, count * self.ndim);
  coordinates.forEach((values, d) => {
    for (let i = 0; i < count; i++) table[i * self.ndim + d] = values[i]!;
  });
  return table;
}

const nonzero = kernel(
  ["aten::nonzero(Tensor self) -> Tensor", "aten::argwhere(Tensor self) -> Tensor"],
  ({ self }) => {
    const table = nonzeroTable(self);
    const count = self.ndim === 0 ? countTrue(self) : table.length / self.ndim;
    // One coordinate after the other, as PyTorch lays the table out.
    const out = dynamicOutput([count, self.ndim], "int64", [1, count]);
    writeNumbers(out, table);
    return out;
  },
);

const nonzeroStatic = kernel(
  "aten::nonzero_static(Tensor self, *, SymInt size, int fill_value=-1) -> Tensor",
  ({ self, size, fill_value: fill }, context) => {
    const out = emptyOutput(context);
    const table = nonzeroTable(self).subarray(0, size * self.ndim);
    const padded = scratch(Float64Array, size * self.ndim).fill(fill);
    padded.set(table);
    writeNumbers(out, padded);
    return out;
  },
);

const maskedSelect = kernel("aten::masked_select(Tensor self, Tensor mask) -> Tensor", ({ self, mask }) => {
  const shape = broadcastShape(self.shape, mask.shape);
  const holds = readNumbers(mask, shape);
  const positions = positionsOf(shape, broadcastView(self, shape)).filter((_, i) => holds[i] !== 0);
  return gatherElements(dynamicOutput([positions.length], self.dtype), self, positions);
});

const maskedScatter = kernel(
  "aten::masked_scatter(Tensor self, Tensor mask, Tensor source) -> Tensor",
  ({ self, mask, source }, context) => {
    const out = copyAsOutput(context, self);
    const holds = readNumbers(mask, out.shape);
    const places = positionsOf(out.shape, out).filter((_, i) => holds[i] !== 0);
    if (places.length > source.numel) {
      throw invalidArgument("Number of elements of source < number of ones in mask");
    }
    moveElements(out, places, source, positionsOf(source.shape, source), places.length);
    return out;
  },
);

const maskedScatterBackward = kernel(
  "aten::masked_scatter_backward(Tensor grad_output, Tensor mask, SymInt[] sizes) -> Tensor",
  ({ grad_output: grad, mask }, context) => {
    const out = emptyOutput(context);
    const holds = readNumbers(mask, grad.shape);
    const positions = positionsOf(grad.shape, grad).filter((_, i) => holds[i] !== 0);
    if (positions.length > out.numel)
      throw invalidArgument(
        `shape '[${out.shape.join(", ")}]' is invalid for input of size ${positions.length}`,
      );
    const picked = gatherElements(dynamicOutput([positions.length], grad.dtype), grad, positions);
    copyInto(out.asStrided([positions.length], [1]), picked);
    return out;
  },
);

export const nonzeroKernels = defineKernels([
  nonzero,
  nonzeroStatic,
  maskedSelect,
  maskedScatter,
  maskedScatterBackward,
]);
