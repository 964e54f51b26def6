/**
 * @file What PyTorch asks of the sizes of operands when it decomposes a call. Each question takes
 * the name of a node, and nothing reads the node.
 */

import { FakeTensor, type MetaValue } from "@sconce/ir";
import type { BoundArgs } from "@sconce/ops";
import type { IntLike } from "@sconce/symbolic";
import { wrapDimension } from "@sconce/tensor";
import type { DroppedArithmetic } from "@sconce/trace";
import { askEinsum } from "./einsum-sizes.js";
import { askReference } from "./reference-operators.js";

/** Takes the names for one operator. `args` are the call's arguments by name. */
type Asks = (dropped: DroppedArithmetic, args: BoundArgs) => void;

const tensor = (value: unknown): FakeTensor => value as FakeTensor;
type Sizes = readonly IntLike[];
const sizes = (value: unknown): Sizes => value as Sizes;
const size = (value: unknown): IntLike => value as IntLike;

/** Factories that PyTorch decomposes in Python look whether sizes are negative. */
const asksFactory: Asks = (dropped, args) => dropped.checked(sizes(args["size"]));
const asksEye: Asks = (dropped, { n, m = n }) => dropped.checked([size(n), size(m)]);

/** Products of more than two dimensions: whether rows are folded, and what batches come to. */
const asksMatmul: Asks = (dropped, { self, other }) => {
  const [a, b] = [tensor(self), tensor(other)];
  const isBatched = a.ndim > 0 && b.ndim > 0 && (a.ndim > 2 || b.ndim > 2);
  if (isBatched && !dropped.folds(a, b)) dropped.multiplied(a, b);
};

/** Along a new last dimension `cat` compares the sizes. */
const asksStack: Asks = (dropped, { tensors, dim }) => {
  const [first, ...others] = tensors as readonly FakeTensor[];
  if (first === undefined || wrapDimension(Number(dim), first.ndim + 1) === first.ndim) return;
  for (const other of others) dropped.compared(other.shape, first.shape);
};

/** `check_same_shape` compares the first tensor with itself too. */
const asksGroupNorm: Asks = (dropped, { grad_out, input, mean, rstd, N, C, HxW }) => {
  for (const one of [input, grad_out]) dropped.compared(tensor(input).shape, tensor(one).shape);
  for (const one of [mean, rstd]) dropped.compared(tensor(mean).shape, tensor(one).shape);
  dropped.counts(tensor(input), [size(N), size(C), size(HxW)]);
  dropped.compared(tensor(mean).shape.slice(0, 1), [size(N)]);
};

const asksAttention: Asks = (dropped, { query, key, value, attn_mask: mask }) => {
  const all = [tensor(query), tensor(key), tensor(value)] as const;
  if (all.every(({ ndim }) => ndim === 4)) dropped.attended(...all, mask as FakeTensor | null);
};

/** Sizes of heads, and whether keys have fewer of them. */
const asksAttentionInBlocks: Asks = (dropped, { query, key, value }) => {
  const [q, k, v] = [query, key, value].map((one) => tensor(one).shape) as [Sizes, Sizes, Sizes];
  if ([q, k, v].some((shape) => shape.length !== 4)) return;
  dropped.compared([q[3]!, k[3]!], [v[3]!, v[3]!]);
  dropped.differs(q[1]!, k[1]!);
};

const asksRepeat: Asks = (dropped, { self, repeats, dim }) => {
  const [{ shape, ndim }, counts] = [tensor(self), tensor(repeats).shape];
  if (counts.length !== 1 || ndim === 0 || (dim === null && ndim > 1)) return;
  dropped.compared([...counts, ...counts], [1, shape[wrapDimension(Number(dim), ndim)]!]);
};

/** Whether there is an index for each place of the source. */
const asksIndexCopy: Asks = (dropped, { self, dim, index, source }) => {
  const [into, from] = [tensor(self), tensor(source)];
  if (from.ndim === 0 || from.ndim !== into.ndim) return;
  const at = wrapDimension(Number(dim), into.ndim);
  dropped.compared(from.shape.toSpliced(at, 1), into.shape.toSpliced(at, 1));
  dropped.counts(tensor(index), [from.shape[at]!]);
};

/** Whether there is an index for each part that is added. */
const asksIndexAdd: Asks = (dropped, { self, dim, index, source }) => {
  const [{ ndim }, places, from] = [tensor(self), tensor(index), tensor(source)];
  const given = from.ndim > 0 ? from.shape[wrapDimension(Number(dim), ndim)]! : 1;
  dropped.compared([given], [places.ndim === 1 ? places.shape[0]! : 1]);
};

