/**
 * @file Overloads whose schemas hide what they do: no alias annotation, and yet a result that shares memory with an
 * argument, or an argument that is written to. Found by calling every ATen overload without annotations in PyTorch, on
 * all recorded calls, all of its own samples, and arguments tried out (`packages/testing/oracle/hidden_effects.py`);
 * `packages/testing/fixtures/functionalize/hidden-effects.json` is what it found, and a test compares.
 */

/**
 * Arguments that a result may share memory with; whether it does depends on the call.
 *
 * Not listed: `native_dropout` hands back its input when that has no elements, where sharing cannot be seen.
 */
export const HIDDEN_ALIASES: Readonly<Record<string, readonly string[]>> = {
  "aten._cast_Float.default": ["self"],
  "aten._foobar.default": ["self"],
  "aten._nested_compute_contiguous_strides_offsets.default": ["nested_size"],
  "aten._remove_batch_dim.default": ["self"],
  "aten._saturate_weight_to_fp16.default": ["weight"],
  "aten._test_optional_filled_intlist.default": ["values"],
  "aten._test_optional_floatlist.default": ["values"],
  "aten._test_optional_intlist.default": ["values"],
  "aten._test_parallel_materialize.default": ["self"],
  "aten._test_string_default.default": ["dummy"],
  "aten._to_cpu.default": ["tensors"],
  "aten._unsafe_view.default": ["self"],
  "aten.alpha_dropout.default": ["input"],
  "aten.atleast_1d.Sequence": ["tensors"],
  "aten.atleast_1d.default": ["self"],
  "aten.atleast_2d.Sequence": ["tensors"],
  "aten.atleast_2d.default": ["self"],
  "aten.atleast_3d.Sequence": ["tensors"],
  "aten.atleast_3d.default": ["self"],
  "aten.broadcast_tensors.default": ["tensors"],
  "aten.cartesian_prod.default": ["tensors"],
  "aten.conj_physical.default": ["self"],
  "aten.cumprod_backward.default": ["grad"],
  "aten.data.default": ["self"],
  "aten.dequantize.self": ["self"],
  "aten.dropout.default": ["input"],
  "aten.einsum.default": ["tensors"],
  "aten.feature_alpha_dropout.default": ["input"],
  "aten.feature_dropout.default": ["input"],
  "aten.flatten_dense_tensors.default": ["tensors"],
  "aten.histogramdd.TensorList_bins": ["bins"],
  "aten.lift.default": ["self"],
  "aten.meshgrid.default": ["tensors"],
  "aten.meshgrid.indexing": ["tensors"],
  "aten.set.source_Tensor": ["source"],
  "aten.sum_to_size.default": ["self"],
  "aten.to_dense.default": ["self"],
  "aten.to_dense_backward.default": ["grad"],
  "aten.to_mkldnn_backward.default": ["grad"],
  "aten.to_sparse.default": ["self"],
  "aten.type_as.default": ["self"],
  "aten.unflatten_dense_tensors.default": ["flat"],
  "aten.unsafe_chunk.default": ["self"],
  "aten.unsafe_split.Tensor": ["self"],
  "aten.unsafe_split_with_sizes.default": ["self"],
};

/** Of these only a call with a single operand can alias it: more are multiplied or joined. */
export const ALIAS_SINGLE_OPERAND: ReadonlySet<string> = new Set([
  "aten.einsum.default",
  "aten.cartesian_prod.default",
]);

/** What a call writes to although its schema does not say so. */
export interface HiddenWrite {
  /** Names of the arguments that are written although the schema does not say so. */
  readonly written: readonly string[];
  /** The argument that has to be true for it; absent where every call writes. */
  readonly flag?: string;
}

const STATISTICS = ["running_mean", "running_var"] as const;
const whileTraining: HiddenWrite = { written: STATISTICS, flag: "training" };
const always: HiddenWrite = { written: STATISTICS };

/**
 * Batch norms update their statistics. Those of other devices (cuDNN, MIOpen, synchronized statistics) are listed by
 * their documentation (`native_functions.yaml`).
 *
 * Not listed: `cov` changes a 0-d input that is given 0-d weights, a fault of PyTorch's kernel that Sconce's has not.
 */
export const HIDDEN_WRITES: Readonly<Record<string, HiddenWrite>> = {
  "aten.batch_norm.default": whileTraining,
  "aten.native_batch_norm.default": whileTraining,
  "aten._batch_norm_impl_index.default": whileTraining,
  "aten.cudnn_batch_norm.default": whileTraining,
  "aten.miopen_batch_norm.default": whileTraining,
  "aten.instance_norm.default": { written: STATISTICS, flag: "use_input_stats" },
  "aten.batch_norm_update_stats.default": always,
  "aten.batch_norm_gather_stats.default": always,
  "aten.batch_norm_gather_stats_with_counts.default": always,
};
