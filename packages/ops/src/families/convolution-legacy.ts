/** @file Older names of convolutions: one general convolution each. */
import type { FakeTensor, SymInt } from "@sconce/ir";
import { add, mul, sub } from "@sconce/symbolic";
import { defineOp, type OpDefinition } from "../rows/define-op.js";
import type { Emit, EmitArg } from "../rows/emit.js";
import { invalidArgument } from "../rows/errors.js";
import { fake } from "../rules/fake.js";
import type { ConvolutionArgs } from "./convolution.js";

const operandsOf = (args: ConvolutionArgs): readonly EmitArg[] => [
  args.input,
  args.weight,
  args.bias,
  args.stride,
  args.padding,
  args.dilation,
  args.transposed,
  args.output_padding,
  args.groups,
];

const convolve = (emit: Emit, args: ConvolutionArgs): FakeTensor =>
  emit("aten.convolution.default", operandsOf(args));

const general = defineOp({
  schema:
    "aten::_convolution(Tensor input, Tensor weight, Tensor? bias, SymInt[] stride, SymInt[] padding, SymInt[] dilation, bool transposed, SymInt[] output_padding, SymInt groups, bool benchmark, bool deterministic, bool cudnn_enabled, bool allow_tf32) -> Tensor",
  tags: ["not_in_default_table"],
  decompose: convolve,
});

const deprecated = defineOp({
  schema:
    "aten::_convolution.deprecated(Tensor input, Tensor weight, Tensor? bias, SymInt[] stride, SymInt[] padding, SymInt[] dilation, bool transposed, int[] output_padding, SymInt groups, bool benchmark, bool deterministic, bool cudnn_enabled) -> Tensor",
  tags: ["composite"],
  decompose: (emit, args) =>
    emit("aten._convolution.default", [
      ...operandsOf(args),
      args.benchmark,
      args.deterministic,
      args.cudnn_enabled,
      true,
    ]),
});

/** Padding by name: `conv1d` and its like know how. */
const mode = defineOp({
  schema:
    "aten::_convolution_mode(Tensor input, Tensor weight, Tensor? bias, SymInt[] stride, str padding, SymInt[] dilation, SymInt groups) -> Tensor",
  tags: ["composite"],
  decompose: (emit, { input, weight, bias, stride, padding, dilation, groups }) => {
    const rank = weight.ndim - 2;
    if (rank < 1 || rank > 3) throw invalidArgument("_convolution_mode: expected 1 to 3 spatial dimensions");
    return emit(`aten.conv${rank}d.padding`, [input, weight, bias, stride, padding, dilation, groups]);
  },
});

interface SlowArgs {
  readonly self: FakeTensor;
  readonly weight: FakeTensor;
  readonly bias: FakeTensor | null;
  readonly stride: readonly SymInt[];
  readonly padding: readonly SymInt[];
}

/** Its weight may come as a matrix of the columns of each filter. */
const slow =
  (rank: 2 | 3) =>
  (
    emit: Emit,
    {
      self,
      weight,
      bias,
      stride,
      padding,
      kernel_size,
    }: SlowArgs & { readonly kernel_size: readonly SymInt[] },
  ): FakeTensor => {
    const batched = self.ndim === rank + 2;
    const input = batched ? self : emit("aten.unsqueeze.default", [self, 0]);
    const [ones, zeros] = [1, 0].map((value) => new Array<SymInt>(rank).fill(value)) as [SymInt[], SymInt[]];
    const filters =
      weight.ndim === rank + 2
        ? weight
        : emit("aten.reshape.default", [weight, [weight.shape[0]!, input.shape[1]!, ...kernel_size]]);
    const result = convolve(emit, {
      input,
      weight: filters,
      bias,
      stride,
      padding,
      dilation: ones,
      transposed: false,
      output_padding: zeros,
      groups: 1,
    });
    return batched ? result : emit("aten.squeeze.dim", [result, 0]);
  };

const tbc = defineOp({
  schema: "aten::conv_tbc(Tensor self, Tensor weight, Tensor bias, int pad=0) -> Tensor",
  doc: "A convolution over time of (time, batch, channels), with weights of (time, channels in, channels out).",
  tags: ["not_in_default_table"],
  decompose: (emit, { self, weight, bias, pad }) => {
    if (self.ndim !== 3) throw invalidArgument("Input must have 3 dims: time, batch, in_channel");
    if (weight.ndim !== 3)
      throw invalidArgument("Weight tensor must have 3 dims: kernel_width, in_channels, out_channels.");
    if (bias.ndim !== 1) throw invalidArgument("Bias must be 1-D");
    const input = emit("aten.permute.default", [self, [1, 2, 0]]);
    const filters = emit("aten.permute.default", [weight, [2, 1, 0]]);
    const result = emit("aten.conv1d.default", [input, filters, bias, [1], [pad]]);
    return emit("aten.contiguous.default", [emit("aten.permute.default", [result, [2, 0, 1]])]);
  },
  meta: ({ self, weight, pad }) => {
    const [time, batch] = self.shape as readonly [SymInt, SymInt];
    const length = add(sub(add(time, mul(2, pad)), weight.shape[0]!), 1);
    return fake({ dtype: self.dtype, shape: [length, batch, weight.shape[2]!], like: self });
  },
});

export const convolutionLegacyOps: readonly OpDefinition[] = [
  general,
  deprecated,
  mode,
  defineOp({
    schema:
      "aten::slow_conv3d_forward(Tensor self, Tensor weight, SymInt[3] kernel_size, Tensor? bias, SymInt[3] stride, SymInt[3] padding) -> Tensor",
    tags: ["not_in_default_table"],
    decompose: slow(3),
  }),
  defineOp({
    schema:
      "aten::_slow_conv2d_forward(Tensor self, Tensor weight, SymInt[2] kernel_size, Tensor? bias, SymInt[2] stride, SymInt[2] padding) -> Tensor",
    tags: ["not_in_default_table"],
    decompose: slow(2),
  }),
  tbc,
];
