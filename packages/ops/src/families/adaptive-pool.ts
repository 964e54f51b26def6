/** @file Pooling to a given output size. */
import type { FakeTensor, IntLike } from "@sconce/ir";
import { eq, type SymEnv } from "@sconce/symbolic";
import { defineOp, type MetaContext, type OpDefinition } from "../rows/define-op.js";
import { dtypeMismatch, invalidArgument, shapeMismatch } from "../rows/errors.js";
import { isEqual } from "../rules/comparison.js";
import { describeSizes } from "../rules/describe.js";
import { fake, numelOf, rowMajorLike } from "../rules/fake.js";
import { fakeInFormatOf, suggestMemoryFormat } from "../rules/memory-format.js";
import { areOther, checkDimSizes, checkPooledGradient } from "../rules/operand-sizes.js";

function adaptedShape(
  name: string,
  self: FakeTensor,
  output: readonly IntLike[],
  { env }: MetaContext,
): readonly IntLike[] {
  const spatial = Number(/(\d)d$/.exec(name)![1]);
  const { shape, ndim } = self;
  if (output.length !== spatial) throw invalidArgument(`${name}: output_size must be ${spatial}`);
  if (output.some((size) => typeof size === "number" && size < 0)) {
    throw invalidArgument(
      `${name}: elements of output_size must be greater than or equal to 0 but received ${describeSizes(output)}`,
    );
  }
  if (ndim !== spatial + 1 && ndim !== spatial + 2) {
    throw shapeMismatch(
      `${name}(): Expected ${spatial + 1}D or ${spatial + 2}D tensor, but got: ${describeSizes(shape)}`,
    );
  }
  shape.forEach((size, d) => {
    if (d > 0 && isEqual(env, size, 0)) {
      throw shapeMismatch(
        `${name}(): Expected input to have non-zero size for non-batch dimensions, but input has sizes ` +
          `${describeSizes(shape)} with dimension ${d} being empty`,
      );
    }
  });
  return [...shape.slice(0, ndim - spatial), ...output];
}

const averages2d = defineOp({
  schema: "aten::_adaptive_avg_pool2d(Tensor self, SymInt[2] output_size) -> Tensor",
  tags: ["core"],
  meta: ({ self, output_size }, context) =>
    fakeInFormatOf(self, adaptedShape("adaptive_avg_pool2d", self, output_size, context), context.env),
});

const averages3d = defineOp({
  schema: "aten::_adaptive_avg_pool3d(Tensor self, SymInt[3] output_size) -> Tensor",
  tags: ["core"],
  meta: ({ self, output_size }, context) => {
    const shape = adaptedShape("adaptive_avg_pool3d", self, output_size, context);
    return fake({ dtype: self.dtype, shape, like: self });
  },
});

/** The gradient of an average has the input's batch and channels, and any other sizes. */
function checkAverages(
  spatial: 2 | 3,
  { grad_output: grad, self }: { readonly grad_output: FakeTensor; readonly self: FakeTensor },
  { env }: MetaContext,
): void {
  const name = `adaptive_avg_pool${spatial}d_backward`;
  const inner = `${name}_out_cpu_template`;
  checkPooledGradient(name, grad);
  if (self.ndim !== spatial + 1 && self.ndim !== spatial + 2)
    throw shapeMismatch(
      `${inner}: Expected ${spatial + 1}D or ${spatial + 2}D tensor, but got ${describeSizes(self.shape)}`,
    );
  if (grad.ndim !== self.ndim) {
    const what = spatial === 2 ? "grad_output" : "gradOutput_";
    throw shapeMismatch(
      `${inner}: Expected dimensions ${self.ndim} for \`${what}\` but got dimensions ${grad.ndim}`,
    );
  }
  checkPlaces(name, spatial, grad, self, env);
}

