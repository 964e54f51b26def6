/**
 * @file Names of the kernels that a page loads when it needs them. A page knows from these which
 * operators the interpreter supports.
 */

/** Targets without `aten.` and `.default`, by the file of this folder that has the kernels. */
export const NAMES = {
  common: `
    _adaptive_avg_pool2d _adaptive_avg_pool2d_backward _adaptive_avg_pool3d
    _adaptive_avg_pool3d_backward _assert_async _assert_async.msg _assert_scalar
    _assert_tensor_metadata _batch_norm_with_update _batch_norm_with_update_functional
    _cdist_backward _cdist_forward _embedding_bag _embedding_bag_backward
    _embedding_bag_forward_only _embedding_bag_per_sample_weights_backward
    _fake_quantize_per_tensor_affine_cachemask_tensor_qparams _functional_assert_async.msg
    _functional_assert_scalar _functional_sym_constrain_range
    _functional_sym_constrain_range_for_size _histogramdd_bin_edges _histogramdd_from_bin_cts
    _histogramdd_from_bin_tensors _log_softmax _log_softmax_backward_data _make_dep_token
    _native_batch_norm_legit _native_batch_norm_legit.no_stats _native_batch_norm_legit_functional
    _native_batch_norm_legit_no_training _pdist_backward _pdist_forward _philox_key_fold_in
    _philox_key_fold_in.Tensor _philox_key_split _philox_normal _philox_uniform _prelu_kernel _print
    _safe_softmax _sample_dirichlet _scaled_dot_product_flash_attention_for_cpu
    _scaled_dot_product_flash_attention_for_cpu_backward _segment_reduce_backward _softmax
    _softmax_backward_data _standard_gamma _trilinear _unique _unique2 _upsample_bicubic2d_aa
    _upsample_bicubic2d_aa_backward _upsample_bilinear2d_aa _upsample_bilinear2d_aa_backward
    _upsample_lanczos2d_aa _upsample_lanczos2d_aa_backward _upsample_nearest_exact1d
    _upsample_nearest_exact1d.vec _upsample_nearest_exact1d_backward _upsample_nearest_exact2d
    _upsample_nearest_exact2d.vec _upsample_nearest_exact2d_backward _upsample_nearest_exact3d
    _upsample_nearest_exact3d.vec _upsample_nearest_exact3d_backward adaptive_avg_pool1d
    adaptive_max_pool2d adaptive_max_pool2d_backward adaptive_max_pool3d
    adaptive_max_pool3d_backward addbmm addmm addmv addr alpha_dropout argsort argsort.stable
    avg_pool1d avg_pool2d avg_pool2d_backward avg_pool3d avg_pool3d_backward baddbmm
    batch_norm_update_stats bernoulli bernoulli.Tensor bernoulli.p bernoulli_.float bincount
    binomial bmm bucketize.Scalar bucketize.Tensor cauchy celu col2im constant_pad_nd convolution
    dist dot dropout elu embedding embedding_dense_backward embedding_renorm exponential
    fake_quantize_per_channel_affine fake_quantize_per_channel_affine_cachemask
    fake_quantize_per_tensor_affine fake_quantize_per_tensor_affine.tensor_qparams
    fake_quantize_per_tensor_affine_cachemask gather gelu geometric grid_sampler_2d grid_sampler_3d
    hardshrink hardsigmoid hardswish histc histogram.bin_ct histogram.bins_tensor im2col index_add
    index_copy index_fill.int_Scalar index_fill.int_Tensor index_reduce index_select
    isin.Scalar_Tensor isin.Tensor_Scalar isin.Tensor_Tensor kthvalue leaky_relu linalg_cross
    linalg_vector_norm log_normal log_sigmoid log_sigmoid_forward max_pool2d_with_indices
    max_pool2d_with_indices_backward max_pool3d_with_indices max_pool3d_with_indices_backward median
    median.dim mish mm mode multilabel_margin_loss_forward multinomial mv nanmedian nanmedian.dim
    native_batch_norm native_dropout native_group_norm native_layer_norm norm.Scalar
    norm.ScalarOpt_dim norm.ScalarOpt_dim_dtype norm.ScalarOpt_dtype normal.Tensor_Tensor
    normal.Tensor_float normal.float_Tensor normal.float_float normal_ normal_functional poisson put
    rand rand_like randint randint.low randint_like randint_like.Tensor randint_like.low_dtype randn
    randn_like random random.from random.to randperm reflection_pad1d reflection_pad1d_backward
    reflection_pad2d reflection_pad2d_backward reflection_pad3d reflection_pad3d_backward relu6
    replication_pad1d replication_pad1d_backward replication_pad2d replication_pad2d_backward
    replication_pad3d replication_pad3d_backward rrelu rrelu_with_noise_functional scatter.reduce
    scatter.src scatter.value scatter.value_reduce scatter_add scatter_reduce.two
    searchsorted.Scalar searchsorted.Tensor segment_reduce selu silu soft_margin_loss softplus
    softshrink sort sort.stable std std.correction std.dim std_mean std_mean.correction std_mean.dim
    sym_constrain_range sym_constrain_range_for_size take threshold topk uniform unique_consecutive
    unique_dim upsample_bicubic2d upsample_bicubic2d.vec upsample_bicubic2d_backward
    upsample_bilinear2d upsample_bilinear2d.vec upsample_bilinear2d_backward upsample_linear1d
    upsample_linear1d.vec upsample_linear1d_backward upsample_nearest1d upsample_nearest1d.vec
    upsample_nearest1d_backward upsample_nearest2d upsample_nearest2d.vec
    upsample_nearest2d_backward upsample_nearest3d upsample_nearest3d.vec
    upsample_nearest3d_backward upsample_trilinear3d upsample_trilinear3d.vec
    upsample_trilinear3d_backward var var.correction var.dim var_mean var_mean.correction
    var_mean.dim quantized_decomposed.dequantize_per_channel.default
    quantized_decomposed.dequantize_per_tensor.default
    quantized_decomposed.dequantize_per_tensor.tensor
    quantized_decomposed.dequantize_per_tensor.tensor2
    quantized_decomposed.quantize_per_channel.default
    quantized_decomposed.quantize_per_tensor.default quantized_decomposed.quantize_per_tensor.tensor
    quantized_decomposed.quantize_per_tensor.tensor2`,
  special: `
    _amp_foreach_non_finite_check_and_unscale _amp_update_scale _convert_indices_from_coo_to_csr
    _convert_indices_from_csr_to_coo _convert_weight_to_int4pack _convert_weight_to_int4pack_for_cpu
    _ctc_loss _ctc_loss_backward _ctc_loss_backward.Tensor _dyn_quant_matmul_4bit
    _fake_quantize_learnable_per_channel_affine_backward
    _fake_quantize_learnable_per_tensor_affine_backward _fft_c2c _fft_c2r _fft_r2c _fused_adagrad
    _fused_adagrad.tensor_lr _fused_adam _fused_adam.tensor_lr _fused_adamw _fused_adamw.tensor_lr
    _fused_moving_avg_obs_fq_helper_functional _fused_sgd _fused_sgd.tensor_lr _grouped_mm
    _jagged_to_padded_dense_forward _linalg_check_errors _linalg_det _linalg_eigh _linalg_slogdet
    _linalg_solve_ex _linalg_svd _padded_dense_to_jagged_forward _prelu_kernel_backward
    _weight_int4pack_mm _weight_int4pack_mm_for_cpu binary_cross_entropy_backward cholesky_inverse
    cholesky_solve convolution_backward diagonal_backward elu_backward fractional_max_pool2d
    fractional_max_pool2d_backward fractional_max_pool3d fractional_max_pool3d_backward
    gelu_backward geqrf grid_sampler_2d_backward grid_sampler_3d_backward hardshrink_backward
    hardsigmoid_backward hardswish_backward hardtanh_backward hash_tensor huber_loss_backward
    leaky_relu_backward linalg_cholesky_ex linalg_eig linalg_householder_product linalg_inv_ex
    linalg_ldl_factor_ex linalg_ldl_solve linalg_lstsq linalg_lu linalg_lu_factor_ex linalg_lu_solve
    linalg_matrix_exp linalg_matrix_sqrth linalg_pinv.atol_rtol_tensor linalg_polar linalg_qr
    linalg_solve_triangular log_sigmoid_backward logit_backward lu_unpack mish_backward
    mse_loss_backward multi_margin_loss_backward multilabel_margin_loss_backward
    native_dropout_backward native_group_norm_backward native_layer_norm_backward
    nll_loss2d_backward nll_loss_backward ormqr select_backward sigmoid_backward silu_backward
    slice_backward smooth_l1_loss_backward soft_margin_loss_backward softplus_backward
    softshrink_backward special_airy_ai special_bessel_j0 special_bessel_j1 special_bessel_y0
    special_bessel_y1 special_chebyshev_polynomial_t special_chebyshev_polynomial_t.n_scalar
    special_chebyshev_polynomial_t.x_scalar special_chebyshev_polynomial_u
    special_chebyshev_polynomial_u.n_scalar special_chebyshev_polynomial_u.x_scalar
    special_chebyshev_polynomial_v special_chebyshev_polynomial_v.n_scalar
    special_chebyshev_polynomial_v.x_scalar special_chebyshev_polynomial_w
    special_chebyshev_polynomial_w.n_scalar special_chebyshev_polynomial_w.x_scalar
    special_hermite_polynomial_h special_hermite_polynomial_h.n_scalar
    special_hermite_polynomial_h.x_scalar special_hermite_polynomial_he
    special_hermite_polynomial_he.n_scalar special_hermite_polynomial_he.x_scalar
    special_laguerre_polynomial_l special_laguerre_polynomial_l.n_scalar
    special_laguerre_polynomial_l.x_scalar special_legendre_polynomial_p
    special_legendre_polynomial_p.n_scalar special_legendre_polynomial_p.x_scalar
    special_modified_bessel_i0 special_modified_bessel_i1 special_modified_bessel_k0
    special_modified_bessel_k1 special_scaled_modified_bessel_k0 special_scaled_modified_bessel_k1
    special_shifted_chebyshev_polynomial_t special_shifted_chebyshev_polynomial_t.n_scalar
    special_shifted_chebyshev_polynomial_t.x_scalar special_shifted_chebyshev_polynomial_u
    special_shifted_chebyshev_polynomial_u.n_scalar special_shifted_chebyshev_polynomial_u.x_scalar
    special_shifted_chebyshev_polynomial_v special_shifted_chebyshev_polynomial_v.n_scalar
    special_shifted_chebyshev_polynomial_v.x_scalar special_shifted_chebyshev_polynomial_w
    special_shifted_chebyshev_polynomial_w.n_scalar special_shifted_chebyshev_polynomial_w.x_scalar
    special_spherical_bessel_j0 tanh_backward threshold_backward triangular_solve unfold_backward`,
} as const;
