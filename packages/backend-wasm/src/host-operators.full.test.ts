/**
 * @file Which operators run on the host, and why: of all recorded calls whose tensors are float32,
 * int64, bool or complex64. The list may only shrink.
 */
import { defaultOperators, isScalarFunction } from "@sconce/ops";
import { CallProgram, type OpCase, prepareCase } from "@sconce/ops-cases";
import { caseFamilies, readFamily } from "@sconce/ops-cases/node";
import { expect, test } from "vitest";
import { wasmBackend } from "./index.js";

const operators = defaultOperators();
const NATIVE: ReadonlySet<string> = new Set(["float32", "int64", "bool", "complex64"]);

/** The calls of a program on the host, with the reason of each. */
async function hosted(one: OpCase): Promise<readonly string[]> {
  const { args, kwargs } = prepareCase(one);
  let call: CallProgram;
  try {
    call = new CallProgram(one.target, args, kwargs, operators);
  } catch {
    // No program says what depends on values.
    return [];
  }
  if (call.inputs.some(({ dtype }) => !NATIVE.has(dtype))) return [];
  using executable = await backend.compile(call.program);
  await executable.run(call.inputs);
  const { nodes, fallbacks } = executable.placement!();
  // Numbers, such as sizes, are always computed there.
  const onHost = nodes.filter(({ place, target }) => place === "host" && !isScalarFunction(target));
  // Lookups in tensors without elements: no kernel would refuse them.
  const lookups = new Set(onHost.filter(({ reason }) => reason?.startsWith(NOTHING)).map(({ node }) => node));
  const left = onHost.filter(({ node }) => !lookups.has(node));
  return [
    ...left.map(({ target, reason }) => `${target}: ${reason}`),
    ...fallbacks.filter((node) => !lookups.has(node)).map((node) => `${node}: in this run`),
  ];
}
const backend = wasmBackend({ threads: 1 });
const NOTHING = "an operand has no elements";

/**
 * Core operators, with the reason of each: those that draw random numbers, give or take sizes that
 * depend on data, or resize.
 */
const CORE = [
  "aten._embedding_bag.default: it refuses some values, which kernels do not",
  "aten._local_scalar_dense.default: its result is not a tensor",
  "aten._to_copy.default: kernels compute with integers, float16 to float64, complex64 and bools, not with float8_e4m3fn",
  "aten.as_strided.default: as_strided of a tensor whose elements are not all of its memory",
  "aten.as_strided.default: as_strided reads beyond the elements of its tensor",
  "aten.gather.default: an index may lie outside of its tensor",
  "aten.index.Tensor: its output sizes depend on data",
  "aten.index_put.default: indexing by a mask returns a data-dependent shape",
  "aten.masked_scatter.default: an index may lie outside of its tensor",
  // Where the source has no elements.
  "aten.masked_scatter.default: it may read outside of %x2",
  // Where the program does not say that a pool found the places.
  "aten.max_pool2d_with_indices_backward.default: kernels look for its places in their windows only",
  "aten.native_dropout.default: it draws random numbers or has an effect, so it must run in program order",
  "aten.nonzero.default: aten.nonzero.default returns a data-dependent shape",
  "aten.nonzero.default: its output sizes depend on data",
  "aten.rand.default: it draws random numbers or has an effect, so it must run in program order",
  "aten.randn.default: it draws random numbers or has an effect, so it must run in program order",
  "aten.randperm.default: it draws random numbers or has an effect, so it must run in program order",
  'aten.resize_.default: it cannot be lowered: the sizes or strides of the input "x0" are changed in place, which no output can represent',
  "aten.slice.Tensor: its output sizes depend on data",
  // An assertion on an offset that the data decide reads it.
  "aten.sym_storage_offset.default: its result is not a tensor",
];

