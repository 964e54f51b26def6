/** @file Whole layers of attention, which PyTorch's transformers call when they do not train. */
import { type FakeTensor, float, type IntLike, type MetaValue } from "@sconce/ir";
import { defineOp, type OpDefinition } from "../rows/define-op.js";
import type { Emit } from "../rows/emit.js";
import { invalidArgument, shapeMismatch } from "../rows/errors.js";
import { areOther } from "../rules/operand-sizes.js";

/** `[batch, length, heads * size]` as `[batch, heads, length, size]`. */
function headsOf(emit: Emit, x: FakeTensor, heads: number): FakeTensor {
  const [batch, length, width] = x.shape as readonly [IntLike, IntLike, IntLike];
  const split = emit("aten.view.default", [x, [batch, length, heads, Number(width) / heads]]);
  return emit("aten.contiguous.default", [emit("aten.transpose.int", [split, 1, 2])]);
}

/** Three parts of the rows of a weight or a bias. */
const thirds = (emit: Emit, x: FakeTensor, dim = 0): readonly FakeTensor[] => {
  const size = Number(x.shape.at(dim)) / 3;
  return [0, 1, 2].map((at) => emit("aten.narrow.default", [x, dim, at * size, size]));
};

const linear = (emit: Emit, x: FakeTensor, weight: FakeTensor, bias: FakeTensor): FakeTensor =>
  emit("aten.linear.default", [x, weight, bias]);

const rescale = defineOp({
  schema:
    "aten::_transform_bias_rescale_qkv(Tensor qkv, Tensor qkv_bias, int num_heads) -> (Tensor, Tensor, Tensor)",
  doc: "Queries, keys and values with their bias, by heads; queries are divided by the root of their size.",
  tags: ["not_in_default_table"],
  decompose: (emit, { qkv, qkv_bias: bias, num_heads: heads }) => {
    const biases = thirds(emit, bias);
    const size = Number(bias.shape[0]) / 3 / Number(heads);
    return thirds(emit, qkv, -1).map((part, at) => {
      const sum = emit("aten.add.Tensor", [part, biases[at]]);
      const scaled = at === 0 ? emit("aten.mul.Tensor", [sum, float(1 / Math.sqrt(size))]) : sum;
      return headsOf(emit, scaled, Number(heads));
    });
  },
});

interface Heads {
  readonly query: FakeTensor;
  readonly key: FakeTensor;
  readonly value: FakeTensor;
  readonly embed_dim: IntLike;
  readonly num_head: IntLike;
  readonly qkv_weight: FakeTensor;
  readonly qkv_bias: FakeTensor;
  readonly proj_weight: FakeTensor;
  readonly proj_bias: FakeTensor;
  readonly mask: FakeTensor | null;
  readonly need_weights: boolean;
  readonly average_attn_weights: boolean;
  readonly mask_type: IntLike | null;
}

function checkHeads(emit: Emit, { query, key, value, num_head, embed_dim }: Heads): void {
  if (query.ndim !== 3) throw shapeMismatch(`expected 3-D \`query\`, got ${query.ndim}-D tensor`);
  if (areOther(emit.env, query.shape, key.shape) || areOther(emit.env, key.shape, value.shape))
    throw shapeMismatch("expected `query`/`key`/`value` shapes to match");
  if (Number(embed_dim) % Number(num_head) !== 0)
    throw invalidArgument("`embed_dim` must divide evenly by `num_heads`");
}

function multiHead(emit: Emit, args: Heads): readonly MetaValue[] {
  checkHeads(emit, args);
  const { query, mask, num_head } = args;
  const heads = Number(num_head);
  const [weights, biases] = [thirds(emit, args.qkv_weight), thirds(emit, args.qkv_bias)];
  const [q, k, v] = [query, args.key, args.value].map((x, at) =>
    headsOf(emit, linear(emit, x, weights[at]!, biases[at]!), heads),
  ) as [FakeTensor, FakeTensor, FakeTensor];
  const scale = float(1 / Math.sqrt(Number(args.embed_dim) / heads));
  const scores = emit("aten.matmul.default", [
    emit("aten.mul.Tensor", [q, scale]),
    emit("aten.transpose.int", [k, -2, -1]),
  ]);
  const shares =
    mask === null
      ? emit("aten._softmax.default", [scores, -1, false])
      : emit("aten._masked_softmax.default", [scores, mask, 3, args.mask_type]);
  const joined = emit("aten.transpose.int", [emit("aten.matmul.default", [shares, v]), 1, 2]);
  const flat = emit("aten.reshape.default", [joined, query.shape]);
  const out = linear(emit, flat, args.proj_weight, args.proj_bias);
  if (!args.need_weights) return [out, null];
  return [out, args.average_attn_weights ? emit("aten.mean.dim", [shares, [1]]) : shares];
}

