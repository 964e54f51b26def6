/**
 * @file Mixed precision regions: the operators for which PyTorch's CPU autocast has a kernel
 * (`aten/src/ATen/autocast_mode.cpp`), and the dtype that each runs in.
 */
import type { DType } from "@sconce/tensor";
import { mixedAutocast } from "./errors.js";

/** Names, or `name.overload` where only one overload has a kernel. */
const LOWER = names(
  `_addmm_activation _convolution.deprecated _native_multi_head_attention addbmm addmm baddbmm bmm conv1d conv2d conv3d
   conv_tbc conv_transpose1d conv_transpose2d.input conv_transpose3d.input linalg_vecdot linear matmul mkldnn_rnn_layer mm
   prelu scaled_dot_product_attention`,
);
const FULL = names(
  `_lu_with_info adaptive_avg_pool3d adaptive_max_pool3d avg_pool3d binary_cross_entropy binary_cross_entropy_with_logits
   cdist cholesky_inverse cholesky_solve cosine_embedding_loss cross_entropy_loss ctc_loss fake_quantize_per_tensor_affine
   fft_fft fft_fft2 fft_fftn fft_hfft fft_ifft fft_ifft2 fft_ifftn fft_ihfft fft_irfft fft_irfft2 fft_irfftn fft_rfft
   fft_rfft2 fft_rfftn fractional_max_pool2d fractional_max_pool3d geqrf grid_sampler grid_sampler_2d grid_sampler_3d
   hinge_embedding_loss huber_loss inverse kl_div l1_loss linalg_cholesky linalg_cholesky_ex linalg_cond linalg_eig
   linalg_eigh linalg_eigvals linalg_eigvalsh linalg_householder_product linalg_inv linalg_inv_ex linalg_lstsq
   linalg_matrix_rank linalg_qr linalg_solve linalg_svd linalg_svdvals linalg_tensorinv linalg_tensorsolve lu_solve
   margin_ranking_loss max_pool3d max_unpool2d max_unpool3d mse_loss multi_margin_loss multilabel_margin_loss
   multilabel_margin_loss_forward nanquantile nll_loss nll_loss2d orgqr ormqr pinverse poisson_nll_loss polar prod.default
   prod.dim_int quantile reflection_pad1d reflection_pad2d replication_pad1d replication_pad2d replication_pad3d
   smooth_l1_loss soft_margin_loss stft svd trace triangular_solve triplet_margin_loss view_as_complex`,
);
const WIDEST = names("cat stack index_copy");

function names(text: string): ReadonlySet<string> {
  return new Set(text.split(/\s+/));
}

/**
 * Returns the dtype that an operator's floating-point arguments are cast to inside of an autocast
 * region of `dtype`; undefined for operators that autocast does not know, whose decomposition it
 * still sees.
 *
 * @param target `aten.linear.default`
 * @param tensors dtypes of the tensors among the arguments
 * @throws SconceError `DTYPE_MISMATCH` for tensors that are joined in another narrow dtype
 */
export function autocastDtype(target: string, dtype: DType, tensors: readonly DType[]): DType | undefined {
  const [namespace, name = "", overload = ""] = target.split(".");
  if (namespace !== "aten" || /(^|_)out$/.test(overload)) return undefined;
  const listed = (set: ReadonlySet<string>): boolean => set.has(name) || set.has(`${name}.${overload}`);
  if (listed(LOWER)) return dtype;
  if (listed(FULL)) return "float32";
  return listed(WIDEST) ? widestOf(target, dtype, tensors) : undefined;
}

/** `float32` where there is one; other narrow floats than the region's must come after it. */
function widestOf(target: string, dtype: DType, tensors: readonly DType[]): DType {
  const at = tensors.indexOf("float32");
  const before = at < 0 ? tensors : tensors.slice(0, at);
  const other = before.find((one) => one !== dtype && isAutocastEligible(one));
  if (other !== undefined) throw mixedAutocast(target, dtype, other);
  return at < 0 ? dtype : "float32";
}

/**
 * Returns whether autocast casts tensors of a dtype: float64, integers and complex numbers stay.
 */
export const isAutocastEligible = (dtype: DType): boolean =>
  dtype === "float32" || dtype === "float16" || dtype === "bfloat16";