/** What PyTorch does not compare, and reads outside of its memory then. */
function checkPlaces(name: string, spatial: number, grad: FakeTensor, self: FakeTensor, env: SymEnv): void {
  // Of no gradients nothing is read.
  if (grad.shape.includes(0)) return;
  checkDimSizes(env, grad, [...self.shape.slice(0, -spatial), ...grad.shape.slice(-spatial)], spatial);
  const dim = self.shape.findIndex((size, d) => d > 0 && size === 0);
  if (dim >= 0)
    throw shapeMismatch(
      `${name}(): Expected input to have non-zero size for non-batch dimensions, but input has sizes ` +
        `${describeSizes(self.shape)} with dimension ${dim} being empty`,
    );
}

const averages2dBackward = defineOp({
  schema: "aten::_adaptive_avg_pool2d_backward(Tensor grad_output, Tensor self) -> Tensor",
  tags: ["core"],
  meta: (args, context) => {
    checkAverages(2, args, context);
    return fakeInFormatOf(args.self, args.self.shape, context.env);
  },
});

const averages3dBackward = defineOp({
  schema: "aten::_adaptive_avg_pool3d_backward(Tensor grad_output, Tensor self) -> Tensor",
  meta: (args, context) => {
    checkAverages(3, args, context);
    return fake({ dtype: args.self.dtype, shape: args.self.shape, like: args.self });
  },
});

const avgPool1d = defineOp({
  schema: "aten::adaptive_avg_pool1d(Tensor self, int[1] output_size) -> Tensor",
  tags: ["core", "composite"],
  decompose: (emit, { self, output_size }) => {
    const image = emit("aten.unsqueeze.default", [self, -2]);
    const pooled = emit("aten.adaptive_avg_pool2d.default", [image, [1, output_size[0]!]]);
    return emit("aten.squeeze.dim", [pooled, -2]);
  },
});

const isOnes = (sizes: readonly IntLike[]): boolean => sizes.length > 0 && sizes.every((size) => size === 1);

/** C++ looks whether channels have pixels. */
const decidesEmpty = (env: SymEnv, self: FakeTensor, spatial: number): boolean =>
  env.guard(eq(numelOf(self.shape.slice(-spatial)), 0));

/** Strides of a tensor with one pixel per channel that is meant as channels last. */
const pixelStrides = (channels: IntLike, spatial: number): readonly IntLike[] => [
  channels,
  1,
  ...new Array<IntLike>(spatial).fill(channels),
];

const avgPool2d = defineOp({
  schema: "aten::adaptive_avg_pool2d(Tensor self, SymInt[2] output_size) -> Tensor",
  tags: ["composite"],
  decompose: (emit, { self, output_size }) => {
    if (!isOnes(output_size)) return emit("aten._adaptive_avg_pool2d.default", [self, output_size]);
    decidesEmpty(emit.env, self, 2);
    const mean = emit("aten.mean.dim", [self, [-1, -2], true]);
    if (suggestMemoryFormat(self, emit.env) !== "channels_last") return mean;
    const [batch, channels] = self.shape as readonly [IntLike, IntLike];
    return emit("aten.as_strided.default", [mean, [batch, channels, 1, 1], pixelStrides(channels, 2)]);
  },
});

const avgPool3d = defineOp({
  schema: "aten::adaptive_avg_pool3d(Tensor self, SymInt[3] output_size) -> Tensor",
  tags: ["composite"],
  decompose: (emit, { self, output_size }) => {
    if (!isOnes(output_size)) return emit("aten._adaptive_avg_pool3d.default", [self, output_size]);
    decidesEmpty(emit.env, self, 3);
    const mean = emit("aten.mean.dim", [self, [-1, -2, -3], true]);
    if (suggestMemoryFormat(self, emit.env) !== "channels_last_3d") return mean;
    const [batch, channels] = self.shape as readonly [IntLike, IntLike];
    return emit("aten.as_strided.default", [mean, [batch, channels, 1, 1, 1], pixelStrides(channels, 3)]);
  },
});

