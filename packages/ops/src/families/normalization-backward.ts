/** @file Gradients of normalization within an example. */
import type { FakeTensor, IntLike } from "@sconce/ir";
import { floorDiv, type SymEnv } from "@sconce/symbolic";
import { defineOp, type OpDefinition } from "../rows/define-op.js";
import type { Emit } from "../rows/emit.js";
import { shapeMismatch } from "../rows/errors.js";
import { Arithmetic } from "../rules/arithmetic.js";
import { convert } from "../rules/decompose.js";
import { describeSizes } from "../rules/describe.js";
import { fake, numelOf, rowMajorLike } from "../rules/fake.js";
import { hasOtherCount, unrecorded } from "../rules/operand-sizes.js";
import { castForMath } from "../rules/opmath.js";
import { computationDType } from "../rules/promote.js";
import { quotient, sizeMath } from "../rules/size-math.js";
import { checkCount, checkNormalizedShape } from "./normalization.js";

type Gradients = readonly (FakeTensor | null)[];

/** Gradients of the tensors that are wanted. */
const gradients = (mask: readonly boolean[], tensors: Gradients): Gradients =>
  tensors.map((tensor, i) => (tensor !== null && mask[i] ? rowMajorLike(tensor) : null));

/** `x.to(dtype, memory_format=torch.contiguous_format)` */
const denseIn = (emit: Emit, tensor: FakeTensor, dtype: FakeTensor["dtype"]): FakeTensor =>
  emit("aten.to.dtype", [tensor, dtype, false, false], { memory_format: "contiguous_format" });

const sumOver = (emit: Emit, tensor: FakeTensor, dims: readonly number[], keep?: boolean): FakeTensor =>
  emit("aten.sum.dim_IntList", [tensor, dims, keep]);

function toRank(emit: Emit, tensor: FakeTensor, rank: number): FakeTensor {
  let wide = tensor;
  while (wide.ndim < rank) wide = emit("aten.unsqueeze.default", [wide, -1]);
  return wide;
}

interface LayerArgs {
  readonly grad_out: FakeTensor;
  readonly input: FakeTensor;
  readonly normalized_shape: readonly IntLike[];
  readonly mean: FakeTensor;
  readonly rstd: FakeTensor;
  readonly weight: FakeTensor | null;
  readonly bias: FakeTensor | null;
}

/** PyTorch compares the parameters only, and reads outside of the others. */
function checkLayerGradient(args: LayerArgs, env: SymEnv): void {
  const { input, normalized_shape: inner, weight, bias } = args;
  checkNormalizedShape(env, input, inner, { weight, bias });
  if (input.shape.some((size) => size === 0)) return;
  const rows = input.shape.slice(0, input.ndim - inner.length);
  for (const [name, tensor, shape] of [
    ["grad_out", args.grad_out, input.shape],
    ["mean", args.mean, rows],
    ["rstd", args.rstd, rows],
  ] as const)
    if (hasOtherCount(env, tensor, shape))
      throw shapeMismatch(
        `Expected ${name} to have as many elements as ${describeSizes(shape)}, but got ${name} of shape ` +
          describeSizes(tensor.shape),
      );
}

const layerNorm = defineOp({
  schema:
    "aten::native_layer_norm_backward(Tensor grad_out, Tensor input, SymInt[] normalized_shape, Tensor mean, Tensor rstd, Tensor? weight, Tensor? bias, bool[3] output_mask) -> (Tensor, Tensor, Tensor)",
  tags: ["core"],
  meta: (args, { env }) => {
    checkLayerGradient(args, unrecorded(env));
    const { input, weight, bias, output_mask } = args;
    return gradients(output_mask, [input, weight, bias]);
  },
  decompose: (emit, args) => {
    const { normalized_shape: inner, output_mask: mask } = args;
    const t = new Arithmetic(emit);
    const dtype = computationDType(args.input.dtype);
    const [grad, input, weight, bias] = [args.grad_out, args.input, args.weight, args.bias].map(
      (tensor) => tensor && denseIn(emit, tensor, dtype),
    ) as [FakeTensor, FakeTensor, FakeTensor | null, FakeTensor | null];
    const axis = input.ndim - inner.length;
    if (numelOf(input.shape) === 0) {
      const zeros = (shape: readonly IntLike[]): FakeTensor =>
        emit("aten.new_zeros.default", [args.input, shape]);
      return [input.shape, inner, inner].map((shape, i) => (mask[i] ? zeros(shape) : null));
    }
    const dims = input.shape.map((_, d) => d);
    const outer = dims.slice(0, axis);
    const mean = toRank(emit, args.mean, input.ndim);
    const rstd = toRank(emit, args.rstd, input.ndim);
    const unit = t.mul(t.sub(input, mean), rstd);
    const slope = innerSlope(t, weight === null ? grad : t.mul(grad, weight), unit, dims.slice(axis));
    const count = numelOf(input.shape.slice(axis));
    const inputGrad = mask[0] ? t.mul(t.div(rstd, count), slope) : null;
    const overRows = (tensor: FakeTensor): FakeTensor =>
      outer.length > 0 ? sumOver(emit, tensor, outer) : tensor;
    const weightGrad = mask[1] && weight !== null ? overRows(t.mul(grad, unit)) : null;
    const copied = (): FakeTensor => (outer.length > 0 ? overRows(grad) : emit("aten.clone.default", [grad]));
    const biasGrad = mask[2] && bias !== null ? copied() : null;
    return [
      inputGrad && convert(emit, inputGrad, args.input.dtype),
      weightGrad && convert(emit, weightGrad, args.weight!.dtype),
      biasGrad && convert(emit, biasGrad, args.bias!.dtype),
    ];
  },
});

