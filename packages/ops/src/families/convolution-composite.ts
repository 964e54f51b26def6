/** @file `conv1d` and its relatives: batching, padding by name, and the transposed forms. */
import type { FakeTensor, IntLike } from "@sconce/ir";
import { complex } from "@sconce/ir";
import { eq, floorDiv, mod, mul, ne, sub } from "@sconce/symbolic";
import { isComplexDType } from "@sconce/tensor";
import { defineOp, type OpDefinition } from "../rows/define-op.js";
import type { Emit, EmitArg } from "../rows/emit.js";
import { invalidArgument, requireWord, shapeMismatch } from "../rows/errors.js";
import { describeSizes } from "../rules/describe.js";

interface PlainArgs {
  readonly input: FakeTensor;
  readonly weight: FakeTensor;
  readonly bias: FakeTensor | null;
  readonly stride: readonly IntLike[];
  readonly dilation: readonly IntLike[];
  readonly groups: IntLike;
}
type PaddedArgs = PlainArgs & { readonly padding: readonly IntLike[] };
type NamedArgs = PlainArgs & { readonly padding: string };
type TransposedArgs = PaddedArgs & { readonly output_padding: readonly IntLike[] };

/** Everything after weight and bias in a call of `aten.convolution`. */
type Rest = readonly [
  stride: readonly IntLike[],
  padding: readonly IntLike[],
  dilation: readonly IntLike[],
  transposed: boolean,
  outputPadding: readonly IntLike[],
  groups: IntLike,
];

/** Runs a convolution on an input that may lack the batch dimension. */
function batched(
  name: string,
  spatial: number,
  emit: Emit,
  input: FakeTensor,
  run: (input: FakeTensor) => FakeTensor,
): FakeTensor {
  if (input.ndim !== spatial + 1 && input.ndim !== spatial + 2) {
    throw shapeMismatch(
      `Expected ${spatial + 1}D (unbatched) or ${spatial + 2}D (batched) input to ${name}, ` +
        `but got input of size: ${describeSizes(input.shape)}`,
    );
  }
  if (input.ndim === spatial + 2) return run(input);
  return emit("aten.squeeze.dim", [run(emit("aten.unsqueeze.default", [input, 0])), 0]);
}

function convolve(
  emit: Emit,
  input: FakeTensor,
  weight: FakeTensor,
  bias: FakeTensor | null,
  rest: Rest,
): FakeTensor {
  if (isComplexDType(input.dtype)) return convolveComplex(emit, input, weight, bias, rest);
  return emit("aten.convolution.default", [input, weight, bias, ...(rest as readonly EmitArg[])]);
}

/** Three real convolutions instead of four. */
function convolveComplex(
  emit: Emit,
  input: FakeTensor,
  weight: FakeTensor,
  bias: FakeTensor | null,
  rest: Rest,
): FakeTensor {
  const parts = (tensor: FakeTensor): readonly [FakeTensor, FakeTensor] => {
    const pairs = emit("aten.view_as_real.default", [tensor]);
    const part = (which: 0 | 1): FakeTensor => emit("aten.select.int", [pairs, tensor.ndim, which]);
    const re = part(0);
    return [re, part(1)];
  };
  const [inputRe, inputIm] = parts(input);
  const [weightRe, weightIm] = parts(weight);
  const [biasRe, biasIm] = bias === null ? [null, null] : parts(bias);
  const a = convolve(emit, inputRe, weightRe, biasRe, rest);
  const b = convolve(emit, inputIm, weightIm, null, rest);
  const biasSum = biasRe && biasIm && emit("aten.add.Tensor", [biasRe, biasIm]);
  const weightSum = emit("aten.add.Tensor", [weightRe, weightIm]);
  const c = convolve(emit, emit("aten.add.Tensor", [inputRe, inputIm]), weightSum, biasSum, rest);
  const imaginary = emit("aten.sub.Tensor", [emit("aten.sub.Tensor", [c, a]), b]);
  const turned = emit("aten.mul.Scalar", [imaginary, complex(0, 1)]);
  return emit("aten.add.Tensor", [emit("aten.sub.Tensor", [a, b]), turned]);
}

const zeros = (n: number): readonly IntLike[] => new Array<IntLike>(n).fill(0);

const plain =
  (name: string, spatial: number) =>
  (emit: Emit, args: PaddedArgs): FakeTensor =>
    batched(name, spatial, emit, args.input, (input) => {
      const { weight, bias, stride, padding, dilation, groups } = args;
      return convolve(emit, input, weight, bias, [stride, padding, dilation, false, zeros(spatial), groups]);
    });

const transposed =
  (name: string, spatial: number) =>
  (emit: Emit, args: TransposedArgs): FakeTensor =>
    batched(name, spatial, emit, args.input, (input) => {
      const { weight, bias, stride, padding, dilation, output_padding, groups } = args;
      return convolve(emit, input, weight, bias, [stride, padding, dilation, true, output_padding, groups]);
    });

