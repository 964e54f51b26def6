/**
 * @file Scaled dot product attention: the composite, the fused form that CPUs take, and the plain
 * mathematics.
 */
import { type FakeTensor, float, type IntLike, type SymScalar, symFloat } from "@sconce/ir";
import { eq, floatTrueDiv, floorDiv, mod, ne, sqrt } from "@sconce/symbolic";
import { isFloatDType } from "@sconce/tensor";
import { defineOp, type OpDefinition } from "../rows/define-op.js";
import type { Emit } from "../rows/emit.js";
import { dtypeMismatch, invalidArgument, shapeMismatch } from "../rows/errors.js";
import { isEqual, mayDiffer } from "../rules/comparison.js";
import { convert } from "../rules/decompose.js";
import { describeSizes } from "../rules/describe.js";
import { elementwise } from "../rules/elementwise.js";
import { fake } from "../rules/fake.js";
import { computationDType } from "../rules/promote.js";

export interface Attention {
  readonly query: FakeTensor;
  readonly key: FakeTensor;
  readonly value: FakeTensor;
  readonly attn_mask: FakeTensor | null;
  readonly dropout_p: number;
  readonly is_causal: boolean;
  readonly scale: number | null;
}

function checkAttention({ query, key, value, attn_mask, is_causal }: Attention): void {
  if (query.dtype !== key.dtype || query.dtype !== value.dtype) {
    throw dtypeMismatch(
      "Expected query, key, and value to have the same dtype, but got query.dtype: " +
        `${query.dtype} key.dtype: ${key.dtype} and value.dtype: ${value.dtype} instead.`,
    );
  }
  if (query.ndim < 2 || key.ndim < 2 || value.ndim < 2) {
    throw shapeMismatch(
      "Expected query, key, and value to all be at least 2 dimensional, but got query.dim: " +
        `${query.ndim}, key.dim: ${key.ndim} and value.dim: ${value.ndim} instead.`,
    );
  }
  if (attn_mask === null) return;
  if (attn_mask.dtype !== "bool" && attn_mask.dtype !== query.dtype && attn_mask.dtype !== "float32") {
    throw dtypeMismatch(
      "Expected attn_mask dtype to be bool or float or to match query dtype, but got attn_mask.dtype: " +
        `${attn_mask.dtype} and query.dtype: ${query.dtype} instead.`,
    );
  }
  if (is_causal) {
    throw invalidArgument(
      "_scaled_dot_product_attention: Explicit attn_mask should not be set when is_causal=True",
    );
  }
}

/** Returns a bool mask as numbers to add: 0 where attention may look, minus infinity elsewhere. */
function additiveMask(emit: Emit, mask: FakeTensor | null, query: FakeTensor): FakeTensor | null {
  if (mask === null || mask.dtype !== "bool") return mask;
  const { dtype, device } = query;
  const hidden = emit("aten.scalar_tensor.default", [Number.NEGATIVE_INFINITY], { dtype, device });
  return emit("aten.where.ScalarSelf", [mask, float(0), hidden]);
}

const attention = defineOp({
  schema:
    "aten::scaled_dot_product_attention(Tensor query, Tensor key, Tensor value, Tensor? attn_mask=None, float dropout_p=0., bool is_causal=False, *, float? scale=None, bool enable_gqa=False) -> Tensor",
  tags: ["composite", "nondeterministic_seeded"],
  decompose: (emit, args) => {
    checkAttention(args);
    const { query, key, value, dropout_p, is_causal, scale, enable_gqa } = args;
    if (query.ndim === 3 && key.ndim === 3 && value.ndim === 3) return withoutBatch(emit, args, enable_gqa);
    if (isEmpty(emit, args)) return emptyAttention(emit, args);
    const fused = isFused(emit.env, args, enable_gqa);
    const attn_mask = additiveMask(emit, args.attn_mask, query);
    if (!fused) {
      return emit.many(
        "aten._scaled_dot_product_attention_math.default",
        [query, key, value, attn_mask, dropout_p, is_causal, null],
        { scale, enable_gqa },
      )[0]!;
    }
    return emit.many(
      "aten._scaled_dot_product_flash_attention_for_cpu.default",
      [query, key, value, dropout_p, is_causal],
      { attn_mask, scale },
    )[0]!;
  },
});