const maxima2d = defineOp({
  schema: "aten::adaptive_max_pool2d(Tensor self, int[2] output_size) -> (Tensor, Tensor)",
  meta: ({ self, output_size }, context) => {
    const shape = adaptedShape("adaptive_max_pool2d", self, output_size, context);
    return [fakeInFormatOf(self, shape, context.env), fakeInFormatOf(self, shape, context.env, "int64")];
  },
});

const maxima3d = defineOp({
  schema: "aten::adaptive_max_pool3d(Tensor self, int[3] output_size) -> (Tensor, Tensor)",
  meta: ({ self, output_size }, context) => {
    const shape = adaptedShape("adaptive_max_pool3d", self, output_size, context);
    return [fake({ dtype: self.dtype, shape, like: self }), fake({ dtype: "int64", shape, like: self })];
  },
});

const maxima1d = defineOp({
  schema: "aten::adaptive_max_pool1d(Tensor self, int[1] output_size) -> (Tensor, Tensor)",
  tags: ["composite"],
  decompose: (emit, { self, output_size }) => {
    const image = emit("aten.unsqueeze.default", [self, -2]);
    const [maxima, indices] = emit.many("aten.adaptive_max_pool2d.default", [image, [1, output_size[0]!]]);
    const squeezed = emit("aten.squeeze.dim", [indices!, -2]);
    return [emit("aten.squeeze.dim", [maxima!, -2]), squeezed];
  },
});

type MaxBackwardSchema =
  "aten::adaptive_max_pool2d_backward(Tensor grad_output, Tensor self, Tensor indices) -> Tensor";

/** Each gradient has a place, in the input's batch and channels. */
function checkMaxima(
  spatial: 2 | 3,
  {
    grad_output: grad,
    self,
    indices,
  }: { readonly grad_output: FakeTensor; readonly self: FakeTensor; readonly indices: FakeTensor },
  { env }: MetaContext,
): void {
  const name = `adaptive_max_pool${spatial}d_backward`;
  const what = spatial === 2 ? "grad_output" : "gradOutput";
  checkPooledGradient(name, grad);
  if (grad.ndim !== spatial + 1 && grad.ndim !== spatial + 2) {
    const called = spatial === 2 ? "adaptive_max_pooling2d_backward" : name;
    throw shapeMismatch(
      `${called}(): Expected ${spatial + 1}D or ${spatial + 2}D ${what}, but got: ${describeSizes(grad.shape)}`,
    );
  }
  if (grad.dtype !== self.dtype)
    throw dtypeMismatch(`expected dtype ${self.dtype} for \`grad_output\` but got dtype ${grad.dtype}`);
  if (indices.ndim !== self.ndim)
    throw shapeMismatch(
      `expected dimensions ${self.ndim} for \`indices\` but got dimensions ${indices.ndim}`,
    );
  if (areOther(env, grad.shape, indices.shape))
    throw shapeMismatch(
      `expected sizes ${describeSizes(indices.shape)} for \`${what}\` but got sizes ${describeSizes(grad.shape)}`,
    );
  checkPlaces(name, spatial, grad, self, env);
}

const maxBackward = (spatial: 2 | 3): OpDefinition => {
  const name = `adaptive_max_pool${spatial}d_backward`;
  return defineOp({
    schema: `aten::${name}(Tensor grad_output, Tensor self, Tensor indices) -> Tensor` as MaxBackwardSchema,
    meta: (args, context) => {
      checkMaxima(spatial, args, context);
      const { self } = args;
      // Gradients of volumes are in rows: only images keep channels last.
      return spatial === 3 ? rowMajorLike(self) : fakeInFormatOf(self, self.shape, context.env);
    },
  });
};

/** Pooling to a given output size. */
export const adaptivePoolOps: readonly OpDefinition[] = [
  averages2d,
  averages3d,
  averages2dBackward,
  averages3dBackward,
  avgPool1d,
  avgPool2d,
  avgPool3d,
  maxima1d,
  maxima2d,
  maxima3d,
  maxBackward(2),
  maxBackward(3),
];
