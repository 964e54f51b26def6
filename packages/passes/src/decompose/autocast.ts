/** @file Autocast regions become explicit casts (`aten/src/ATen/autocast_mode.cpp`, CPU lists). */
import { FakeTensor } from "@sconce/ir";
import type { Emit, EmitArg } from "@sconce/ops";
import type { DType } from "@sconce/tensor";

export interface AutocastState {
  readonly dtype: DType;
}

const LOWER_PRECISION = new Set([
  "conv1d", "conv2d", "conv3d", "bmm", "mm", "linalg_vecdot", "baddbmm", "addmm", "addbmm", "linear", "_convolution", "matmul",
  "conv_tbc", "mkldnn_rnn_layer", "conv_transpose1d", "conv_transpose2d", "conv_transpose3d", "prelu", "scaled_dot_product_attention",
  "_native_multi_head_attention", "linalg_matmul", "einsum", "convolution",
]);

const FULL_PRECISION = new Set([
  "avg_pool3d", "binary_cross_entropy", "grid_sampler", "polar", "prod", "quantile", "nanquantile", "stft", "cdist", "trace",
  "view_as_complex", "cholesky", "cholesky_inverse", "cholesky_solve", "inverse", "lu_solve", "orgqr", "ormqr", "pinverse",
  "max_pool3d", "max_unpool2d", "max_unpool3d", "adaptive_avg_pool3d", "reflection_pad1d", "reflection_pad2d",
  "replication_pad1d", "replication_pad2d", "replication_pad3d", "mse_loss", "cosine_embedding_loss", "nll_loss", "nll_loss2d",
  "hinge_embedding_loss", "poisson_nll_loss", "smooth_l1_loss", "cross_entropy_loss", "l1_loss", "huber_loss",
  "margin_ranking_loss", "soft_margin_loss", "triplet_margin_loss", "multi_margin_loss", "ctc_loss", "kl_div",
  "multilabel_margin_loss", "binary_cross_entropy_with_logits", "fft_fft", "fft_ifft", "fft_fft2", "fft_ifft2", "fft_fftn",
  "fft_rfft", "fft_irfft", "linalg_cond", "linalg_matrix_rank", "linalg_solve", "linalg_cholesky", "linalg_svdvals",
  "linalg_eigvals", "linalg_inv", "linalg_householder_product", "linalg_tensorinv", "linalg_tensorsolve", "geqrf", "svd", "qr",
  "upsample_nearest1d", "upsample_nearest2d", "upsample_bilinear2d", "upsample_trilinear3d", "upsample_bicubic2d", "upsample_linear1d",
]);

type Kwargs = Readonly<Record<string, EmitArg>>;

/** The call's arguments with the casts that autocast would make. Arguments are cast from the last to the first, as C++ evaluates them. */
export function castForAutocast(
  state: AutocastState,
  target: string,
  args: readonly EmitArg[],
  kwargs: Kwargs,
  emit: Emit,
): { args: readonly EmitArg[]; kwargs: Kwargs } {
  const name = target.split(".")[1] ?? "";
  const dtype = LOWER_PRECISION.has(name) ? state.dtype : FULL_PRECISION.has(name) ? "float32" : undefined;
  if (dtype === undefined) return { args, kwargs };
  const cast = (value: EmitArg): EmitArg => {
    if (Array.isArray(value)) return (value as readonly EmitArg[]).map(cast);
    const eligible = value instanceof FakeTensor && value.dtype !== dtype && value.dtype !== "float64" &&
      (value.dtype === "float32" || value.dtype === "float16" || value.dtype === "bfloat16");
    return eligible ? emit("aten._to_copy.default", [value], { dtype }) : value;
  };
  const result = args.slice();
  for (let i = result.length - 1; i >= 0; i--) result[i] = cast(result[i]);
  return { args: result, kwargs };
}
