/**
 * @file Resizing by nearest neighbors, linear and cubic interpolation, as PyTorch's kernels compute
 * it (`aten/src/ATen/native/cpu/UpSampleKernel.cpp`).
 */
import { type ScaleArgs, upsampleScales } from "@sconce/ops";
import type { DType } from "@sconce/tensor";
import { fixedValue, type Index } from "../../ir/index-expr.js";
import { cast, type Scalar } from "../../ir/scalar.js";
import { cannot, type LoweringCall, outOf, shapeOf } from "../core/call.js";
import type { LazyTensor } from "../core/lazy.js";
import { defineLowerings, lowering } from "../core/lowering.js";
import { computeType } from "../core/numbers.js";
import { made } from "../rules/made.js";
import { blended, cubicTaps, linearTaps, nearestPlaces, type Resizing } from "../rules/resize-taps.js";

/** The arguments of all forms. */
interface ResizeArgs extends ScaleArgs {
  readonly self?: LazyTensor;
  readonly input?: LazyTensor;
  readonly align_corners?: boolean;
}
const imageOf = ({ self, input }: ResizeArgs): LazyTensor => (self ?? input)!;

/** Returns how each spatial dimension is resized. */
function resizingsOf(call: LoweringCall, args: ResizeArgs): Resizing[] {
  const inputs = imageOf(args).shape.slice(2);
  const outputs = shapeOf(outOf(call)).slice(2);
  const scales = upsampleScales(args, inputs.length);
  return inputs.map((size, d) => ({ inputs: size, outputs: outputs[d]!, scale: scales[d] ?? null }));
}
/** Returns whether a volume has its channels last: PyTorch has kernels of their own for these. */
function isChannelsLast(call: LoweringCall): boolean {
  const { shape, strides } = outOf(call);
  return shape.length === 5 && strides[1] === 1 && shape[1] !== 1;
}

const nearest =
  (isExact: boolean) =>
  (args: ResizeArgs, call: LoweringCall): LazyTensor => {
    const image = call.context.many(imageOf(args));
    const resizings = resizingsOf(call, args);
    const channels = fixedValue(image.shape[1]!) ?? 0;
    // Images and volumes of many channels are copied where sizes are equal or doubled.
    const copies = !isExact && (image.shape.length === 4 || (isChannelsLast(call) && channels > 3));
    const places = resizings.map((resizing) => nearestPlaces(call, resizing, { isExact, copies }));
    return made(call, {
      inputs: [image],
      operations: resizings.length,
      element: ([n, channel, ...at]) =>
        image.element([n!, channel!, ...places.map((placeAt, d) => placeAt(at[d]!))]),
    });
  };

/** The elements that are blended along a dimension, and how many these are. */
interface Interpolation {
  readonly taps: typeof linearTaps;
  readonly neighbors: number;
}
const LINEAR: Interpolation = { taps: linearTaps, neighbors: 2 };
const CUBIC: Interpolation = { taps: cubicTaps, neighbors: 4 };

const interpolated =
  (how: Interpolation) =>
  (args: ResizeArgs, call: LoweringCall): LazyTensor => {
    const image = call.context.many(imageOf(args));
    const { dtype } = outOf(call);
    if (dtype === "uint8") return cannot("PyTorch interpolates bytes in fixed point");
    const resizings = resizingsOf(call, args);
    const compute = computeType(dtype);
    const weights: DType = image.shape.length === 4 || isChannelsLast(call) ? compute : dtype;
    const options = { compute, weights, align: args.align_corners === true };
    const taps = resizings.map((resizing) => how.taps(call, resizing, options));
    return made(call, {
      inputs: [image],
      operations: 4 * how.neighbors ** resizings.length,
      element: ([n, channel, ...at]) => {
        const elementAt = (places: readonly Index[]): Scalar =>
          cast(image.element([n!, channel!, ...places]), compute);
        return cast(
          blended(
            taps.map((tapsAt, d) => tapsAt(at[d]!)),
            elementAt,
          ),
          dtype,
        );
      },
    });
  };

/** Resizing by nearest neighbors, by linear interpolation and by cubic convolution. */
export const UPSAMPLES = defineLowerings([
  lowering(
    [
      "aten::upsample_nearest1d(Tensor self, SymInt[1] output_size, float? scales=None) -> Tensor",
      "aten::upsample_nearest2d(Tensor self, SymInt[2] output_size, float? scales_h=None, float? scales_w=None) -> Tensor",
      "aten::upsample_nearest3d(Tensor self, SymInt[3] output_size, float? scales_d=None, float? scales_h=None, float? scales_w=None) -> Tensor",
      "aten::upsample_nearest1d.vec(Tensor input, SymInt[]? output_size, float[]? scale_factors) -> Tensor",
      "aten::upsample_nearest2d.vec(Tensor input, SymInt[]? output_size, float[]? scale_factors) -> Tensor",
      "aten::upsample_nearest3d.vec(Tensor input, SymInt[]? output_size, float[]? scale_factors) -> Tensor",
    ],
    nearest(false),
  ),
  lowering(
    [
      "aten::_upsample_nearest_exact1d(Tensor self, SymInt[1] output_size, float? scales=None) -> Tensor",
      "aten::_upsample_nearest_exact2d(Tensor self, SymInt[2] output_size, float? scales_h=None, float? scales_w=None) -> Tensor",
      "aten::_upsample_nearest_exact3d(Tensor self, SymInt[3] output_size, float? scales_d=None, float? scales_h=None, float? scales_w=None) -> Tensor",
      "aten::_upsample_nearest_exact1d.vec(Tensor input, SymInt[]? output_size, float[]? scale_factors) -> Tensor",
      "aten::_upsample_nearest_exact2d.vec(Tensor input, SymInt[]? output_size, float[]? scale_factors) -> Tensor",
      "aten::_upsample_nearest_exact3d.vec(Tensor input, SymInt[]? output_size, float[]? scale_factors) -> Tensor",
    ],
    nearest(true),
  ),
  lowering(
    [
      "aten::upsample_linear1d(Tensor self, SymInt[1] output_size, bool align_corners, float? scales=None) -> Tensor",
      "aten::upsample_bilinear2d(Tensor self, SymInt[2] output_size, bool align_corners, float? scales_h=None, float? scales_w=None) -> Tensor",
      "aten::upsample_trilinear3d(Tensor self, SymInt[3] output_size, bool align_corners, float? scales_d=None, float? scales_h=None, float? scales_w=None) -> Tensor",
      "aten::upsample_linear1d.vec(Tensor input, SymInt[]? output_size, bool align_corners, float[]? scale_factors) -> Tensor",
      "aten::upsample_bilinear2d.vec(Tensor input, SymInt[]? output_size, bool align_corners, float[]? scale_factors) -> Tensor",
      "aten::upsample_trilinear3d.vec(Tensor input, SymInt[]? output_size, bool align_corners, float[]? scale_factors) -> Tensor",
    ],
    interpolated(LINEAR),
  ),
  lowering(
    [
      "aten::upsample_bicubic2d(Tensor self, SymInt[2] output_size, bool align_corners, float? scales_h=None, float? scales_w=None) -> Tensor",
      "aten::upsample_bicubic2d.vec(Tensor input, SymInt[]? output_size, bool align_corners, float[]? scale_factors) -> Tensor",
    ],
    interpolated(CUBIC),
  ),
]);
