/**
 * @file Resampling: each dimension is a sparse matrix of one, two or four taps. They are applied
 * (or transposed) one after another.
 */

import { type ScaleArgs, upsampleScales } from "@sconce/ops";
import { numel, type Tensor } from "@sconce/tensor";
import { finishOutput, readFloat64 } from "../kernel/dense.js";
import { roundTo } from "../kernel/half.js";
import { defineKernels, emptyOutput, type Kernel, type KernelContext, kernel } from "../kernel/kernel.js";
import { scratch } from "../kernel/scratch.js";
import { byteTaps, type Mode, type Taps, tapsOf, type WideMode, wideTaps } from "./upsample-taps.js";

/** Applies taps along a dimension of size `taps.inputs`, with `inner` elements after it. */
function applyTaps(
  x: Float64Array,
  { inputs, outputs, width, index, weight, isPadded = false }: Taps,
  inner: number,
): Float64Array {
  const outer = x.length / (inputs * inner);
  const y = scratch(Float64Array, outer * outputs * inner);
  for (let n = 0; n < outer; n++) {
    for (let o = 0; o < outputs; o++) {
      const to = (n * outputs + o) * inner;
      let isFirst = true;
      for (let t = 0; t < width; t++) {
        const factor = weight[o * width + t]!;
        if (isPadded && factor === 0) continue;
        const from = (n * inputs + index[o * width + t]!) * inner;
        // A sum of nothing would take the sign of a zero away.
        if (isFirst) for (let i = 0; i < inner; i++) y[to + i] = factor * x[from + i]!;
        else for (let i = 0; i < inner; i++) y[to + i]! += factor * x[from + i]!;
        isFirst = false;
      }
    }
  }
  return y;
}

/** {@link applyTaps} in the integers that PyTorch resamples bytes with. */
function applyByteTaps(x: Float64Array, taps: Taps, inner: number): Float64Array {
  const { precision, ...scaled } = byteTaps(taps);
  const one = 2 ** precision;
  return applyTaps(x, scaled, inner).map((sum) =>
    Math.min(255, Math.max(0, Math.floor((sum + one / 2) / one))),
  );
}

/** Returns whether a tensor is a volume with channels last, which has its own kernels. */
const isChannelsLast = ({ ndim, strides, shape }: Tensor): boolean =>
  ndim === 5 && strides[1] === 1 && shape[1]! > 1;

/**
 * Kernels of nearest neighbors that copy equal and doubled lengths: those of images, and of vectors
 * of channels.
 */
const copiesWhole = (source: Tensor, backward: boolean): boolean =>
  backward || source.ndim === 4 || (isChannelsLast(source) && source.shape[1]! > 3);

/**
 * Lines and volumes keep their weights in halves (`upsample_generic_Nd_kernel_impl`); images, and
 * volumes with channels last, have kernels that do not.
 */
function weightRounding(source: Tensor): ((x: number) => number) | undefined {
  const half = source.dtype === "float16" || source.dtype === "bfloat16";
  return half && source.ndim !== 4 && !isChannelsLast(source) ? roundTo(source.dtype) : undefined;
}

/** Applies the transpose of {@link applyTaps}: gradients of outputs to gradients of inputs. */
function applyTransposed(
  g: Float64Array,
  { inputs, outputs, width, index, weight }: Taps,
  inner: number,
): Float64Array {
  const outer = g.length / (outputs * inner);
  const y = scratch(Float64Array, outer * inputs * inner);
  for (let n = 0; n < outer; n++) {
    for (let o = 0; o < outputs; o++) {
      const from = (n * outputs + o) * inner;
      for (let t = 0; t < width; t++) {
        const factor = weight[o * width + t]!;
        const to = (n * inputs + index[o * width + t]!) * inner;
        for (let i = 0; i < inner; i++) y[to + i]! += factor * g[from + i]!;
      }
    }
  }
  return y;
}

interface UpsampleArgs extends ScaleArgs {
  readonly self?: Tensor;
  readonly input?: Tensor;
  readonly grad_output?: Tensor;
  readonly align_corners?: boolean;
}

function upsample(mode: Mode, args: UpsampleArgs, context: KernelContext): Tensor {
  const out = emptyOutput(context);
  const source = (args.grad_output ?? args.self ?? args.input)!;
  const backward = args.grad_output !== undefined;
  const rank = source.ndim - 2;
  const bytes = out.dtype === "uint8";
  const exact = source.dtype === "float64" || bytes;
  const how = {
    mode,
    align: args.align_corners ?? false,
    round: exact ? (x: number) => x : Math.fround,
    roundWeight: backward ? undefined : weightRounding(source),
    copiesWhole: mode === "nearest" && copiesWhole(source, backward),
  };
  const scales = upsampleScales(args, rank);
  const shape = source.shape.slice();
  let values = readFloat64(source);
  if (out.numel === 0) return out;
  const keepsSizes = source.shape.every((size, d) => size === out.shape[d]);
  if (backward && mode === "cubic" && keepsSizes) return finishOutput(out, values);
  // The last dimension first, as PyTorch does: it matters for bytes, which are rounded after each.
  for (let d = rank - 1; d >= 0; d--) {
    const [from, to] = [source.shape[d + 2]!, out.shape[d + 2]!];
    // A dimension of bytes that keeps its size is copied, whatever scale is given.
    if (bytes && (mode === "linear" || mode === "cubic") && from === to) continue;
    const taps = backward ? tapsOf(to, from, scales[d]!, how) : tapsOf(from, to, scales[d]!, how);
    const inner = numel(shape.slice(d + 3));
    if (backward) values = applyTransposed(values, taps, inner);
    else
      values =
        bytes && mode !== "nearest" ? applyByteTaps(values, taps, inner) : applyTaps(values, taps, inner);
    shape[d + 2] = to;
  }
  return finishOutput(out, values);
}

