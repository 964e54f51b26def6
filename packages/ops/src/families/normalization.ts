/** @file Normalization within an example: layers, groups, root mean square, weights. */
import { type FakeTensor, float, type IntLike } from "@sconce/ir";
import { floorDiv, gt, mod, type SymEnv } from "@sconce/symbolic";
import { defineOp, type OpDefinition } from "../rows/define-op.js";
import type { Emit } from "../rows/emit.js";
import { invalidArgument, shapeMismatch } from "../rows/errors.js";
import { isEqual, mayDiffer } from "../rules/comparison.js";
import { convert } from "../rules/decompose.js";
import { describeSize, describeSizes } from "../rules/describe.js";
import { askChannelsLast } from "../rules/elementwise.js";
import { fake, rowMajorLike } from "../rules/fake.js";
import { hasOtherCount, requireSizes } from "../rules/operand-sizes.js";
import { computationDType } from "../rules/promote.js";
import { sizeProduct } from "../rules/size-product.js";
import { hasReferenceView } from "../rules/view-reference.js";
import { viewMeta } from "./view-reshape.js";

type Parameters = Readonly<Record<string, FakeTensor | null>>;

export function checkNormalizedShape(
  env: SymEnv,
  input: FakeTensor,
  normalized: readonly IntLike[],
  parameters: Parameters,
): void {
  const text = describeSizes(normalized);
  if (normalized.length === 0) {
    throw invalidArgument(
      "Expected normalized_shape to be at least 1-dimensional, i.e., containing at least one element, but got normalized_shape = []",
    );
  }
  const differs = (sizes: readonly IntLike[]): boolean =>
    sizes.length !== normalized.length || sizes.some((size, d) => mayDiffer(env, size, normalized[d]!));
  for (const [name, tensor] of Object.entries(parameters)) {
    if (tensor !== null && differs(tensor.shape)) {
      throw shapeMismatch(
        `Expected ${name} to be of same shape as normalized_shape, but got ${name} of shape ` +
          `${describeSizes(tensor.shape)} and normalized_shape = ${text}`,
      );
    }
  }
  if (input.ndim < normalized.length || differs(input.shape.slice(-normalized.length))) {
    throw shapeMismatch(
      `Given normalized_shape=${text}, expected input with shape [*, ${text.slice(1)}, but got input of size` +
        describeSizes(input.shape),
    );
  }
}

const nativeLayerNorm = defineOp({
  schema:
    "aten::native_layer_norm(Tensor input, SymInt[] normalized_shape, Tensor? weight, Tensor? bias, float eps) -> (Tensor, Tensor, Tensor)",
  tags: ["core"],
  meta: ({ input, normalized_shape, weight, bias }, { env }) => {
    checkNormalizedShape(env, input, normalized_shape, { weight, bias });
    const lead = input.ndim - normalized_shape.length;
    const shape = input.shape.map((size, d) => (d < lead ? size : 1));
    const statistic = (): FakeTensor => fake({ dtype: input.dtype, shape, like: input });
    return [rowMajorLike(input), statistic(), statistic()];
  },
});

const layerNorm = defineOp({
  schema:
    "aten::layer_norm(Tensor input, SymInt[] normalized_shape, Tensor? weight=None, Tensor? bias=None, float eps=1.0000000000000001e-05, bool cudnn_enable=True) -> Tensor",
  tags: ["composite"],
  decompose: (emit, { input, normalized_shape, weight, bias, eps }) =>
    emit.many("aten.native_layer_norm.default", [input, normalized_shape, weight, bias, eps])[0]!,
});

const nativeGroupNorm = defineOp({
  schema:
    "aten::native_group_norm(Tensor input, Tensor? weight, Tensor? bias, SymInt N, SymInt C, SymInt HxW, int group, float eps) -> (Tensor, Tensor, Tensor)",
  tags: ["core"],
  meta: ({ input, weight, bias, N, C, HxW, group }, { env }) => {
    checkCount(env, "X", input, { N, C, HxW });
    checkGroups(env, input, [C, HxW], group, { weight, bias });
    askGroups(env, input, [N, group, floorDiv(C, group), HxW], weight);
    const statistic = (): FakeTensor => fake({ dtype: input.dtype, shape: [N, group], like: input });
    // Row-major whatever the input, as programs have it; only PyTorch's kernel keeps channels last.
    return [rowMajorLike(input), statistic(), statistic()];
  },
});

/**
 * Asks what PyTorch's reference asks of dynamic sizes: it views the input by groups, and multiplies
 * by a factor for each group or channel.
 */
function askGroups(
  env: SymEnv,
  input: FakeTensor,
  groups: readonly [IntLike, IntLike, IntLike, IntLike],
  weight: FakeTensor | null,
): void {
  if (!hasReferenceView(input, groups)) return;
  const whole = rowMajorLike(input);
  const grouped = viewMeta(whole, groups, env);
  if (weight !== null) askChannelsLast(env, input.shape, [whole]);
  else if (!isEqual(env, groups[3], 1)) viewMeta(grouped, input.shape, env);
}

