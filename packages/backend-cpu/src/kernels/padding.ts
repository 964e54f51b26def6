/** @file Padding: `constant_pad_nd`, reflection and replication pads, forward and backward. */

import type { Tensor } from "@sconce/tensor";
import { copyInto } from "../kernel/copy.js";
import { finishOutput, openOutput, readNumbers } from "../kernel/dense.js";
import { defineKernels, emptyOutput, type Kernel, kernel } from "../kernel/kernel.js";
import { scratch } from "../kernel/scratch.js";
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
      const next = scratch(Int32Array, places.length * size);
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
]);