function upsampleWide(mode: WideMode, args: UpsampleArgs & { self: Tensor }, context: KernelContext): Tensor {
  const out = emptyOutput(context);
  const scales = upsampleScales(args, 2);
  const shape = args.self.shape.slice();
  const bytes = out.dtype === "uint8";
  let values = readFloat64(args.self);
  for (const d of [3, 2]) {
    // A dimension that keeps its size is copied, whatever scale is given.
    if (shape[d] === out.shape[d]) continue;
    const taps = wideTaps(shape[d]!, out.shape[d]!, scales[d - 2]!, args.align_corners ?? false, mode);
    values = (bytes ? applyByteTaps : applyTaps)(values, taps, numel(shape.slice(d + 1)));
    shape[d] = out.shape[d]!;
    if (d === 2 && !bytes && isColumn(out)) repeatFirst(values, shape[2]!);
  }
  return finishOutput(out, values);
}

/**
 * Returns whether an image has one column and does not lie by channels. PyTorch's loop over the
 * rows of such an image reads the weights of the first one for all (`cpu_upsample_generic_aa`,
 * UpSampleKernel.cpp).
 */
const isColumn = ({ shape, strides }: Tensor): boolean =>
  shape[3] === 1 && !(shape[1]! > 1 && strides[1] === 1);

function repeatFirst(values: Float64Array, rows: number): void {
  for (let at = 0; at < values.length; at += rows) values.fill(values[at]!, at, at + rows);
}

const wideKernel =
  (mode: WideMode): Kernel<UpsampleArgs & { readonly self: Tensor }> =>
  (args, context) =>
    upsampleWide(mode, args, context);

interface WideBackwardArgs extends UpsampleArgs {
  readonly grad_output: Tensor;
  readonly input_size: readonly number[];
}

/** Returns the gradient of an antialiased resize: the same taps, from the output to the input. */
const wideBackward =
  (mode: WideMode): Kernel<WideBackwardArgs> =>
  (args, context) => {
    const out = emptyOutput(context);
    const scales = upsampleScales(args, 2);
    const shape = args.grad_output.shape.slice();
    let values = readFloat64(args.grad_output);
    for (const d of [2, 3]) {
      if (shape[d] === out.shape[d]) continue;
      const taps = wideTaps(out.shape[d]!, shape[d]!, scales[d - 2]!, args.align_corners ?? false, mode);
      values = applyTransposed(values, taps, numel(shape.slice(d + 1)));
      shape[d] = out.shape[d]!;
    }
    return finishOutput(out, values);
  };

const upsampleKernel =
  (mode: Mode): Kernel<UpsampleArgs> =>
  (args, context) =>
    upsample(mode, args, context);

