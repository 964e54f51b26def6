/** @file Average and maximum pooling over windows, and its inverse for maxima. */
import type { FakeTensor, IntLike, MemoryFormat } from "@sconce/ir";
import type { SymEnv } from "@sconce/symbolic";
import { defineOp, type OpDefinition } from "../rows/define-op.js";
import type { Emit } from "../rows/emit.js";
import { dtypeMismatch, invalidArgument, shapeMismatch } from "../rows/errors.js";
import { isEqual } from "../rules/comparison.js";
import { fake, numelOf } from "../rules/fake.js";
import { fakeInFormatOf, suggestMemoryFormat } from "../rules/memory-format.js";
import { checkDimSizes } from "../rules/operand-sizes.js";
import { pooledShape, type Window } from "../rules/pool-size.js";
import { sizeProduct } from "../rules/size-product.js";

const POOLED_UNSIGNED = new Set(["uint8", "uint16", "uint32", "uint64"]);

function checkAverage(name: string, self: FakeTensor, divisor: IntLike | null): void {
  if (POOLED_UNSIGNED.has(self.dtype)) throw dtypeMismatch(`"${name}" not implemented for '${self.dtype}'`);
  if (divisor === 0) throw invalidArgument(`${name}: divisor must be not zero`);
}

const avgPool2d = defineOp({
  schema:
    "aten::avg_pool2d(Tensor self, int[2] kernel_size, int[2] stride=[], int[2] padding=0, bool ceil_mode=False, bool count_include_pad=True, int? divisor_override=None) -> Tensor",
  tags: ["core"],
  meta: (args, { env }) => {
    checkAverage("avg_pool2d", args.self, args.divisor_override);
    return fakeInFormatOf(args.self, pooledShape("avg_pool2d", args.self, args, 2, env), env);
  },
});

const avgPool3d = defineOp({
  schema:
    "aten::avg_pool3d(Tensor self, int[3] kernel_size, int[3] stride=[], int[3] padding=0, bool ceil_mode=False, bool count_include_pad=True, int? divisor_override=None) -> Tensor",
  tags: ["core"],
  meta: (args, { env }) => {
    checkAverage("avg_pool3d", args.self, args.divisor_override);
    const shape = pooledShape("avg_pool3d", args.self, args, 3, env);
    return fake({ dtype: args.self.dtype, shape, like: args.self });
  },
});

const avgPool2dBackward = defineOp({
  schema:
    "aten::avg_pool2d_backward(Tensor grad_output, Tensor self, int[2] kernel_size, int[2] stride, int[2] padding, bool ceil_mode, bool count_include_pad, int? divisor_override) -> Tensor",
  tags: ["core"],
  meta: (args, { env }) => {
    checkAverage("avg_pool2d_backward", args.self, args.divisor_override);
    checkDimSizes(env, args.grad_output, pooledShape("avg_pool2d_backward", args.self, args, 2, env), 2);
    return fakeInFormatOf(args.self, args.self.shape, env);
  },
});

const avgPool3dBackward = defineOp({
  schema:
    "aten::avg_pool3d_backward(Tensor grad_output, Tensor self, int[3] kernel_size, int[3] stride, int[3] padding, bool ceil_mode, bool count_include_pad, int? divisor_override) -> Tensor",
  meta: (args, { env }) => {
    checkAverage("avg_pool3d_backward", args.self, args.divisor_override);
    checkDimSizes(env, args.grad_output, pooledShape("avg_pool3d_backward", args.self, args, 3, env), 3);
    return fake({ dtype: args.self.dtype, shape: args.self.shape, like: args.self });
  },
});

type PoolArgs = Window & { readonly self: FakeTensor };

const maxima2d = (args: PoolArgs, env: SymEnv): readonly [FakeTensor, FakeTensor] => {
  const shape = pooledShape("max_pool2d", args.self, args, 2, env);
  return [fakeInFormatOf(args.self, shape, env), fakeInFormatOf(args.self, shape, env, "int64")];
};

const maxPool2dWithIndices = defineOp({
  schema:
    "aten::max_pool2d_with_indices(Tensor self, int[2] kernel_size, int[2] stride=[], int[2] padding=0, int[2] dilation=1, bool ceil_mode=False) -> (Tensor, Tensor)",
  tags: ["core"],
  meta: (args, { env }) => maxima2d(args, env),
});

const maxPool3dWithIndices = defineOp({
  schema:
    "aten::max_pool3d_with_indices(Tensor self, int[3] kernel_size, int[3] stride=[], int[3] padding=0, int[3] dilation=1, bool ceil_mode=False) -> (Tensor, Tensor)",
  tags: ["core"],
  meta: (args, { env }) => {
    const { self } = args;
    const shape = pooledShape("max_pool3d_with_indices", self, args, 3, env);
    if (self.ndim === 5) return [fakeInFormatOf(self, shape, env), fakeInFormatOf(self, shape, env, "int64")];
    return [fake({ dtype: self.dtype, shape, like: self }), fake({ dtype: "int64", shape, like: self })];
  },
});

