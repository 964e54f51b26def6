/**
 * @file Calls on elements of a batch that functorch refuses: what they give or do depends on the
 * values of the element, or they have no rule for batches.
 */
import type { OpSchema } from "@sconce/ir";

/** A call inside of a function of `vmap`. */
export interface LaneCall {
  readonly target: string;
  readonly schema: OpSchema;
  readonly args: readonly unknown[];
  readonly kwargs: Readonly<Record<string, unknown>>;
  /** Returns whether a value, or one of a list, depends on the element of the batch. */
  readonly isBatched: (value: unknown) => boolean;
}

const REPORT = "Please file an issue at https://github.com/pytorch/pytorch/issues if you need this feature.";
/** Reading a number of a batched tensor. */
const ITEM =
  "vmap: It looks like you're calling .item() on a Tensor. We don't support vmap over calling .item() on a Tensor, please try to rewrite what you're doing with other operations. If error is occurring somewhere inside PyTorch internals, please file a bug report.";
const CONDITION =
  "vmap: It looks like you're attempting to use a Tensor in some data-dependent control flow. We don't support that yet, please file an issue at https://github.com/pytorch/pytorch/issues .";
const REPEATS =
  "repeat_interleave: vmapping over the `repeats` tensor requires the `output_size` argument to be specified, because the size of the output equals the sum of `repeats`, which is data-dependent and may differ between batch elements. Please pass output_size, e.g. output_size=int(repeats.sum(-1).max()).";

const dynamic = (name: string): string =>
  `vmap: We do not support batching operators that can output dynamic shape. Attempted to vmap over aten::${name}. ${REPORT}`;
const allclose = `vmap over torch.allclose isn't supported yet. ${REPORT}`;
const MASKED_SELECT = `vmap: Attempted to vmap over \`mask\` in torch.masked_select(self, mask) We cannot support this because for each batch this would return a differently shaped Tensor. ${REPORT}`;
const MASK =
  "vmap: We do not support batching operators that can support dynamic shape. Attempting to batch over indexing with a boolean mask.";

const operatorName = (target: string): string => {
  const [space, name, overload] = target.split(".");
  return `${space}::${name}${overload === "default" ? "" : `.${overload}`}`;
};
const withoutRule = (target: string): string => `Batching rule not implemented for ${operatorName(target)}`;

/** Returns the operand of a name. */
export function operand(
  { schema, args, kwargs }: Pick<LaneCall, "schema" | "args" | "kwargs">,
  name: string,
): unknown {
  return kwargs[name] ?? args[schema.args.findIndex((arg) => arg.name === name)];
}

const isMask = (value: unknown): boolean =>
  /^(bool|uint8)$/.test((value as { readonly dtype?: string } | null)?.dtype ?? "");

function maskIn(call: LaneCall): string | undefined {
  const indices = operand(call, "indices");
  const found = Array.isArray(indices) && indices.some((index) => isMask(index) && call.isBatched(index));
  return found ? MASK : undefined;
}

const repeatsIn =
  (name: string) =>
  (call: LaneCall): string | undefined =>
    call.isBatched(operand(call, name)) && (operand(call, "output_size") ?? null) === null
      ? REPEATS
      : undefined;

/** Operators that have neither a rule for batches nor one that runs them item by item. */
const WITHOUT_FALLBACK =
  "nonzero_numpy.default column_stack.default chain_matmul.default pad_sequence.default rnn_tanh.input rnn_relu.input gru.input lstm.input lstm_cell.default _index_put_impl.default _stack.default equal.default split_copy.Tensor unsafe_split_with_sizes.default _histogramdd_bin_edges.default _histogramdd_from_bin_tensors.default histogramdd.default histogramdd.int_bins histogramdd.TensorList_bins _chunk_cat.default flatten_dense_tensors.default unflatten_dense_tensors.default is_set_to.default _scaled_mm_v2.default tensor_split.tensor_indices_or_sections _fused_adam.default _fused_adam.tensor_lr _fused_adamw.default _fused_adamw.tensor_lr _fused_sgd.default _fused_sgd.tensor_lr _fused_adagrad.default _fused_adagrad.tensor_lr";