export const upsampleKernels = defineKernels([
  kernel(
    [
      "aten::upsample_nearest1d(Tensor self, SymInt[1] output_size, float? scales=None) -> Tensor",
      "aten::upsample_nearest2d(Tensor self, SymInt[2] output_size, float? scales_h=None, float? scales_w=None) -> Tensor",
      "aten::upsample_nearest3d(Tensor self, SymInt[3] output_size, float? scales_d=None, float? scales_h=None, float? scales_w=None) -> Tensor",
      "aten::upsample_nearest1d.vec(Tensor input, SymInt[]? output_size, float[]? scale_factors) -> Tensor",
      "aten::upsample_nearest2d.vec(Tensor input, SymInt[]? output_size, float[]? scale_factors) -> Tensor",
      "aten::upsample_nearest3d.vec(Tensor input, SymInt[]? output_size, float[]? scale_factors) -> Tensor",
      "aten::upsample_nearest1d_backward(Tensor grad_output, SymInt[1] output_size, SymInt[3] input_size, float? scales=None) -> Tensor",
      "aten::upsample_nearest2d_backward(Tensor grad_output, SymInt[2] output_size, SymInt[4] input_size, float? scales_h=None, float? scales_w=None) -> Tensor",
      "aten::upsample_nearest3d_backward(Tensor grad_output, SymInt[3] output_size, SymInt[5] input_size, float? scales_d=None, float? scales_h=None, float? scales_w=None) -> Tensor",
    ],
    upsampleKernel("nearest"),
  ),
  kernel(
    [
      "aten::_upsample_nearest_exact1d(Tensor self, SymInt[1] output_size, float? scales=None) -> Tensor",
      "aten::_upsample_nearest_exact2d(Tensor self, SymInt[2] output_size, float? scales_h=None, float? scales_w=None) -> Tensor",
      "aten::_upsample_nearest_exact3d(Tensor self, SymInt[3] output_size, float? scales_d=None, float? scales_h=None, float? scales_w=None) -> Tensor",
      "aten::_upsample_nearest_exact1d.vec(Tensor input, SymInt[]? output_size, float[]? scale_factors) -> Tensor",
      "aten::_upsample_nearest_exact2d.vec(Tensor input, SymInt[]? output_size, float[]? scale_factors) -> Tensor",
      "aten::_upsample_nearest_exact3d.vec(Tensor input, SymInt[]? output_size, float[]? scale_factors) -> Tensor",
      "aten::_upsample_nearest_exact1d_backward(Tensor grad_output, SymInt[1] output_size, SymInt[3] input_size, float? scales=None) -> Tensor",
      "aten::_upsample_nearest_exact2d_backward(Tensor grad_output, SymInt[2] output_size, SymInt[4] input_size, float? scales_h=None, float? scales_w=None) -> Tensor",
      "aten::_upsample_nearest_exact3d_backward(Tensor grad_output, SymInt[3] output_size, SymInt[5] input_size, float? scales_d=None, float? scales_h=None, float? scales_w=None) -> Tensor",
    ],
    upsampleKernel("nearest-exact"),
  ),
  kernel(
    [
      "aten::upsample_linear1d(Tensor self, SymInt[1] output_size, bool align_corners, float? scales=None) -> Tensor",
      "aten::upsample_bilinear2d(Tensor self, SymInt[2] output_size, bool align_corners, float? scales_h=None, float? scales_w=None) -> Tensor",
      "aten::upsample_trilinear3d(Tensor self, SymInt[3] output_size, bool align_corners, float? scales_d=None, float? scales_h=None, float? scales_w=None) -> Tensor",
      "aten::upsample_linear1d.vec(Tensor input, SymInt[]? output_size, bool align_corners, float[]? scale_factors) -> Tensor",
      "aten::upsample_bilinear2d.vec(Tensor input, SymInt[]? output_size, bool align_corners, float[]? scale_factors) -> Tensor",
      "aten::upsample_trilinear3d.vec(Tensor input, SymInt[]? output_size, bool align_corners, float[]? scale_factors) -> Tensor",
      "aten::upsample_linear1d_backward(Tensor grad_output, SymInt[1] output_size, SymInt[3] input_size, bool align_corners, float? scales=None) -> Tensor",
      "aten::upsample_bilinear2d_backward(Tensor grad_output, SymInt[2] output_size, SymInt[4] input_size, bool align_corners, float? scales_h=None, float? scales_w=None) -> Tensor",
      "aten::upsample_trilinear3d_backward(Tensor grad_output, SymInt[3] output_size, SymInt[5] input_size, bool align_corners, float? scales_d=None, float? scales_h=None, float? scales_w=None) -> Tensor",
    ],
    upsampleKernel("linear"),
  ),
  kernel(
    [
      "aten::upsample_bicubic2d(Tensor self, SymInt[2] output_size, bool align_corners, float? scales_h=None, float? scales_w=None) -> Tensor",
      "aten::upsample_bicubic2d.vec(Tensor input, SymInt[]? output_size, bool align_corners, float[]? scale_factors) -> Tensor",
      "aten::upsample_bicubic2d_backward(Tensor grad_output, SymInt[2] output_size, SymInt[4] input_size, bool align_corners, float? scales_h=None, float? scales_w=None) -> Tensor",
    ],
    upsampleKernel("cubic"),
  ),
  kernel(
    "aten::_upsample_bilinear2d_aa(Tensor self, SymInt[2] output_size, bool align_corners, float? scales_h=None, float? scales_w=None) -> Tensor",
    wideKernel("linear"),
  ),
  kernel(
    "aten::_upsample_bicubic2d_aa(Tensor self, SymInt[2] output_size, bool align_corners, float? scales_h=None, float? scales_w=None) -> Tensor",
    wideKernel("cubic"),
  ),
  kernel(
    "aten::_upsample_lanczos2d_aa(Tensor self, SymInt[2] output_size, bool align_corners, float? scales_h=None, float? scales_w=None) -> Tensor",
    wideKernel("lanczos"),
  ),
  kernel(
    "aten::_upsample_bilinear2d_aa_backward(Tensor grad_output, SymInt[2] output_size, SymInt[4] input_size, bool align_corners, float? scales_h=None, float? scales_w=None) -> Tensor",
    wideBackward("linear"),
  ),
  kernel(
    "aten::_upsample_bicubic2d_aa_backward(Tensor grad_output, SymInt[2] output_size, SymInt[4] input_size, bool align_corners, float? scales_h=None, float? scales_w=None) -> Tensor",
    wideBackward("cubic"),
  ),
  kernel(
    "aten::_upsample_lanczos2d_aa_backward(Tensor grad_output, SymInt[2] output_size, SymInt[4] input_size, bool align_corners, float? scales_h=None, float? scales_w=None) -> Tensor",
    wideBackward("lanczos"),
  ),
]);