/** Whether there is a class for each row. */
const asksMargins: Asks = (dropped, { self, target }) => {
  const rows = tensor(self).ndim > 1 ? tensor(self).shape[0]! : 1;
  if (tensor(target).ndim <= 1) dropped.counts(tensor(target), [rows]);
};

const asksSplit: Asks = (dropped, { self, split_size, dim }) => {
  const { shape, ndim } = tensor(self);
  if (ndim > 0) dropped.split(shape[wrapDimension(Number(dim), ndim)]!, size(split_size));
};

const asksNarrow: Asks = (dropped, { self, dim, start, length }) => {
  const { shape, ndim } = tensor(self);
  if (ndim > 0) dropped.narrowed(shape[wrapDimension(Number(dim), ndim)]!, size(start), size(length));
};

/** Operands are broadcast, and the result gets its strides. */
const asksLerp: Asks = (dropped, { self, end, weight }) => {
  const all = [self, end, weight].filter((one) => one instanceof FakeTensor);
  dropped.aligned(all);
  dropped.references.strided(all.map((one) => dropped.traced(one)));
};

/** A norm over dimensions of size 1 is the absolute value. */
const asksNorm: Asks = (dropped, { self, ord, dim }) => {
  const { shape, ndim } = tensor(self);
  const dims = [dim ?? []].flat() as readonly unknown[];
  if (ndim === 0 || [0, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY].includes(Number(ord))) return;
  if (dims.length > 0) dropped.areOnes(dims.map((one) => shape[wrapDimension(Number(one), ndim)]!));
};

/** Whether there is a target for each row. */
const asksRows: Asks = (dropped, { self, target }) => {
  const [scores, targets] = [tensor(self), tensor(target)];
  if (scores.ndim > 1 && targets.ndim > 0)
    dropped.compared(scores.shape.slice(0, 1), targets.shape.slice(0, 1));
};

const asksBatch = (dropped: DroppedArithmetic, input: FakeTensor, state: FakeTensor): void =>
  dropped.compared(input.shape.slice(0, 1), state.shape.slice(0, 1));
const asksState: Asks = (dropped, { input, hx }) => asksBatch(dropped, tensor(input), tensor(hx));

/** The number is expanded to what is left of the shape. */
const asksIndexFill: Asks = (dropped, { self, dim }) => {
  const { shape, ndim } = tensor(self);
  const rest = shape.toSpliced(wrapDimension(Number(dim), ndim), 1);
  if (ndim > 0) dropped.compared(rest, rest);
};

/** Pools along one dimension count elements. */
const asksElements: Asks = (dropped, { self }) => void dropped.numel(tensor(self));

const asksEmpty: Asks = (dropped, { self }) => void dropped.isEmpty(tensor(self));

/** The layout of images decides that of the result. */
const asksLayout: Asks = (dropped, { self }) => void dropped.ordersChannels(tensor(self));

/** Whether the pieces are empty. */
const asksChunk: Asks = (dropped, { self, dim }) => {
  const { shape, ndim } = tensor(self);
  if (ndim > 0) dropped.compared([shape[wrapDimension(Number(dim), ndim)]!], [0]);
};