/** Other operators, which programs have where they are not decomposed. */
const OTHERS = [
  "aten._amp_foreach_non_finite_check_and_unscale.default: no loops are known for aten._amp_foreach_non_finite_check_and_unscale.default",
  "aten._assert_async.msg: it draws random numbers or has an effect, so it must run in program order",
  // Of a part whose start the data decide.
  "aten._assert_scalar.default: it draws random numbers or has an effect, so it must run in program order",
  "aten._batch_norm_with_update_functional.default: no loops are known for aten._batch_norm_with_update_functional.default",
  "aten._cdist_backward.default: no loops are known for aten._cdist_backward.default",
  "aten._cholesky_solve_helper.default: no loops are known for aten.cholesky_solve.default",
  "aten._conj_copy.default: aten._conj.default of complex64 is not lowered to loops",
  "aten._convert_indices_from_coo_to_csr.default: no loops are known for aten._convert_indices_from_coo_to_csr.default",
  "aten._convert_indices_from_csr_to_coo.default: no loops are known for aten._convert_indices_from_csr_to_coo.default",
  "aten._ctc_loss_backward.Tensor: no loops are known for aten._ctc_loss_backward.Tensor",
  "aten._ctc_loss_backward.default: no loops are known for aten._ctc_loss_backward.default",
  "aten._cummax_helper.default: it cannot be lowered: the operator mutates its arguments and has no functional overload",
  "aten._cummin_helper.default: it cannot be lowered: the operator mutates its arguments and has no functional overload",
  "aten._dyn_quant_matmul_4bit.default: no loops are known for aten._dyn_quant_matmul_4bit.default",
  "aten._embedding_bag_backward.default: no loops are known for aten._embedding_bag_backward.default",
  "aten._embedding_bag_dense_backward.default: no loops are known for aten._embedding_bag_backward.default",
  "aten._embedding_bag_forward_only.default: it refuses some values, which kernels do not",
  "aten._embedding_bag_per_sample_weights_backward.default: no loops are known for aten._embedding_bag_per_sample_weights_backward.default",
  "aten._fake_quantize_learnable_per_channel_affine.default: no loops are known for aten.fake_quantize_per_channel_affine_cachemask.default",
  "aten._fake_quantize_learnable_per_channel_affine_backward.default: no loops are known for aten._fake_quantize_learnable_per_channel_affine_backward.default",
  "aten._fake_quantize_learnable_per_tensor_affine.default: no loops are known for aten._fake_quantize_per_tensor_affine_cachemask_tensor_qparams.default",
  "aten._fake_quantize_learnable_per_tensor_affine_backward.default: no loops are known for aten._fake_quantize_learnable_per_tensor_affine_backward.default",
  "aten._functional_assert_scalar.default: it draws random numbers or has an effect, so it must run in program order",
  "aten._functional_sym_constrain_range.default: it draws random numbers or has an effect, so it must run in program order",
  "aten._functional_sym_constrain_range_for_size.default: it draws random numbers or has an effect, so it must run in program order",
  "aten._fused_adagrad.default: its result is not a tensor",
  "aten._fused_adagrad.tensor_lr: its result is not a tensor",
  "aten._fused_adam.default: its result is not a tensor",
  "aten._fused_adam.tensor_lr: its result is not a tensor",
  "aten._fused_adamw.default: its result is not a tensor",
  "aten._fused_adamw.tensor_lr: its result is not a tensor",
  "aten._fused_sgd.default: its result is not a tensor",
  "aten._fused_sgd.tensor_lr: its result is not a tensor",
  "aten._grid_sampler_2d_cpu_fallback_backward.default: no loops are known for aten.grid_sampler_2d_backward.default",
  "aten._jagged_to_padded_dense_forward.default: no loops are known for aten._jagged_to_padded_dense_forward.default",
  "aten._logcumsumexp.default: aten.logcumsumexp.default of complex64 is not lowered to loops",
  "aten._make_dep_token.default: no loops are known for aten._make_dep_token.default",
  "aten._neg_view_copy.default: no loops are known for aten._neg_view.default",
  "aten._new_zeros_with_same_feature_meta.default: no loops are known for aten._new_zeros_with_same_feature_meta.default",
  "aten._padded_dense_to_jagged_forward.default: its output sizes depend on data",
  "aten._padded_dense_to_jagged_forward.default: no loops are known for aten._padded_dense_to_jagged_forward.default",
  "aten._pdist_backward.default: no loops are known for aten._pdist_backward.default",
  "aten._print.default: it draws random numbers or has an effect, so it must run in program order",
  // Where the logarithms of its sums are read, which its decomposition does not give.
  "aten._scaled_dot_product_flash_attention_for_cpu.default: it draws random numbers or has an effect, so it must run in program order",
  "aten._scaled_dot_product_flash_attention_for_cpu_backward.default: no loops are known for aten._scaled_dot_product_flash_attention_for_cpu_backward.default",
  "aten._unique2.default: its output sizes depend on data",
  "aten._upsample_bicubic2d_aa_backward.default: no loops are known for aten._upsample_bicubic2d_aa_backward.default",
  "aten._upsample_bilinear2d_aa_backward.default: no loops are known for aten._upsample_bilinear2d_aa_backward.default",
  "aten._upsample_lanczos2d_aa_backward.default: no loops are known for aten._upsample_lanczos2d_aa_backward.default",
  "aten._upsample_nearest_exact1d_backward.default: no loops are known for aten._upsample_nearest_exact1d_backward.default",
  "aten._upsample_nearest_exact2d_backward.default: no loops are known for aten._upsample_nearest_exact2d_backward.default",
  "aten._upsample_nearest_exact3d_backward.default: no loops are known for aten._upsample_nearest_exact3d_backward.default",
  // As that of max_pool2d above.
  "aten.adaptive_max_pool2d_backward.default: kernels look for its places in their windows only",
  "aten.adaptive_max_pool3d_backward.default: kernels look for its places in their windows only",
  "aten.allclose.default: its result is not a tensor",
  "aten.as_strided_.default: it reads memory by strides that it writes to, and its lowered form other memory",
  "aten.as_strided_scatter.default: no loops are known for aten.as_strided_scatter.default",
  'aten.atan2.out: it gives "x2" another size',
  'aten.batch_norm_update_stats.default: aten.batch_norm_update_stats.default updates "running_mean" (%x1) and "running_var" (%x2), though its schema does not say so',
  "aten.batch_norm_update_stats.default: no loops are known for aten.batch_norm_update_stats.default",
  "aten.bernoulli.default: it draws random numbers or has an effect, so it must run in program order",
  "aten.bernoulli.p: it draws random numbers or has an effect, so it must run in program order",
  "aten.bernoulli_.float: it draws random numbers in memory order, and its lowered form in row order",
  "aten.binary_cross_entropy.default: it refuses some values, which kernels do not",
  "aten.bincount.default: its output sizes depend on data",
  "aten.bucketize.Tensor: no loops are known for aten.bucketize.Tensor",
  "aten.copysign.Scalar: no loops are known for aten.copysign.Scalar",
  "aten.copysign.Tensor: no loops are known for aten.copysign.Tensor",
  "aten.dist.default: no loops are known for aten.dist.default",
  "aten.equal.default: its result is not a tensor",
  "aten.erfc.default: no loops are known for aten.erfc.default",
  "aten.erfinv.default: no loops are known for aten.erfinv.default",
  "aten.exponential.default: it draws random numbers or has an effect, so it must run in program order",
  "aten.fake_quantize_per_channel_affine_cachemask.default: no loops are known for aten.fake_quantize_per_channel_affine_cachemask.default",
  "aten.fake_quantize_per_tensor_affine_cachemask.default: no loops are known for aten.fake_quantize_per_tensor_affine_cachemask.default",
  "aten.gcd.default: no loops are known for aten.gcd.default",
  "aten.grid_sampler_2d_backward.default: no loops are known for aten.grid_sampler_2d_backward.default",
  "aten.grid_sampler_3d_backward.default: no loops are known for aten.grid_sampler_3d_backward.default",
  "aten.hash_tensor.default: no loops are known for aten.hash_tensor.default",
  "aten.kthvalue.default: no loops are known for aten.kthvalue.default",
  "aten.lcm.default: no loops are known for aten.lcm.default",
  "aten.lgamma.default: no loops are known for aten.lgamma.default",
  "aten.masked_scatter_backward.default: no loops are known for aten.masked_scatter_backward.default",
  "aten.masked_select.default: its output sizes depend on data",
  "aten.max_pool3d_with_indices_backward.default: kernels look for its places in their windows only",
  "aten.median.default: a median of no elements",
  "aten.mode.default: no loops are known for aten.mode.default",
  "aten.multinomial.default: it draws random numbers or has an effect, so it must run in program order",
  "aten.nanmedian.dim: no loops are known for aten.nanmedian.dim",
  "aten.nextafter.default: no loops are known for aten.nextafter.default",
  "aten.nonzero_static.default: no loops are known for aten.nonzero_static.default",
  "aten.normal.Tensor_float: it draws random numbers or has an effect, so it must run in program order",
  "aten.normal.float_float: it draws random numbers or has an effect, so it must run in program order",
  "aten.normal_functional.default: it draws random numbers or has an effect, so it must run in program order",
  "aten.rand_like.default: it draws random numbers or has an effect, so it must run in program order",
  "aten.randint.default: it draws random numbers or has an effect, so it must run in program order",
  "aten.randint.low: it draws random numbers or has an effect, so it must run in program order",
  "aten.randint_like.default: it draws random numbers or has an effect, so it must run in program order",
  "aten.randint_like.low_dtype: it draws random numbers or has an effect, so it must run in program order",
  "aten.randn_like.default: it draws random numbers or has an effect, so it must run in program order",
  "aten.random.default: it draws random numbers or has an effect, so it must run in program order",
  "aten.repeat_interleave.Tensor: aten.repeat_interleave.Tensor returns a data-dependent shape",
  "aten.repeat_interleave.Tensor: its output sizes depend on data",
  "aten.replication_pad1d_backward.default: no loops are known for aten.replication_pad1d_backward.default",
  "aten.replication_pad2d_backward.default: no loops are known for aten.replication_pad2d_backward.default",
  "aten.replication_pad3d_backward.default: no loops are known for aten.replication_pad3d_backward.default",
  "aten.rrelu_with_noise_functional.default: it draws random numbers or has an effect, so it must run in program order",
  "aten.searchsorted.Scalar: no loops are known for aten.searchsorted.Scalar",
  "aten.searchsorted.Tensor: no loops are known for aten.searchsorted.Tensor",
  "aten.signbit.default: no loops are known for aten.signbit.default",
  "aten.special_erfcx.default: no loops are known for aten.special_erfcx.default",
  'aten.squeeze_.default: it cannot be lowered: the sizes or strides of the input "x0" are changed in place, which no output can represent',
  'aten.squeeze_.dim: it cannot be lowered: the sizes or strides of the input "x0" are changed in place, which no output can represent',
  'aten.squeeze_.dims: it cannot be lowered: the sizes or strides of the input "x0" are changed in place, which no output can represent',
  'aten.transpose_.default: it cannot be lowered: the sizes or strides of the input "x0" are changed in place, which no output can represent',
  "aten.uniform.default: it draws random numbers or has an effect, so it must run in program order",
  "aten.unique_consecutive.default: its output sizes depend on data",
  "aten.unique_dim.default: its output sizes depend on data",
  'aten.unsqueeze_.default: it cannot be lowered: the sizes or strides of the input "x0" are changed in place, which no output can represent',
  "aten.upsample_bicubic2d_backward.default: no loops are known for aten.upsample_bicubic2d_backward.default",
  "aten.upsample_bilinear2d_backward.default: no loops are known for aten.upsample_bilinear2d_backward.default",
  "aten.upsample_linear1d_backward.default: no loops are known for aten.upsample_linear1d_backward.default",
  "aten.upsample_nearest1d_backward.default: no loops are known for aten.upsample_nearest1d_backward.default",
  "aten.upsample_nearest2d_backward.default: no loops are known for aten.upsample_nearest2d_backward.default",
  "aten.upsample_nearest3d_backward.default: no loops are known for aten.upsample_nearest3d_backward.default",
  "aten.view.dtype: no loops are known for aten.view.dtype",
  "aten.view_copy.dtype: no loops are known for aten.view.dtype",
  "gather: in this run",
  'operator.getitem: aten.batch_norm_update_stats.default updates "running_mean" (%x1) and "running_var" (%x2), though its schema does not say so',
  "quantized_decomposed.quantize_per_channel_group.default: aten._assert_async.msg is a run-time check; no element depends on it",
  "quantized_decomposed.quantize_per_tensor.default: kernels compute with integers, float16 to float64, complex64 and bools, not with float8_e4m3fn",
  "quantized_decomposed.quantize_per_tensor.default: kernels compute with integers, float16 to float64, complex64 and bools, not with float8_e5m2",
  "quantized_decomposed.quantize_per_tensor.tensor2: no loops are known for quantized_decomposed.quantize_per_tensor.tensor2",
  "quantized_decomposed.quantize_per_tensor.tensor: no loops are known for quantized_decomposed.quantize_per_tensor.tensor",
];

test("operators that run on the host", async () => {
  const core = new Set<string>();
  const others = new Set<string>();
  for (const family of caseFamilies())
    for (const one of readFamily(family)) {
      if (one.compare === "error" || one.source === "edges") continue;
      for (const line of await hosted(one)) {
        const [target = ""] = line.split(":");
        const isCore = operators.get(target)?.tags.includes("core") === true;
        (isCore ? core : others).add(line);
      }
    }
  expect([...core].sort()).toEqual(CORE);
  expect([...others].sort()).toEqual(OTHERS);
});
