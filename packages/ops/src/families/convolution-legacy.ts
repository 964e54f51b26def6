/** @file Older names of convolutions: one general convolution each. */
import type { FakeTensor, IntLike } from "@sconce/ir";
import { add, mul, sub } from "@sconce/symbolic";
import { defineOp, type OpDefinition } from "../rows/define-op.js";
import type { Emit, EmitArg } from "../rows/emit.js";
import { invalidArgument, shapeMismatch } from "../rows/errors.js";
import { describeSizes } from "../rules/describe.js";
import { fake } from "../rules/fake.js";
import { areOther } from "../rules/operand-sizes.js";
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
  readonly stride: readonly IntLike[];
  readonly padding: readonly IntLike[];
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
    }: SlowArgs & { readonly kernel_size: readonly IntLike[] },
  ): FakeTensor => {
    const batched = self.ndim === rank + 2;
    const input = batched ? self : emit("aten.unsqueeze.default", [self, 0]);
    const [ones, zeros] = [1, 0].map((value) => new Array<IntLike>(rank).fill(value)) as [
      IntLike[],
      IntLike[],
    ];
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
    const [time, batch] = self.shape as readonly [IntLike, IntLike];
    const length = add(sub(add(time, mul(2, pad)), weight.shape[0]!), 1);
    return fake({ dtype: self.dtype, shape: [length, batch, weight.shape[2]!], like: self });
  },
});

interface SpatialArgs extends SlowArgs {
  readonly kernel_size: readonly IntLike[];
  readonly dilation: readonly IntLike[];
  readonly output_padding?: readonly IntLike[];
}

/** An output may be larger by less than a step. */
function checkOutputPadding({ output_padding: padding = [], stride, dilation }: SpatialArgs): void {
  const isTooLarge = padding.some((more, d) => more >= stride[d]! && more >= dilation[d]!);
  if (isTooLarge) throw invalidArgument("output padding must be smaller than either stride or dilation");
}

/** A general convolution of images with or without a batch. */
const spatial =
  (rank: 2 | 3, transposed: boolean) =>
  (emit: Emit, args: SpatialArgs): FakeTensor => {
    const { self, weight, kernel_size: kernel } = args;
    if (areOther(emit.env, weight.shape.slice(2), kernel))
      throw shapeMismatch(
        `Expected tensor of shape ${describeSizes(kernel)} for the kernel, got ${describeSizes(weight.shape)}`,
      );
    checkOutputPadding(args);
    const batched = self.ndim === rank + 2;
    const result = convolve(emit, {
      ...args,
      input: batched ? self : emit("aten.unsqueeze.default", [self, 0]),
      transposed,
      output_padding: args.output_padding ?? new Array<IntLike>(rank).fill(0),
      groups: 1,
    });
    return batched ? result : emit("aten.squeeze.dim", [result, 0]);
  };

const ofRank = (rank: 2 | 3) => `[${new Array(rank).fill(1).join(", ")}]`;
const noPadding = (rank: 2 | 3) => `[${new Array(rank).fill(0).join(", ")}]`;

type DilatedSchema =
  "aten::slow_conv_dilated2d(Tensor self, Tensor weight, SymInt[2] kernel_size, Tensor? bias=None, SymInt[2] stride=[1, 1], SymInt[2] padding=[0, 0], SymInt[2] dilation=[1, 1]) -> Tensor";
type TransposedSchema =
  "aten::slow_conv_transpose2d(Tensor self, Tensor weight, SymInt[2] kernel_size, Tensor? bias=None, SymInt[2] stride=[1, 1], SymInt[2] padding=[0, 0], SymInt[2] output_padding=[0, 0], SymInt[2] dilation=[1, 1]) -> Tensor";

/** The kernels of convolutions by name, as dispatched programs hold them. */
const kernels = ([2, 3] as const).flatMap((rank) => {
  const n = `SymInt[${rank}]`;
  const first = `(Tensor self, Tensor weight, ${n} kernel_size, Tensor? bias=None, ${n} stride=${ofRank(rank)}, ${n} padding=${noPadding(rank)}`;
  return [
    defineOp({
      schema:
        `aten::slow_conv_dilated${rank}d${first}, ${n} dilation=${ofRank(rank)}) -> Tensor` as DilatedSchema,
      tags: ["not_in_default_table"],
      decompose: spatial(rank, false),
    }),
    defineOp({
      schema:
        `aten::slow_conv_transpose${rank}d${first}, ${n} output_padding=${noPadding(rank)}, ${n} dilation=${ofRank(rank)}) -> Tensor` as TransposedSchema,
      tags: ["not_in_default_table"],
      decompose: spatial(rank, true),
    }),
  ];
});

const slowBackward = defineOp({
  schema:
    "aten::_slow_conv2d_backward.output_mask(Tensor grad_output, Tensor self, Tensor weight, SymInt[2] kernel_size, SymInt[2] stride, SymInt[2] padding, bool[3] output_mask) -> (Tensor grad_input, Tensor grad_weight, Tensor grad_bias)",
  tags: ["not_in_default_table"],
  decompose: (emit, { grad_output: grad, self, weight, stride, padding, output_mask: mask }) =>
    emit.value("aten.convolution_backward.default", [
      grad,
      self,
      weight,
      [weight.shape[0]!],
      stride,
      padding,
      [1, 1],
      false,
      [0, 0],
      1,
      mask,
    ]),
});

export const convolutionLegacyOps: readonly OpDefinition[] = [
  ...kernels,
  slowBackward,
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