/** `N * g - sum(g) - unit * sum(g * unit)`, over the normalized dimensions. */
function innerSlope(t: Arithmetic, grad: FakeTensor, unit: FakeTensor, dims: readonly number[]): FakeTensor {
  const scaled = t.mul(grad, numelOf(grad.shape.slice(dims[0])));
  const sum = sumOver(t.emit, grad, dims, true);
  const dot = sumOver(t.emit, t.mul(grad, unit), dims, true);
  const along = t.mul(unit, dot);
  return t.sub(t.sub(scaled, sum), along);
}

interface Groups {
  readonly N: IntLike;
  readonly C: IntLike;
  readonly HxW: IntLike;
  readonly group: IntLike;
  /** Channels of a group. */
  readonly each: IntLike;
}

interface GroupArgs {
  readonly grad_out: FakeTensor;
  readonly input: FakeTensor;
  readonly mean: FakeTensor;
  readonly rstd: FakeTensor;
  readonly weight: FakeTensor | null;
  readonly N: IntLike;
  readonly C: IntLike;
  readonly HxW: IntLike;
  readonly group: IntLike;
}

function checkGroupGradient(args: GroupArgs, env: SymEnv): void {
  const { N, C, HxW, group, weight } = args;
  checkCount(env, "dY", args.grad_out, { N, C, HxW });
  checkCount(env, "X", args.input, { N, C, HxW });
  checkCount(env, "mean", args.mean, { N, group });
  checkCount(env, "rstd", args.rstd, { N, group });
  if (weight !== null && hasOtherCount(env, weight, [C]))
    throw shapeMismatch("Expected !gamma.defined() || gamma.numel() == C to be true, but got false.");
}

const groupNorm = defineOp({
  schema:
    "aten::native_group_norm_backward(Tensor grad_out, Tensor input, Tensor mean, Tensor rstd, Tensor? weight, SymInt N, SymInt C, SymInt HxW, int group, bool[3] output_mask) -> (Tensor, Tensor, Tensor)",
  tags: ["core"],
  meta: (args, { env }) => {
    checkGroupGradient(args, env);
    const { input, weight, C, output_mask } = args;
    const parameter = fake({ dtype: (weight ?? input).dtype, shape: [C], like: input });
    return gradients(output_mask, [input, parameter, parameter]);
  },
  decompose: (emit, args) => {
    const { N, C, HxW, group, output_mask: mask } = args;
    const t = new Arithmetic(emit);
    const cast = castForMath(emit, [args.grad_out, args.input, args.mean, args.rstd, args.weight]);
    const [grad, input, mean, rstd] = cast.operands;
    const groups = { N, C, HxW, group, each: floorDiv(C, group) };
    const perChannel = (tensor: FakeTensor): FakeTensor =>
      sumOver(emit, emit("aten.reshape.default", [tensor, [N, C, HxW]]), [2]);
    const dot = perChannel(t.mul(grad, input));
    const sum = perChannel(grad);
    const inputGrad = mask[0] ? groupInputGradient(t, cast.operands, [dot, sum], groups) : null;
    const split = (tensor: FakeTensor): FakeTensor =>
      emit("aten.view.default", [tensor, [N, group, groups.each]]);
    const column = (tensor: FakeTensor): FakeTensor => emit("aten.unsqueeze.default", [tensor, -1]);
    const weightGrad = (): FakeTensor => {
      const left = split(dot);
      const centered = t.sub(left, t.mul(split(sum), column(mean)));
      return emit("aten.reshape.default", [sumOver(emit, t.mul(centered, column(rstd)), [0]), [C]]);
    };
    const results = [inputGrad, mask[1] ? weightGrad() : null, mask[2] ? sumOver(emit, sum, [0]) : null];
    return results.map((tensor) => tensor && convert(emit, tensor, cast.result));
  },
});