const maxPool2dWithIndicesBackward = defineOp({
  schema:
    "aten::max_pool2d_with_indices_backward(Tensor grad_output, Tensor self, int[2] kernel_size, int[2] stride, int[2] padding, int[2] dilation, bool ceil_mode, Tensor indices) -> Tensor",
  tags: ["core"],
  meta: (args, { env }) => {
    const shape = pooledShape("max_pool2d", args.self, args, 2, env);
    for (const tensor of [args.grad_output, args.indices]) checkDimSizes(env, tensor, shape, 2);
    return fakeInFormatOf(args.self, args.self.shape, env);
  },
});

const maxPool3dWithIndicesBackward = defineOp({
  schema:
    "aten::max_pool3d_with_indices_backward(Tensor grad_output, Tensor self, int[3] kernel_size, int[3] stride, int[3] padding, int[3] dilation, bool ceil_mode, Tensor indices) -> Tensor",
  meta: (args, { env }) => {
    pooledShape("max_pool3d_with_indices_backward", args.self, args, 3, env);
    // How many places there are is what the gradient says, not the window.
    const { grad_output: grad, self, indices } = args;
    const shape = [...self.shape.slice(0, -3), ...grad.shape.slice(-3)];
    for (const tensor of [grad, indices]) checkDimSizes(env, tensor, shape, 3);
    return fakeInFormatOf(args.self, args.self.shape, env);
  },
});

/** The decomposition of a pooling that leaves out which places its maxima came from. */
const maximaOf =
  (target: string) =>
  (emit: Emit, args: Window & { readonly self: FakeTensor }): FakeTensor =>
    emit.many(target, [
      args.self,
      args.kernel_size,
      args.stride,
      args.padding,
      args.dilation,
      args.ceil_mode,
    ])[0]!;

const maxPool2d = defineOp({
  schema:
    "aten::max_pool2d(Tensor self, int[2] kernel_size, int[2] stride=[], int[2] padding=0, int[2] dilation=1, bool ceil_mode=False) -> Tensor",
  tags: ["composite"],
  decompose: maximaOf("aten.max_pool2d_with_indices.default"),
});

const maxPool3d = defineOp({
  schema:
    "aten::max_pool3d(Tensor self, int[3] kernel_size, int[3] stride=[], int[3] padding=0, int[3] dilation=1, bool ceil_mode=False) -> Tensor",
  tags: ["composite"],
  decompose: maximaOf("aten.max_pool3d_with_indices.default"),
});

/** Values of a window over a signal, as those of a window over an image of height 1. */
const flat = (value: readonly IntLike[], height: IntLike): readonly IntLike[] => [height, value[0] ?? height];
const flatStride = ({ stride, kernel_size }: Pick<Window, "stride" | "kernel_size">): readonly IntLike[] =>
  flat(stride.length === 0 ? kernel_size : stride, 1);

const maxPool1dWithIndices = defineOp({
  schema:
    "aten::max_pool1d_with_indices(Tensor self, int[1] kernel_size, int[1] stride=[], int[1] padding=[0], int[1] dilation=[1], bool ceil_mode=False) -> (Tensor, Tensor)",
  tags: ["composite"],
  decompose: (emit, args) => {
    checkSignal("max_pool1d", args);
    const image = emit("aten.unsqueeze.default", [args.self, -2]);
    const pooled = emit.many("aten.max_pool2d_with_indices.default", [
      image,
      flat(args.kernel_size, 1),
      flatStride(args),
      flat(args.padding, 0),
      flat(args.dilation, 1),
      args.ceil_mode,
    ]);
    return pooled.map((tensor) => emit("aten.squeeze.dim", [tensor, -2]));
  },
});

const maxPool1d = defineOp({
  schema:
    "aten::max_pool1d(Tensor self, int[1] kernel_size, int[1] stride=[], int[1] padding=[0], int[1] dilation=[1], bool ceil_mode=False) -> Tensor",
  tags: ["composite"],
  decompose: (emit, args) => {
    checkSignal("max_pool1d", args);
    // PyTorch's C++ check reads the last size as a number, which specializes a dynamic size.
    emit.env.guardInt(args.self.shape.at(-1)!);
    return maximaOf("aten.max_pool1d_with_indices.default")(emit, args);
  },
});