/**
 * Returns whether there is no query to answer, or nothing to answer it with. Values whose number
 * only the data decide count as some.
 */
function isEmpty({ env }: Emit, { query, key, value }: Attention): boolean {
  const none = (size: IntLike): boolean => env.guard(eq(size, 0));
  const isNone = (size: IntLike): boolean => env.guardNatively?.(eq(size, 0)) ?? none(size);
  return none(query.shape.at(-2)!) || none(key.shape.at(-2)!) || value.shape.some(isNone);
}

/** Zeros that still depend on the operands, so that gradients reach them. */
function emptyAttention(emit: Emit, { query, key, value }: Attention): FakeTensor {
  const { dtype, layout, device } = query;
  const shape = [...query.shape.slice(0, -1), value.shape.at(-1)!];
  const zeros = emit("aten.zeros.default", [shape], { dtype, layout, device });
  // C++ evaluates the operands of a sum from the last to the first.
  const [ofValue, ofKey, ofQuery] = [value, key, query].map((one) => emit("aten.sum.default", [one]));
  const sum = emit("aten.add.Tensor", [emit("aten.add.Tensor", [ofQuery!, ofKey!]), ofValue!]);
  return emit("aten.add.Tensor", [zeros, emit("aten.mul.Scalar", [sum, 0])]);
}

function withoutBatch(emit: Emit, args: Attention, enable_gqa: boolean): FakeTensor {
  const { dropout_p, is_causal, scale } = args;
  const unsqueeze = (tensor: FakeTensor): FakeTensor => emit("aten.unsqueeze.default", [tensor, 0]);
  const query = unsqueeze(args.query);
  const key = unsqueeze(args.key);
  const value = unsqueeze(args.value);
  let mask = args.attn_mask;
  if (mask?.ndim === 2) mask = unsqueeze(mask);
  if (mask !== null) mask = unsqueeze(mask);
  const out = emit(
    "aten.scaled_dot_product_attention.default",
    [query, key, value, mask, dropout_p, is_causal],
    { scale, enable_gqa },
  );
  return emit("aten.squeeze.dim", [out, 0]);
}

/** Returns whether two sizes are equal. PyTorch asks for a guard, which only data may refuse. */
const hasSize = (env: Emit["env"], a: IntLike, b: IntLike): boolean => a === b || env.guard(eq(a, b));

/** Returns whether the fused kernel of the CPU takes these inputs. */
export function isFused(env: Emit["env"], args: Attention, enableGqa: boolean): boolean {
  const { query, key, value, attn_mask, dropout_p } = args;
  const inputs = [query, key, value];
  if (query.device.type === "meta") return false;
  if (dropout_p > 0 || !isFloatDType(query.dtype) || inputs.some((tensor) => tensor.ndim !== 4)) return false;
  const same = (tensor: FakeTensor, dim: number, other: FakeTensor): boolean =>
    hasSize(env, tensor.shape[dim]!, other.shape[dim]!);
  if (!same(query, 0, key) || !same(query, 0, value)) return false;
  if (!areHeadsFused(env, args, enableGqa)) return false;
  if (attn_mask !== null && !isMaskFused(env, attn_mask, query, key)) return false;
  if (!same(query, 3, key) || !same(query, 3, value)) return false;
  // PyTorch does not compare the numbers of keys and of values; no kernel takes two that differ.
  if (env.knownTrue(ne(key.shape[2]!, value.shape[2]!))) return false;
  return !inputs.some((tensor) => isEqual(env, tensor.shape[2]!, 0) || !hasUnitStride(env, tensor));
}

/**
 * Returns whether the heads of the queries are those of the keys and values, or are grouped over
 * them.
 */