/** Own decompositions of operators, with what they ask first. */
const ASKS: Readonly<Record<string, Asks>> = {
  "aten.ones.default": asksFactory,
  "aten.zeros.default": asksFactory,
  "aten.eye.default": asksEye,
  "aten.eye.m": asksEye,
  "aten.matmul.default": asksMatmul,
  "aten.stack.default": asksStack,
  "aten.index_add.default": asksIndexAdd,
  "aten.index_copy.default": asksIndexCopy,
  "aten.multi_margin_loss.default": asksMargins,
  "aten.native_group_norm_backward.default": asksGroupNorm,
  "aten.scaled_dot_product_attention.default": asksAttention,
  "aten._scaled_dot_product_flash_attention_for_cpu.default": asksAttentionInBlocks,
  "aten.repeat_interleave.self_Tensor": asksRepeat,
  "aten.repeat_interleave.self_int": (dropped, { repeats }) => dropped.checked([size(repeats)]),
  "aten.narrow.default": asksNarrow,
  "aten.select_scatter.default": (dropped, { index }) => dropped.indexed(size(index)),
  "aten.split.Tensor": asksSplit,
  "aten.chunk.default": asksChunk,
  "aten.unsafe_chunk.default": asksChunk,
  "aten.reshape.default": (dropped, { self, shape }) => dropped.reshaped(tensor(self), sizes(shape)),
  "aten.contiguous.default": (dropped, { self }) => void dropped.isContiguous(tensor(self)),
  "aten.linear.default": (dropped, { input, bias }) => {
    if (tensor(input).ndim !== 2 && bias !== null) dropped.isContiguous(tensor(input));
  },
  "aten.broadcast_tensors.default": (dropped, { tensors }) =>
    dropped.aligned(tensors as readonly FakeTensor[]),
  "aten.logaddexp.default": (dropped, { self, other }) => dropped.aligned([tensor(self), tensor(other)]),
  "aten.cosine_similarity.default": (dropped, { x1, x2 }) =>
    dropped.equal(tensor(x1).shape, tensor(x2).shape),
  "aten.einsum.default": (dropped, { equation, tensors }) =>
    askEinsum(dropped, String(equation), tensors as readonly FakeTensor[]),
  "aten.lstm_cell.default": (dropped, { input, hx }) => {
    for (const one of hx as readonly FakeTensor[]) asksBatch(dropped, tensor(input), one);
  },
  "aten.gru_cell.default": asksState,
  "aten.rnn_tanh_cell.default": asksState,
  "aten.rnn_relu_cell.default": asksState,
  "aten.index_fill.int_Scalar": asksIndexFill,
  "aten.index_fill.int_Tensor": asksIndexFill,
  "aten.linalg_vector_norm.default": asksNorm,
  "aten.nll_loss_nd.default": asksRows,
  "aten.nll_loss_forward.default": asksRows,
  "aten.max_pool1d.default": asksElements,
  "aten.avg_pool1d.default": asksElements,
  "aten.adaptive_avg_pool1d.default": asksElements,
  "aten.adaptive_max_pool1d.default": asksElements,
  "aten.adaptive_avg_pool2d.default": (dropped, { output_size }) => {
    dropped.checked(sizes(output_size));
    dropped.areOnes(sizes(output_size));
  },
  "aten.empty_like.default": (dropped, { self, memory_format: format }) => {
    if ((format ?? "preserve_format") === "preserve_format")
      dropped.references.ordered([dropped.traced(tensor(self))]);
  },
  "aten.im2col.default": (dropped, { self }) => dropped.windows(tensor(self).shape.slice(-2)),
  "aten.roll.default": asksEmpty,
  "aten.logsumexp.default": asksEmpty,
  "aten.channel_shuffle.default": asksEmpty,
  "aten.cdist.default": (dropped, { x1, x2 }) => {
    for (const one of [x1, x2]) dropped.isEmpty(tensor(one));
  },
  "aten.batch_norm.default": (dropped, { input }) => void dropped.isEmpty(tensor(input)),
};

/** The same for what a decomposition asks in the end. */
const ASKS_LAST: Readonly<Record<string, Asks>> = {
  "aten.narrow.default": (dropped, { start }) => dropped.narrowedResult(size(start)),
  "aten.lerp.Scalar": asksLerp,
  "aten.lerp.Tensor": asksLerp,
  "aten.upsample_bicubic2d.default": asksLayout,
  "aten.upsample_bicubic2d.vec": (dropped, { input }) => void dropped.ordersChannels(tensor(input)),
  "aten.reflection_pad1d.default": asksLayout,
  "aten.reflection_pad2d.default": asksLayout,
  "aten.reflection_pad3d.default": asksLayout,
};

/** Takes the names of what a decomposition asks of the sizes of its operands. */
export function askSizes(dropped: DroppedArithmetic, target: string, args: BoundArgs): void {
  if (!dropped.isNeeded) return;
  ASKS[target]?.(dropped, args);
}

/** Results that are made contiguous in the end. */
const ASKED_RESULTS: ReadonlySet<string> = new Set([
  "aten.tril.default",
  "aten.triu.default",
  "aten.masked_fill.Scalar",
  "aten.masked_fill.Tensor",
  "aten.index_add.default",
  "aten.index_copy.default",
  "aten.index_fill.int_Scalar",
  "aten.index_fill.int_Tensor",
  "aten.diag_embed.default",
]);

/** The same for what it asks of its result. */
export function askResult(
  dropped: DroppedArithmetic,
  target: string,
  args: BoundArgs,
  result: MetaValue,
): void {
  if (!dropped.isNeeded) return;
  ASKS_LAST[target]?.(dropped, args);
  if (ASKED_RESULTS.has(target) && result instanceof FakeTensor) dropped.isContiguous(result);
}

/** The same for the operator in place, which runs on sizes before its write becomes a value. */
export function askInPlace(dropped: DroppedArithmetic, target: string, args: BoundArgs): void {
  askReference(dropped, target, args);
  if (target === "aten.index_copy_.default") asksIndexCopy(dropped, args);
}