const avgPool1d = defineOp({
  schema:
    "aten::avg_pool1d(Tensor self, int[1] kernel_size, int[1] stride=[], int[1] padding=[0], bool ceil_mode=False, bool count_include_pad=True) -> Tensor",
  tags: ["core", "composite"],
  decompose: (emit, args) => {
    checkSignal("avg_pool1d", args);
    const image = emit("aten.unsqueeze.default", [args.self, -2]);
    const pooled = emit("aten.avg_pool2d.default", [
      image,
      flat(args.kernel_size, 1),
      flatStride(args),
      flat(args.padding, 0),
      args.ceil_mode,
      args.count_include_pad,
    ]);
    return emit("aten.squeeze.dim", [pooled, -2]);
  },
});

interface SignalWindow {
  readonly self: FakeTensor;
  readonly kernel_size: readonly IntLike[];
  readonly padding: readonly IntLike[];
  readonly dilation?: readonly IntLike[];
}
function checkSignal(name: string, { self, ...window }: SignalWindow): void {
  for (const key of ["kernel_size", "padding", "dilation"] as const)
    if (window[key]?.length === 0)
      throw invalidArgument(`${name}() argument '${key}' should contain one int (got 0)`);
  if (self.ndim !== 2 && self.ndim !== 3) {
    throw shapeMismatch(`${name}() Expected 2D or 3D input tensor, but got ${self.ndim}D`);
  }
}

const maxUnpool2d = defineOp({
  schema: "aten::max_unpool2d(Tensor self, Tensor indices, SymInt[2] output_size) -> Tensor",
  meta: ({ self, indices, output_size }, { env }) => {
    if (indices.dtype !== "int64") {
      throw dtypeMismatch(`elements in indices should be type int64 but got: ${indices.dtype}`);
    }
    if (output_size.length !== 2) {
      throw invalidArgument("There should be exactly two elements (height, width) in output_size");
    }
    return fakeInFormatOf(self, [...self.shape.slice(0, -2), ...output_size], env);
  },
  decompose: (emit, { self, indices, output_size }) =>
    unpool(emit, self, indices, output_size, suggestMemoryFormat(self, emit.env)),
});

const maxUnpool3d = defineOp({
  schema:
    "aten::max_unpool3d(Tensor self, Tensor indices, SymInt[3] output_size, int[3] stride, int[3] padding) -> Tensor",
  meta: ({ self, indices, output_size }) => {
    if (indices.dtype !== "int64") throw dtypeMismatch("elements in indices should be type int64");
    if (output_size.length !== 3) {
      throw invalidArgument(
        `There should be exactly three elements (depth, height, width) in output_size, but got ${output_size.length} elements.`,
      );
    }
    // The result is in rows, whatever the input: only images keep channels last.
    return fake({ dtype: self.dtype, shape: [...self.shape.slice(0, -3), ...output_size], like: self });
  },
  decompose: (emit, { self, indices, output_size }) =>
    unpool(emit, self, indices, output_size, "contiguous_format"),
});

function unpool(
  emit: Emit,
  self: FakeTensor,
  indices: FakeTensor,
  size: readonly IntLike[],
  memory_format: MemoryFormat,
): FakeTensor {
  const { env } = emit;
  const lead = self.shape.slice(0, -size.length);
  const shape = [...lead, ...size];
  const inFormat = (tensor: FakeTensor): FakeTensor =>
    emit("aten.contiguous.default", [tensor], { memory_format });
  if (isEqual(env, numelOf(shape), 0)) return inFormat(emit("aten.new_zeros.default", [self, shape]));
  const images = sizeProduct(emit, lead);
  const pixels = sizeProduct(emit, size);
  const image = emit("aten.arange.default", [images], { device: self.device });
  const offsets = emit("aten.view.default", [image, [...lead, ...size.map(() => 1)]]);
  const whole = emit("aten.add.Tensor", [indices, emit("aten.mul.Tensor", [offsets, pixels])]);
  const at = emit("aten.reshape.default", [whole, [-1]]);
  const output = emit("aten.reshape.default", [emit("aten.new_zeros.default", [self, shape]), [-1]]);
  const values = emit("aten.reshape.default", [self, [-1]]);
  const put = emit("aten._unsafe_index_put.default", [output, [at], values]);
  return inFormat(emit("aten.view.default", [put, shape]));
}

/** Pooling over windows. */
export const poolOps: readonly OpDefinition[] = [
  avgPool1d,
  avgPool2d,
  avgPool3d,
  avgPool2dBackward,
  avgPool3dBackward,
  maxPool1d,
  maxPool1dWithIndices,
  maxPool2d,
  maxPool3d,
  maxPool2dWithIndices,
  maxPool3dWithIndices,
  maxPool2dWithIndicesBackward,
  maxPool3dWithIndicesBackward,
  maxUnpool2d,
  maxUnpool3d,
];