function areHeadsFused(env: Emit["env"], { query, key, value }: Attention, enableGqa: boolean): boolean {
  const [heads, ofKeys, ofValues] = [query.shape[1]!, key.shape[1]!, value.shape[1]!];
  if (hasSize(env, heads, ofKeys)) return hasSize(env, heads, ofValues);
  if (!hasSize(env, ofKeys, ofValues)) return false;
  // One head of keys and values serves all queries without being asked to.
  return enableGqa ? hasSize(env, mod(heads, ofKeys), 0) : hasSize(env, ofKeys, 1);
}

const hasUnitStride = (env: Emit["env"], tensor: FakeTensor): boolean =>
  isEqual(env, tensor.strides.at(-1)!, 1) || isEqual(env, tensor.shape.at(-1)!, 1);

/**
 * Returns whether a mask is one over positions, with batch and heads equal to 1 or to the query's
 * when it has them.
 */
function isMaskFused(env: Emit["env"], mask: FakeTensor, query: FakeTensor, key: FakeTensor): boolean {
  if (mask.requiresGrad || (mask.ndim !== 2 && mask.ndim !== 4)) return false;
  const fits = (dim: number, size: IntLike): boolean =>
    hasSize(env, mask.shape.at(dim)!, size) || hasSize(env, mask.shape.at(dim)!, 1);
  if (!fits(-2, query.shape[2]!) || !fits(-1, key.shape[2]!)) return false;
  return mask.ndim === 2 || (fits(0, query.shape[0]!) && fits(1, query.shape[1]!));
}

const fusedAttention = defineOp({
  schema:
    "aten::_scaled_dot_product_flash_attention_for_cpu(Tensor query, Tensor key, Tensor value, float dropout_p=0., bool is_causal=False, *, Tensor? attn_mask=None, float? scale=None) -> (Tensor output, Tensor logsumexp)",
  tags: ["nondeterministic_seeded"],
  meta: ({ query }, context) => {
    const [batch, heads, length] = query.shape as readonly [IntLike, IntLike, IntLike];
    const sums = fake({ dtype: computationDType(query.dtype), shape: [batch, length, heads], like: query });
    const swapped = [sums.strides[0]!, sums.strides[2]!, sums.strides[1]!];
    return [
      elementwise(context, [query]),
      fake({ dtype: sums.dtype, shape: [batch, heads, length], strides: swapped, like: query }),
    ];
  },
  decompose: (emit, { query, key, value, dropout_p, is_causal, attn_mask, scale }) => {
    if (dropout_p !== 0) throw invalidArgument(`dropout probability must be zero, got ${dropout_p}`);
    const enable_gqa = mayDiffer(emit.env, query.shape[1]!, key.shape[1]!);
    const [output, weights] = emit.many(
      "aten._scaled_dot_product_attention_math.default",
      [query, key, value, attn_mask, dropout_p, is_causal, null],
      { scale, enable_gqa },
    );
    if (emit.laysOut === true) return [output!, weights!];
    // PyTorch's decomposition gives other strides than its kernel: by position first.
    const byPosition = emit("aten.permute.default", [output!, [2, 0, 1, 3]]);
    const dense = emit("aten.contiguous.default", [byPosition], { memory_format: "contiguous_format" });
    return [emit("aten.permute.default", [dense, [1, 2, 0, 3]]), weights!];
  },
});