/** Requires a tensor to have the elements that a normalization by groups names. */
export function checkCount(
  env: SymEnv,
  name: string,
  tensor: FakeTensor,
  factors: Readonly<Record<string, IntLike>>,
): void {
  if (hasOtherCount(env, tensor, Object.values(factors)))
    throw shapeMismatch(
      `Expected ${name}.numel() == ${Object.keys(factors).join(" * ")} to be true, but got false.`,
    );
}

function checkGroups(
  env: SymEnv,
  input: FakeTensor,
  [channels, pixels]: readonly [IntLike, IntLike],
  groups: IntLike,
  parameters: Parameters,
): void {
  if (!env.guard(gt(channels, 0)))
    throw invalidArgument(`Expected number of channels to be greater than 0, got ${describeSize(channels)}`);
  if (!env.guard(gt(pixels, 0)))
    throw invalidArgument(`Expected HxW to be greater than 0, got ${describeSize(pixels)}`);
  if (typeof groups === "number" && groups <= 0) {
    throw invalidArgument(`Expected num groups to be greater than 0, got ${groups}`);
  }
  if (!isEqual(env, mod(channels, groups), 0)) {
    throw shapeMismatch(
      "Expected number of channels in input to be divisible by num_groups, but got input of shape " +
        `${describeSizes(input.shape)} and num_groups=${describeSize(groups)}`,
    );
  }
  for (const [name, tensor] of Object.entries(parameters)) {
    if (tensor !== null && (tensor.ndim !== 1 || mayDiffer(env, tensor.shape[0]!, channels))) {
      throw shapeMismatch(
        `Expected ${name} to be a vector of size equal to the number of channels in input, but got ${name} of shape ` +
          `${describeSizes(tensor.shape)} and input of shape ${describeSizes(input.shape)}`,
      );
    }
  }
}

const groupNorm = defineOp({
  schema:
    "aten::group_norm(Tensor input, int num_groups, Tensor? weight=None, Tensor? bias=None, float eps=1.0000000000000001e-05, bool cudnn_enabled=True) -> Tensor",
  tags: ["composite"],
  decompose: (emit, { input, num_groups, weight, bias, eps }) => {
    if (input.ndim < 2) {
      throw shapeMismatch(`Expected at least 2 dimensions for input tensor but received ${input.ndim}`);
    }
    const [batch, channels, ...spatial] = input.shape as readonly [IntLike, IntLike, ...IntLike[]];
    const pixels = sizeProduct(emit, spatial);
    checkGroups(emit.env, input, [channels, pixels], num_groups, { weight, bias });
    return emit.many("aten.native_group_norm.default", [
      input,
      weight,
      bias,
      batch,
      channels,
      pixels,
      num_groups,
      eps,
    ])[0]!;
  },
});

/** What `eps=None` means: the spacing of numbers at 1. */
const EPSILON = { float32: 2 ** -23, float64: 2 ** -52 } as const;

interface RmsArgs {
  readonly input: FakeTensor;
  readonly normalized_shape: readonly IntLike[];
  readonly weight: FakeTensor | null;
  readonly eps: number | null;
}

/** Returns the scaled result in the dtype of the computation, and the factor of each row. */
function dividedByRootMeanSquare(
  emit: Emit,
  { input, normalized_shape, weight, eps }: RmsArgs,
): readonly [result: FakeTensor, scale: FakeTensor] {
  checkNormalizedShape(emit.env, input, normalized_shape, { weight });
  const computation = computationDType(input.dtype);
  const dims = normalized_shape.map((_, i) => input.ndim - 1 - i);
  const x = convert(emit, input, computation);
  const mean = emit("aten.mean.dim", [emit("aten.pow.Tensor_Scalar", [x, 2]), dims, true]);
  const wide = computation === "float64" || computation === "complex128";
  const least = float(eps ?? EPSILON[wide ? "float64" : "float32"]);
  const scale = emit("aten.rsqrt.default", [emit("aten.add.Scalar", [mean, least])]);
  let result = emit("aten.mul.Tensor", [x, scale]);
  if (weight !== null) result = emit("aten.mul.Tensor", [result, weight]);
  return [result, scale];
}

const rmsNorm = defineOp({
  schema:
    "aten::rms_norm(Tensor input, SymInt[] normalized_shape, Tensor? weight=None, float? eps=None) -> Tensor",
  tags: ["composite"],
  decompose: (emit, args) => {
    const [result, scale] = dividedByRootMeanSquare(emit, args);
    const dense = emit("aten.contiguous.default", [result]);
    // As in PyTorch, although nothing reads it: the call asks about sizes.
    emit("aten.contiguous.default", [scale]);
    return emit("aten.type_as.default", [dense, args.input]);
  },
});