type Verdict = (call: LaneCall) => string | undefined;

/** The reasons by overload; a text holds for every batched operand. */
const VERDICTS: ReadonlyMap<string, string | Verdict> = new Map<string, string | Verdict>([
  ...["nonzero", "where", "unique_dim", "unique_consecutive", "unique_dim_consecutive", "_unique2"].map(
    (name) => [`aten.${name}.default`, dynamic(name)] as const,
  ),
  ...WITHOUT_FALLBACK.split(" ").map(
    (name) => [`aten.${name}`, `${withoutRule(`aten.${name}`)}. We could not generate a fallback.`] as const,
  ),
  ...["_assert_async.default", "_assert_async.msg"].map(
    (name) =>
      [
        `aten.${name}`,
        `${withoutRule(`aten.${name}`)}. The fallback path does not support operations with no returns.`,
      ] as const,
  ),
  ...["moveaxis.int", "narrow.Tensor"].map(
    (name) =>
      [
        `aten.${name}`,
        `${withoutRule(`aten.${name}`)}; the fallback path doesn't work on out= or view ops.`,
      ] as const,
  ),
  ["aten.item.default", ITEM],
  ["aten._local_scalar_dense.default", ITEM],
  ["aten.is_nonzero.default", CONDITION],
  ["aten.allclose.default", allclose],
  ["aten.rrelu.default", "vmap: we do not yet support aten::rrelu. Please file an issue"],
  [
    "aten.masked_select.default",
    (call: LaneCall) => (call.isBatched(operand(call, "mask")) ? MASKED_SELECT : undefined),
  ],
  ...["index.Tensor", "index_put.default", "index_put_.default", "_unsafe_index.Tensor"].map(
    (name) => [`aten.${name}`, maskIn] as const,
  ),
  ["aten.repeat_interleave.Tensor", repeatsIn("repeats")],
  ["aten.repeat_interleave.self_Tensor", repeatsIn("repeats")],
  [
    "aten.one_hot.default",
    (call: LaneCall) =>
      Number(operand(call, "num_classes") ?? -1) < 0
        ? "When vmap-ing torch.nn.functional.one_hot, please provide an explicit positive num_classes argument."
        : undefined,
  ],
]);

/** Dimensions of a number that functorch refuses, though one number takes them. */
function dimensionOfNumber({ target, args }: LaneCall): string | undefined {
  const [self, second, third] = args;
  if ((self as { readonly ndim?: number } | null)?.ndim !== 0) return undefined;
  const given = (dims: unknown): readonly unknown[] => (Array.isArray(dims) ? dims : [dims]);
  const isTaken =
    /^aten\.(unbind|select)\.int$/.test(target) ||
    (/^aten\.flip\./.test(target) && given(second).length > 0) ||
    (target === "aten.roll.default" && given(third ?? []).length > 0);
  if (isTaken) return "Dimension out of range (expected to be in range of [-1, 0], but got 1)";
  return /^aten\.squeeze\.dims?$/.test(target) && given(second).includes(-1)
    ? "Dimension is out of range (expected to be in range of [-1, 0], but got [-1])"
    : undefined;
}

/** Returns whether a schema has outputs that the caller gives (`out=`). */
const takesOutputs = ({ args }: OpSchema): boolean =>
  args.some((arg) => arg.kwargOnly && arg.alias?.write === true);

/** Returns why functorch refuses a call; undefined for a call that it takes. */
export function refusedInLanes(call: LaneCall): string | undefined {
  const { target, schema, args, kwargs, isBatched } = call;
  const verdict = VERDICTS.get(target);
  const ofNumber = dimensionOfNumber(call);
  if (verdict === undefined && ofNumber === undefined && !schema.isMutable) return undefined;
  if (!isBatched([args, Object.values(kwargs)])) return undefined;
  if (verdict !== undefined) return typeof verdict === "string" ? verdict : verdict(call);
  if (takesOutputs(schema))
    return `${withoutRule(target)}; the fallback path doesn't work on out= or view ops.`;
  return ofNumber !== undefined && isBatched(args[0]) ? ofNumber : undefined;
}