const multiHeadAttention = defineOp({
  schema:
    "aten::_native_multi_head_attention(Tensor query, Tensor key, Tensor value, int embed_dim, int num_head, Tensor qkv_weight, Tensor qkv_bias, Tensor proj_weight, Tensor proj_bias, Tensor? mask=None, bool need_weights=True, bool average_attn_weights=True, int? mask_type=None) -> (Tensor, Tensor)",
  tags: ["not_in_default_table"],
  decompose: multiHead,
});

const encoderLayer = defineOp({
  schema:
    "aten::_transformer_encoder_layer_fwd(Tensor src, int embed_dim, int num_heads, Tensor qkv_weight, Tensor qkv_bias, Tensor proj_weight, Tensor proj_bias, bool use_gelu, bool norm_first, float eps, Tensor norm_weight_1, Tensor norm_bias_1, Tensor norm_weight_2, Tensor norm_bias_2, Tensor ffn_weight_1, Tensor ffn_bias_1, Tensor ffn_weight_2, Tensor ffn_bias_2, Tensor? mask=None, int? mask_type=None) -> Tensor",
  doc: "`nn.TransformerEncoderLayer` in evaluation.",
  tags: ["not_in_default_table"],
  decompose: (emit, args) => encoder(emit, args, "aten.add.Tensor"),
  kernelCalls: (emit, args) => encoder(emit, args, "aten.add_.Tensor"),
});

interface EncoderArgs {
  readonly src: FakeTensor;
  readonly embed_dim: IntLike;
  readonly num_heads: IntLike;
  readonly qkv_weight: FakeTensor;
  readonly qkv_bias: FakeTensor;
  readonly proj_weight: FakeTensor;
  readonly proj_bias: FakeTensor;
  readonly use_gelu: boolean;
  readonly norm_first: boolean;
  readonly eps: number;
  readonly norm_weight_1: FakeTensor;
  readonly norm_bias_1: FakeTensor;
  readonly norm_weight_2: FakeTensor;
  readonly norm_bias_2: FakeTensor;
  readonly ffn_weight_1: FakeTensor;
  readonly ffn_bias_1: FakeTensor;
  readonly ffn_weight_2: FakeTensor;
  readonly ffn_bias_2: FakeTensor;
  readonly mask: FakeTensor | null;
  readonly mask_type: IntLike | null;
}

/**
 * Emits the layer.
 *
 * @param add the operator that adds to the results of attention and of the last layer
 */
function encoder(emit: Emit, args: EncoderArgs, add: string): FakeTensor {
  const norm = (x: FakeTensor, weight: FakeTensor, bias: FakeTensor): FakeTensor =>
    emit("aten.layer_norm.default", [x, [args.embed_dim], weight, bias, args.eps]);
  const first = (x: FakeTensor): FakeTensor => norm(x, args.norm_weight_1, args.norm_bias_1);
  const second = (x: FakeTensor): FakeTensor => norm(x, args.norm_weight_2, args.norm_bias_2);
  const sumOf = (a: FakeTensor, b: FakeTensor): FakeTensor => emit(add, [a, b]);
  const input = args.norm_first ? first(args.src) : args.src;
  const attended = emit.many("aten._native_multi_head_attention.default", [
    input,
    input,
    input,
    args.embed_dim,
    args.num_heads,
    args.qkv_weight,
    args.qkv_bias,
    args.proj_weight,
    args.proj_bias,
    args.mask,
    false,
    true,
    args.mask_type,
  ])[0]!;
  const sum = sumOf(attended, args.src);
  const x = args.norm_first ? sum : first(sum);
  const inner = linear(emit, args.norm_first ? second(x) : x, args.ffn_weight_1, args.ffn_bias_1);
  const bent = emit(args.use_gelu ? "aten.gelu.default" : "aten.relu.default", [inner]);
  const out = sumOf(linear(emit, bent, args.ffn_weight_2, args.ffn_bias_2), x);
  return args.norm_first ? out : second(out);
}

export const attentionLayerOps: readonly OpDefinition[] = [rescale, multiHeadAttention, encoderLayer];
