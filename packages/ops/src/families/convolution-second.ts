/**
 * @file The gradient of a convolution's gradient (`_convolution_double_backward` in ATen's
 * Convolution.cpp).
 */
import type { FakeTensor, MetaValue } from "@sconce/ir";
import type { IntLike } from "@sconce/symbolic";
import { defineOp, type OpDefinition } from "../rows/define-op.js";
import type { Emit } from "../rows/emit.js";
import { numelOf } from "../rules/fake.js";

interface Parameters {
  readonly stride: readonly IntLike[];
  readonly padding: readonly IntLike[];
  readonly dilation: readonly IntLike[];
  readonly transposed: boolean;
  readonly output_padding: readonly IntLike[];
  readonly groups: IntLike;
}

interface Given extends Parameters {
  readonly ggI: FakeTensor | null;
  readonly ggW: FakeTensor | null;
  readonly ggb: FakeTensor | null;
  readonly gO: FakeTensor;
  readonly weight: FakeTensor;
  readonly self: FakeTensor;
}

const convolution = (emit: Emit, x: FakeTensor, weight: FakeTensor, p: Parameters): FakeTensor =>
  emit("aten.convolution.default", [
    x,
    weight,
    null,
    p.stride,
    p.padding,
    p.dilation,
    p.transposed,
    p.output_padding,
    p.groups,
  ]);

const swapped = (emit: Emit, x: FakeTensor): FakeTensor => emit("aten.transpose.int", [x, 0, 1]);

/** No larger than `like` in the spatial dimensions: kernels know no asymmetric padding. */
function narrowedTo(emit: Emit, like: FakeTensor, x: FakeTensor): FakeTensor {
  let narrow = x;
  for (let dim = 2; dim < x.ndim; dim++) {
    if (Number(x.shape[dim]) > Number(like.shape[dim]))
      narrow = emit("aten.narrow.default", [narrow, dim, 0, like.shape[dim]!]);
  }
  return narrow;
}

/** Returns the gradient of the output's gradient: `conv(ggI, w) + conv(x, ggW) + ggb`. */
function outputTerm(emit: Emit, { ggI, ggW, ggb, gO, weight, self, ...p }: Given): FakeTensor | null {
  let total: FakeTensor | null = null;
  const plus = (term: FakeTensor): FakeTensor =>
    total === null ? term : emit("aten.add.Tensor", [total, term]);
  if (numelOf(self.shape) !== 0) {
    if (ggI !== null) total = convolution(emit, ggI, weight, p);
    if (ggW !== null) total = plus(convolution(emit, self, ggW, p));
  }
  if (ggb === null) return total;
  const shape = gO.shape.map((_, dim) => (dim === 1 ? numelOf(ggb.shape) : 1));
  const wide = emit("aten.view.default", [emit("aten.contiguous.default", [ggb]), shape]);
  return plus(emit("aten.expand.default", [wide, gO.shape]));
}

/**
 * Returns the gradient of the weight: a convolution of `ggI` with `gO` that sums over the batch.
 */
function weightTerm(emit: Emit, { ggI, gO, weight, self, ...p }: Given): FakeTensor | null {
  if (ggI === null) return null;
  const grad = swapped(emit, gO);
  const input = swapped(emit, ggI);
  if (numelOf(self.shape) === 0) return null;
  const groups = Number(p.groups);
  const inner = { ...p, stride: p.dilation, dilation: p.stride, groups: 1, transposed: false };
  const run = (x: FakeTensor, g: FakeTensor): FakeTensor =>
    p.transposed ? convolution(emit, g, x, inner) : convolution(emit, x, g, inner);
  const part = (x: FakeTensor, group: number): FakeTensor => {
    const size = Number(x.shape[0]) / groups;
    return emit("aten.narrow.default", [x, 0, size * group, size]);
  };
  const one = (group: number): FakeTensor => {
    const x = part(input, group);
    return run(x, part(grad, group));
  };
  const all =
    groups === 1
      ? run(input, grad)
      : emit("aten.cat.default", [Array.from({ length: groups }, (_, group) => one(group)), 1]);
  return narrowedTo(emit, weight, swapped(emit, all));
}

/** Returns the gradient of the input: `gO` convolved with `ggW` the other way round. */
function inputTerm(emit: Emit, { ggW, gO, weight, self, ...p }: Given): FakeTensor | null {
  if (ggW === null || numelOf(self.shape) === 0) return null;
  if (p.transposed) return narrowedTo(emit, self, convolution(emit, gO, ggW, { ...p, transposed: false }));
  const outputPadding = p.output_padding.map((padding, i) => {
    const [kernel, input, output] = [weight, self, gO].map(({ shape }) => Number(shape[i + 2]));
    const expected =
      (kernel! - 1) * Number(p.dilation[i]) -
      2 * Number(p.padding[i]) +
      Number(p.stride[i]) * (output! - 1) +
      1;
    return expected === input ? padding : input! - expected;
  });
  return convolution(emit, gO, ggW, { ...p, transposed: true, output_padding: outputPadding });
}

export const convolutionSecondOps: readonly OpDefinition[] = [
  defineOp({
    schema:
      "aten::_convolution_double_backward(Tensor? ggI, Tensor? ggW, Tensor? ggb, Tensor gO, Tensor weight, Tensor self, SymInt[] stride, SymInt[] padding, SymInt[] dilation, bool transposed, SymInt[] output_padding, SymInt groups, bool[3] output_mask) -> (Tensor, Tensor, Tensor)",
    tags: ["composite"],
    // PyTorch computes all three, whatever the mask says.
    decompose: (emit, args): readonly MetaValue[] => {
      const output = outputTerm(emit, args);
      const weight = weightTerm(emit, args);
      return [output, inputTerm(emit, args), weight];
    },
  }),
];
