/** @file Layers that move elements: flattening, shuffling, folding, resizing; and distances. */
import { float } from "@sconce/ir";
import type { Tensor } from "@sconce/tensor";
import { callOperator } from "../../trace/dispatch.js";
import { defineLayer, REQUIRED } from "../define-layer.js";
import { functional as F } from "../functional.js";
import { pythonText, type Sizes } from "../settings.js";

type Unary = [input: Tensor];

/** Makes one dimension of several (`torch.nn.Flatten`). */
export const Flatten = defineLayer<
  [],
  [startDim: number, endDim: number],
  { startDim: number; endDim: number },
  Unary,
  Tensor
>({
  name: "Flatten",
  module: "flatten",
  defaults: { startDim: 1, endDim: -1 },
  forward: ({ startDim, endDim }, input) =>
    callOperator("aten.flatten.using_ints", [input, startDim, endDim]) as Tensor,
});

/** Makes several dimensions of one (`torch.nn.Unflatten`). */
export const Unflatten = defineLayer<
  [dim: number, unflattenedSize: readonly number[]],
  [],
  { dim: number; unflattenedSize: readonly number[] },
  Unary,
  Tensor
>({
  name: "Unflatten",
  module: "flatten",
  defaults: { dim: REQUIRED, unflattenedSize: REQUIRED },
  forward: ({ dim, unflattenedSize }, input) =>
    callOperator("aten.unflatten.int", [input, dim, [...unflattenedSize]]) as Tensor,
});

/** Moves channels into the image (`torch.nn.PixelShuffle`). */
export const PixelShuffle = defineLayer<
  [upscaleFactor: number],
  [],
  { upscaleFactor: number },
  Unary,
  Tensor
>({
  name: "PixelShuffle",
  module: "pixelshuffle",
  defaults: { upscaleFactor: REQUIRED },
  forward: ({ upscaleFactor }, input) => F.pixelShuffle(input, upscaleFactor),
});

/** Moves pixels into channels (`torch.nn.PixelUnshuffle`). */
export const PixelUnshuffle = defineLayer<
  [downscaleFactor: number],
  [],
  { downscaleFactor: number },
  Unary,
  Tensor
>({
  name: "PixelUnshuffle",
  module: "pixelshuffle",
  defaults: { downscaleFactor: REQUIRED },
  forward: ({ downscaleFactor }, input) => F.pixelUnshuffle(input, downscaleFactor),
});

/** Mixes the channels of groups (`torch.nn.ChannelShuffle`). */
export const ChannelShuffle = defineLayer<[groups: number], [], { groups: number }, Unary, Tensor>({
  name: "ChannelShuffle",
  module: "channelshuffle",
  defaults: { groups: REQUIRED },
  forward: ({ groups }, input) => F.channelShuffle(input, groups),
});

interface FoldValues {
  outputSize: Sizes;
  kernelSize: Sizes;
  dilation: Sizes;
  padding: Sizes;
  stride: Sizes;
}

/** Adds up sliding windows to an image (`torch.nn.Fold`). */
export const Fold = defineLayer<
  [outputSize: Sizes, kernelSize: Sizes],
  [dilation: Sizes, padding: Sizes, stride: Sizes],
  FoldValues,
  Unary,
  Tensor
>({
  name: "Fold",
  module: "fold",
  defaults: { outputSize: REQUIRED, kernelSize: REQUIRED, dilation: 1, padding: 0, stride: 1 },
  forward: ({ outputSize, kernelSize, dilation, padding, stride }, input) =>
    F.fold(input, outputSize, kernelSize, dilation, padding, stride),
});

/** Takes sliding windows out of an image (`torch.nn.Unfold`). */
export const Unfold = defineLayer<
  [kernelSize: Sizes],
  [dilation: Sizes, padding: Sizes, stride: Sizes],
  Omit<FoldValues, "outputSize">,
  Unary,
  Tensor
>({
  name: "Unfold",
  module: "fold",
  defaults: { kernelSize: REQUIRED, dilation: 1, padding: 0, stride: 1 },
  forward: ({ kernelSize, dilation, padding, stride }, input) =>
    F.unfold(input, kernelSize, dilation, padding, stride),
});

/** How an image is resized. */
export type UpsampleMode =
  | "nearest"
  | "linear"
  | "bilinear"
  | "bicubic"
  | "trilinear"
  | "nearest-exact"
  | "area";

interface UpsampleValues {
  size: Sizes | null;
  scaleFactor: Sizes | null;
  mode: UpsampleMode;
  alignCorners: boolean | null;
  recomputeScaleFactor: boolean | null;
}