function groupInputGradient(
  t: Arithmetic,
  [grad, input, mean, rstd, weight]: readonly [
    FakeTensor,
    FakeTensor,
    FakeTensor,
    FakeTensor,
    FakeTensor | null,
  ],
  [dot, sum]: readonly [FakeTensor, FakeTensor],
  { N, HxW, group, each }: Groups,
): FakeTensor {
  const { emit } = t;
  const reshape = (tensor: FakeTensor, shape: readonly IntLike[]): FakeTensor =>
    emit("aten.reshape.default", [tensor, shape]);
  const perGroup = (tensor: FakeTensor): FakeTensor => {
    const scaled = weight === null ? tensor : t.mul(tensor, emit("aten.unsqueeze.default", [weight, 0]));
    return sumOver(emit, reshape(scaled, [N, group, each]), [2]);
  };
  const share = quotient(emit, 1, sizeMath(emit, "mul", HxW, each));
  const [dots, sums] = [perGroup(dot), perGroup(sum)];
  const column = emit("aten.unsqueeze.default", [rstd, -1]);
  const gains =
    weight === null
      ? emit("aten.ones.default", [[1, group, each]], { device: rstd.device, pin_memory: false })
      : reshape(weight, [1, group, each]);
  const scale = t.mul(column, gains);
  const rest = emit("aten.addcmul.default", [t.unary("neg", dots), sums, mean]);
  const slope = t.mul(t.mul(t.mul(t.mul(rest, rstd), rstd), rstd), share);
  const drift = t.mul(t.unary("neg", slope), mean);
  const offset = t.sub(drift, t.mul(t.mul(sums, rstd), share));
  const [wideScale, wideSlope, wideOffset] = [
    emit("aten.unsqueeze.default", [scale, -1]),
    toRank(emit, slope, 4),
    toRank(emit, offset, 4),
  ];
  const shape = [N, group, each, HxW];
  const fromGrad = t.mul(reshape(grad, shape), wideScale);
  const fromInput = t.mul(reshape(input, shape), wideSlope);
  return convert(emit, reshape(t.add(t.add(fromGrad, fromInput), wideOffset), input.shape), input.dtype);
}

/** Gradients of normalization within an example. */
const fusedRmsNormBackward = defineOp({
  schema:
    "aten::_fused_rms_norm_backward(Tensor grad_out, Tensor input, int[] normalized_shape, Tensor rstd, Tensor? weight, bool[2] output_mask) -> (Tensor, Tensor)",
  decompose: (emit, { grad_out, input, normalized_shape, rstd, weight, output_mask }) => {
    const t = new Arithmetic(emit);
    const inner = computationDType(input.dtype);
    const grad = convert(emit, grad_out, inner);
    const first = input.ndim - normalized_shape.length;
    const dims = input.shape.map((_, d) => d);
    const count = numelOf(normalized_shape);
    const scaled = weight === null ? grad : t.mul(grad, convert(emit, weight, inner));
    const unit = t.mul(convert(emit, input, inner), rstd);
    const gradients: (FakeTensor | null)[] = [null, null];
    if (output_mask[0]) {
      const sum = emit("aten.sum.dim_IntList", [t.mul(unit, scaled), dims.slice(first), true]);
      const along = t.mul(t.div(unit, count), sum);
      gradients[0] = convert(emit, t.mul(t.sub(scaled, along), rstd), input.dtype);
    }
    if (output_mask[1] && weight !== null) {
      const products = t.mul(grad, unit);
      const total = first === 0 ? products : emit("aten.sum.dim_IntList", [products, dims.slice(0, first)]);
      gradients[1] = convert(emit, total, input.dtype);
    }
    return gradients as readonly FakeTensor[];
  },
});

export const normalizationBackwardOps: readonly OpDefinition[] = [fusedRmsNormBackward, layerNorm, groupNorm];