const mathAttention = defineOp({
  schema:
    "aten::_scaled_dot_product_attention_math(Tensor query, Tensor key, Tensor value, Tensor? attn_mask=None, float dropout_p=0., bool is_causal=False, Tensor? dropout_mask=None, *, float? scale=None, bool enable_gqa=False) -> (Tensor, Tensor)",
  tags: ["composite", "nondeterministic_seeded"],
  decompose: (emit, args) => {
    checkAttention(args);
    const computation = computationDType(args.query.dtype);
    const wide = (tensor: FakeTensor): FakeTensor => convert(emit, tensor, computation);
    const [queries, keys, values] = [wide(args.query), wide(args.key), wide(args.value)];
    const negative = args.scale !== null && args.scale < 0;
    const root = scaleRoot(args.query, args.scale);
    const factor = typeof root === "number" ? float(root) : root;
    const query = emit("aten.mul.Scalar", [
      queries,
      negative && typeof root === "number" ? float(-root) : factor,
    ]);
    const mask = args.is_causal ? causalMask(emit, query, keys) : args.attn_mask;
    const [key, value] = args.enable_gqa ? repeatHeads(emit, query, keys, values) : [keys, values];
    const turned = emit("aten.transpose.int", [key, -2, -1]);
    let weights = emit("aten.matmul.default", [query, emit("aten.mul.Scalar", [turned, factor])]);
    if (mask !== null) weights = emit("aten.add.Tensor", [weights, mask]);
    weights = emit("aten._safe_softmax.default", [weights, -1]);
    if (args.dropout_p > 0) weights = emit("aten.dropout.default", [weights, args.dropout_p, true]);
    const narrow = convert(emit, weights, args.query.dtype);
    const output = emit("aten.matmul.default", [weights, value]);
    return [convert(emit, output, args.query.dtype), narrow];
  },
});

/**
 * Square root of the scale: queries and keys are multiplied by it each, which keeps their product
 * in range.
 */
function scaleRoot(query: FakeTensor, scale: number | null): number | SymScalar {
  if (scale !== null) return Math.sqrt(Math.abs(scale));
  const width = query.shape.at(-1)!;
  if (typeof width === "number") return Math.sqrt(1 / Math.sqrt(width));
  return symFloat(sqrt(floatTrueDiv(1, sqrt(width))));
}

function causalMask(emit: Emit, query: FakeTensor, key: FakeTensor): FakeTensor | null {
  const { layout, device } = query;
  const shape = [query.shape.at(-2)!, key.shape.at(-2)!];
  const ones = emit("aten.ones.default", [shape], { dtype: "bool", layout, device });
  return additiveMask(emit, emit("aten.tril.default", [ones]), query);
}

/** Grouped queries: each head of keys and values serves several of queries. */
function repeatHeads(
  emit: Emit,
  query: FakeTensor,
  key: FakeTensor,
  value: FakeTensor,
): readonly [FakeTensor, FakeTensor] {
  const heads = query.shape.at(-3)!;
  const repeat = (tensor: FakeTensor): FakeTensor => {
    const own = tensor.shape.at(-3)!;
    if (typeof heads === "number" && typeof own === "number" && heads % own !== 0) {
      throw shapeMismatch(
        "Number of heads in key and value must divide the number of heads in query, but got " +
          `${describeSizes(tensor.shape)} for ${heads} heads`,
      );
    }
    if (isEqual(emit.env, heads, own)) return tensor;
    return emit("aten.repeat_interleave.self_int", [tensor, floorDiv(heads, own), -3]);
  };
  const keys = repeat(key);
  return [keys, repeat(value)];
}

const fusedBackward = defineOp({
  schema:
    "aten::_scaled_dot_product_flash_attention_for_cpu_backward(Tensor grad_out, Tensor query, Tensor key, Tensor value, Tensor out, Tensor logsumexp, float dropout_p, bool is_causal, *, Tensor? attn_mask=None, float? scale=None) -> (Tensor grad_query, Tensor grad_key, Tensor grad_value)",
  meta: ({ query, key, value }) =>
    [query, key, value].map((tensor) => {
      const [batch, heads, length, width] = tensor.shape as readonly [IntLike, IntLike, IntLike, IntLike];
      const rows = fake({ dtype: tensor.dtype, shape: [batch, length, heads, width], like: tensor }).strides;
      const strides = [rows[0]!, rows[2]!, rows[1]!, rows[3]!];
      return fake({ dtype: tensor.dtype, shape: tensor.shape, strides, like: tensor });
    }),
});

/** The attention family. */
export const attentionOps: readonly OpDefinition[] = [
  attention,
  fusedAttention,
  mathAttention,
  fusedBackward,
];