/** `rms_norm` and the factor of each row, as GPUs compute it at once. */
const fusedRmsNorm = defineOp({
  schema:
    "aten::_fused_rms_norm(Tensor input, int[] normalized_shape, Tensor? weight, float? eps) -> (Tensor, Tensor)",
  decompose: (emit, args) => {
    const [result, scale] = dividedByRootMeanSquare(emit, args);
    return [emit("aten.type_as.default", [result, args.input]), scale];
  },
});

const weightNorm = defineOp({
  schema: "aten::_weight_norm(Tensor v, Tensor g, int dim=0) -> Tensor",
  tags: ["composite"],
  decompose: (emit, args) => {
    const v = emit("aten.contiguous.default", [args.v]);
    const g = emit("aten.contiguous.default", [args.g]);
    const dim = Number(args.dim);
    const fused = v.dtype !== "float16" && g.dtype !== "float16" && (dim === 0 || dim === v.ndim - 1);
    if (fused) return emit.many("aten._weight_norm_interface.default", [v, g, dim])[0]!;
    const norm = emit("aten.norm_except_dim.default", [v, 2, dim]);
    return emit("aten.mul.Tensor", [v, emit("aten.div.Tensor", [g, norm])]);
  },
});

/**
 * Returns the norm as PyTorch's kernel computes it, also of single elements. Its decomposition has
 * a norm over no dimensions there, which is one over all.
 */
function rootOfSquares(emit: Emit, x: FakeTensor, dims: readonly number[]): FakeTensor {
  const squares = emit("aten.mul.Tensor", [x, x]);
  const sums = dims.length === 0 ? squares : emit("aten.sum.dim_IntList", [squares, dims, true]);
  return emit("aten.sqrt.default", [sums]);
}

/**
 * One factor for each norm: PyTorch's kernel reads others as if they had the sizes of the norms.
 */
const checkFactors = (v: FakeTensor, g: FakeTensor, dim: IntLike, env: SymEnv): void =>
  requireSizes(
    env,
    "g",
    g.shape,
    v.shape.map((size, d) => (d === dim ? size : 1)),
  );

const weightNormInterface = defineOp({
  schema: "aten::_weight_norm_interface(Tensor v, Tensor g, int dim=0) -> (Tensor, Tensor)",
  meta: ({ v, g, dim }, { env }) => {
    checkFactors(v, g, dim, env);
    return [
      rowMajorLike(v),
      fake({ dtype: g.dtype === "bfloat16" ? "float32" : g.dtype, shape: g.shape, like: g }),
    ];
  },
  decompose: (emit, { v, g, dim }) => {
    checkFactors(v, g, dim, emit.env);
    const others = v.shape.map((_, d) => d).filter((d) => d !== dim);
    const kwargs = g.dtype === "bfloat16" ? { dtype: "float32" } : {};
    const norm =
      emit.runsKernels === true
        ? rootOfSquares(emit, convert(emit, v, g.dtype === "bfloat16" ? "float32" : v.dtype), others)
        : emit("aten.linalg_vector_norm.default", [v, 2, others, true], kwargs);
    const scale = emit("aten.div.Tensor", [g, convert(emit, norm, g.dtype)]);
    return [emit("aten.mul.Tensor", [v, scale]), norm];
  },
});

const normExceptDim = defineOp({
  schema: "aten::norm_except_dim(Tensor v, int pow=2, int dim=0) -> Tensor",
  tags: ["composite"],
  decompose: (emit, { v, pow, dim }) => normExcept(emit, v, pow, Number(dim)),
});

function normExcept(emit: Emit, v: FakeTensor, pow: IntLike, dim: number): FakeTensor {
  if (dim === -1) return emit("aten.norm.Scalar", [v, pow]);
  const last = dim === v.ndim - 1;
  if (dim !== 0 && !last) {
    const swapped = emit("aten.transpose.int", [v, 0, dim]);
    return emit("aten.transpose.int", [normExcept(emit, swapped, pow, 0), 0, dim]);
  }
  const dense = emit("aten.contiguous.default", [v]);
  const size = v.shape[dim]!;
  const flat = emit("aten.view.default", [dense, dim === 0 ? [size, -1] : [-1, size]]);
  const norm = emit("aten.norm.ScalarOpt_dim", [flat, pow, [dim === 0 ? 1 : 0]]);
  return emit("aten.view.default", [norm, v.shape.map((_, d) => (d === dim ? size : 1))]);
}

/** Normalization within an example. */
export const normalizationOps: readonly OpDefinition[] = [
  nativeLayerNorm,
  layerNorm,
  nativeGroupNorm,
  groupNorm,
  rmsNorm,
  fusedRmsNorm,
  weightNorm,
  weightNormInterface,
  normExceptDim,
];
