/** @file Mixed precision regions: which operators PyTorch's CPU autocast runs in which dtype. */
import { castTensor, type DType, isFloatDType, Tensor } from "@sconce/tensor";
import type { CallArgument } from "./kernel.js";

const LOWER = new Set(
  (
    "conv1d conv2d conv3d bmm mm linalg_vecdot baddbmm addmm addbmm linear matmul conv_tbc conv_transpose1d conv_transpose2d " +
    "conv_transpose3d prelu scaled_dot_product_attention"
  ).split(" "),
);
const FULL = new Set(
  (
    "avg_pool3d binary_cross_entropy grid_sampler polar prod quantile nanquantile stft cdist trace view_as_complex cholesky " +
    "cholesky_inverse cholesky_solve inverse lu_solve orgqr ormqr pinverse max_pool3d max_unpool2d max_unpool3d " +
    "adaptive_avg_pool3d reflection_pad1d reflection_pad2d replication_pad1d replication_pad2d replication_pad3d mse_loss " +
    "cosine_embedding_loss nll_loss nll_loss2d hinge_embedding_loss poisson_nll_loss smooth_l1_loss cross_entropy_loss l1_loss " +
    "huber_loss margin_ranking_loss soft_margin_loss triplet_margin_loss multi_margin_loss ctc_loss kl_div " +
    "multilabel_margin_loss binary_cross_entropy_with_logits fft_fft fft_ifft fft_fft2 fft_rfft fft_irfft linalg_norm " +
    "linalg_matrix_norm linalg_cond linalg_matrix_rank linalg_solve linalg_cholesky linalg_svdvals linalg_eigvals " +
    "linalg_eigvalsh linalg_inv linalg_tensorinv linalg_tensorsolve"
  ).split(" "),
);
const WIDEST = new Set(["stack", "cat", "index_copy"]);

/** Casts the arguments of an operator inside of an autocast region; float64 tensors stay. */
export function autocastArguments(
  target: string,
  args: readonly CallArgument[],
  dtype: DType,
): readonly CallArgument[] {
  const name = target.split(".")[1] ?? "";
  if (LOWER.has(name)) return args.map((arg) => castTo(arg, dtype));
  if (FULL.has(name)) return args.map((arg) => castTo(arg, "float32"));
  if (WIDEST.has(name) && anyTensor(args, (tensor) => tensor.dtype === "float32")) {
    return args.map((arg) => castTo(arg, "float32"));
  }
  return args;
}

function castTo(arg: CallArgument, dtype: DType): CallArgument {
  if (Array.isArray(arg)) return (arg as readonly CallArgument[]).map((item) => castTo(item, dtype));
  if (!(arg instanceof Tensor) || !isFloatDType(arg.dtype) || arg.dtype === "float64") return arg;
  return castTensor(arg, dtype);
}

function anyTensor(args: readonly CallArgument[], test: (tensor: Tensor) => boolean): boolean {
  return args.some((arg) =>
    Array.isArray(arg) ? anyTensor(arg as readonly CallArgument[], test) : arg instanceof Tensor && test(arg),
  );
}