const named =
  (name: string, spatial: number) =>
  (emit: Emit, args: NamedArgs): FakeTensor =>
    batched(name, spatial, emit, args.input, (input) => {
      const { weight, bias, stride, dilation, groups } = args;
      if (args.padding === "same") return convolveSame(emit, input, args);
      requireWord(args.padding, ["same", "valid"], `Invalid padding string: '${args.padding}'`);
      return convolve(emit, input, weight, bias, [stride, [0], dilation, false, [0], groups]);
    });

/**
 * Output of the input's size; what cannot be padded evenly is padded beforehand, at the far end.
 */
function convolveSame(emit: Emit, input: FakeTensor, args: NamedArgs): FakeTensor {
  const { weight, bias, stride, dilation, groups } = args;
  const spatial = weight.ndim - 2;
  if (stride.some((step) => step !== 1 && emit.env.guard(ne(step, 1)))) {
    throw invalidArgument("padding='same' is not supported for strided convolutions");
  }
  const padding: IntLike[] = [];
  const uneven = new Array<IntLike>(2 * spatial).fill(0);
  for (let i = 0; i < spatial; i++) {
    const total = mul((dilation.length === 1 ? dilation[0] : dilation[i])!, sub(weight.shape[i + 2]!, 1));
    padding.push(floorDiv(total, 2));
    uneven[2 * (spatial - 1 - i) + 1] = mod(total, 2);
  }
  const padded = uneven.every((size) => size === 0 || emit.env.guard(eq(size, 0)))
    ? input
    : emit("aten.constant_pad_nd.default", [input, uneven, 0]);
  return convolve(emit, padded, weight, bias, [stride, padding, dilation, false, zeros(spatial), groups]);
}

const composite = { tags: ["composite"] } as const;

/** Convolutions by number of spatial dimensions. */
export const convolutionCompositeOps: readonly OpDefinition[] = [
  defineOp({
    schema:
      "aten::conv1d(Tensor input, Tensor weight, Tensor? bias=None, SymInt[1] stride=[1], SymInt[1] padding=[0], SymInt[1] dilation=[1], SymInt groups=1) -> Tensor",
    ...composite,
    decompose: plain("conv1d", 1),
  }),
  defineOp({
    schema:
      "aten::conv2d(Tensor input, Tensor weight, Tensor? bias=None, SymInt[2] stride=[1, 1], SymInt[2] padding=[0, 0], SymInt[2] dilation=[1, 1], SymInt groups=1) -> Tensor",
    ...composite,
    decompose: plain("conv2d", 2),
  }),
  defineOp({
    schema:
      "aten::conv3d(Tensor input, Tensor weight, Tensor? bias=None, SymInt[3] stride=[1, 1, 1], SymInt[3] padding=[0, 0, 0], SymInt[3] dilation=[1, 1, 1], SymInt groups=1) -> Tensor",
    ...composite,
    decompose: plain("conv3d", 3),
  }),
  defineOp({
    schema:
      'aten::conv1d.padding(Tensor input, Tensor weight, Tensor? bias=None, SymInt[1] stride=[1], str padding="valid", SymInt[1] dilation=[1], SymInt groups=1) -> Tensor',
    ...composite,
    decompose: named("conv1d", 1),
  }),
  defineOp({
    schema:
      'aten::conv2d.padding(Tensor input, Tensor weight, Tensor? bias=None, SymInt[2] stride=[1, 1], str padding="valid", SymInt[2] dilation=[1, 1], SymInt groups=1) -> Tensor',
    ...composite,
    decompose: named("conv2d", 2),
  }),
  defineOp({
    schema:
      'aten::conv3d.padding(Tensor input, Tensor weight, Tensor? bias=None, SymInt[3] stride=[1, 1, 1], str padding="valid", SymInt[3] dilation=[1, 1, 1], SymInt groups=1) -> Tensor',
    ...composite,
    decompose: named("conv3d", 3),
  }),
  defineOp({
    schema:
      "aten::conv_transpose1d(Tensor input, Tensor weight, Tensor? bias=None, SymInt[1] stride=[1], SymInt[1] padding=[0], SymInt[1] output_padding=[0], SymInt groups=1, SymInt[1] dilation=[1]) -> Tensor",
    ...composite,
    decompose: transposed("conv_transpose1d", 1),
  }),
  defineOp({
    schema:
      "aten::conv_transpose2d.input(Tensor input, Tensor weight, Tensor? bias=None, SymInt[2] stride=[1, 1], SymInt[2] padding=[0, 0], SymInt[2] output_padding=[0, 0], SymInt groups=1, SymInt[2] dilation=[1, 1]) -> Tensor",
    ...composite,
    decompose: transposed("conv_transpose2d", 2),
  }),
  defineOp({
    schema:
      "aten::conv_transpose3d.input(Tensor input, Tensor weight, Tensor? bias=None, SymInt[3] stride=[1, 1, 1], SymInt[3] padding=[0, 0, 0], SymInt[3] output_padding=[0, 0, 0], SymInt groups=1, SymInt[3] dilation=[1, 1, 1]) -> Tensor",
    ...composite,
    decompose: transposed("conv_transpose3d", 3),
  }),
];