/** Resizes sequences, images and volumes (`torch.nn.Upsample`). */
export const Upsample = defineLayer<
  [],
  [
    size: Sizes | null,
    scaleFactor: Sizes | null,
    mode: UpsampleMode,
    alignCorners: boolean | null,
    recomputeScaleFactor: boolean | null,
  ],
  UpsampleValues,
  Unary,
  Tensor
>({
  name: "Upsample",
  module: "upsampling",
  defaults: {
    size: null,
    scaleFactor: null,
    mode: "nearest",
    alignCorners: null,
    recomputeScaleFactor: null,
  },
  forward: ({ size, scaleFactor, mode, alignCorners, recomputeScaleFactor }, input) =>
    F.interpolate(input, { size, scaleFactor, mode, alignCorners, recomputeScaleFactor }),
  text: ({ size, scaleFactor, mode }) => {
    const amount =
      scaleFactor === null ? `size=${pythonText(size)}` : `scale_factor=${floatsText(scaleFactor)}`;
    return `${amount}, mode='${mode}'`;
  },
});

/** Factors, which PyTorch makes floats. */
const floatsText = (value: Sizes): string =>
  pythonText(typeof value === "number" ? float(value) : value.map((factor) => float(factor)));

const upsampling2d = (name: string, mode: UpsampleMode, alignCorners: boolean | null) =>
  defineLayer<
    [],
    [size: Sizes | null, scaleFactor: Sizes | null],
    { size: Sizes | null; scaleFactor: Sizes | null },
    Unary,
    Tensor
  >({
    name,
    module: "upsampling",
    defaults: { size: null, scaleFactor: null },
    forward: ({ size, scaleFactor }, input) =>
      F.interpolate(input, { size, scaleFactor, mode, alignCorners }),
    text: ({ size, scaleFactor }) =>
      `${scaleFactor === null ? `size=${pythonText(size)}` : `scale_factor=${floatsText(scaleFactor)}`}, mode='${mode}'`,
  });

/** Repeats pixels (`torch.nn.UpsamplingNearest2d`). */
export const UpsamplingNearest2d = upsampling2d("UpsamplingNearest2d", "nearest", null);
/** Interpolates between pixels, corners aligned (`torch.nn.UpsamplingBilinear2d`). */
export const UpsamplingBilinear2d = upsampling2d("UpsamplingBilinear2d", "bilinear", true);

/** The norm of the differences of pairs (`torch.nn.PairwiseDistance`). */
export const PairwiseDistance = defineLayer<
  [],
  [p: number, eps: number, keepdim: boolean],
  { p: number; eps: number; keepdim: boolean },
  [x1: Tensor, x2: Tensor],
  Tensor
>({
  name: "PairwiseDistance",
  module: "distance",
  defaults: { p: 2, eps: 1e-6, keepdim: false },
  forward: ({ p, eps, keepdim }, x1, x2) => F.pairwiseDistance(x1, x2, p, eps, keepdim),
  text: () => "",
});

/** The cosine of the angles between pairs (`torch.nn.CosineSimilarity`). */
export const CosineSimilarity = defineLayer<
  [],
  [dim: number, eps: number],
  { dim: number; eps: number },
  [x1: Tensor, x2: Tensor],
  Tensor
>({
  name: "CosineSimilarity",
  module: "distance",
  defaults: { dim: 1, eps: 1e-8 },
  forward: ({ dim, eps }, x1, x2) => F.cosineSimilarity(x1, x2, dim, eps),
  text: () => "",
});

/** A layer of {@link Flatten}. */
export type Flatten = InstanceType<typeof Flatten>;
/** A layer of {@link Unflatten}. */
export type Unflatten = InstanceType<typeof Unflatten>;
/** A layer of {@link PixelShuffle}. */
export type PixelShuffle = InstanceType<typeof PixelShuffle>;
/** A layer of {@link PixelUnshuffle}. */
export type PixelUnshuffle = InstanceType<typeof PixelUnshuffle>;
/** A layer of {@link ChannelShuffle}. */
export type ChannelShuffle = InstanceType<typeof ChannelShuffle>;
/** A layer of {@link Fold}. */
export type Fold = InstanceType<typeof Fold>;
/** A layer of {@link Unfold}. */
export type Unfold = InstanceType<typeof Unfold>;
/** A layer of {@link Upsample}. */
export type Upsample = InstanceType<typeof Upsample>;
/** A layer of {@link UpsamplingNearest2d}. */
export type UpsamplingNearest2d = InstanceType<typeof UpsamplingNearest2d>;
/** A layer of {@link UpsamplingBilinear2d}. */
export type UpsamplingBilinear2d = InstanceType<typeof UpsamplingBilinear2d>;
/** A layer of {@link PairwiseDistance}. */
export type PairwiseDistance = InstanceType<typeof PairwiseDistance>;
/** A layer of {@link CosineSimilarity}. */
export type CosineSimilarity = InstanceType<typeof CosineSimilarity>;
