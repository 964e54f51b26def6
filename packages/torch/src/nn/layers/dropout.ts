/** @file Dropout. */
import type { Tensor } from "@sconce/tensor";
import { defineLayer } from "../define-layer.js";
import { functional as F } from "../functional.js";

type DropoutValues = { p: number; inplace: boolean };

const dropoutLayer = (
  name: string,
  forward: (input: Tensor, p: number, training: boolean, inplace: boolean) => Tensor,
) =>
  defineLayer<[], [p: number, inplace: boolean], DropoutValues, [input: Tensor], Tensor>({
    name,
    module: "dropout",
    defaults: { p: 0.5, inplace: false },
    forward: ({ p, training, inplace }, input) => forward(input, p, training, inplace),
  });

/** Sets elements to 0 at random in training (`torch.nn.Dropout`). */
export const Dropout = dropoutLayer("Dropout", F.dropout);
/** Sets channels of sequences to 0 at random in training (`torch.nn.Dropout1d`). */
export const Dropout1d = dropoutLayer("Dropout1d", F.dropout1d);
/** Sets channels of images to 0 at random in training (`torch.nn.Dropout2d`). */
export const Dropout2d = dropoutLayer("Dropout2d", F.dropout2d);
/** Sets channels of volumes to 0 at random in training (`torch.nn.Dropout3d`). */
export const Dropout3d = dropoutLayer("Dropout3d", F.dropout3d);
/** Dropout that keeps mean and variance, for SELU (`torch.nn.AlphaDropout`). */
export const AlphaDropout = dropoutLayer("AlphaDropout", (input, p, training) =>
  F.alphaDropout(input, p, training),
);
/** Alpha dropout of whole channels (`torch.nn.FeatureAlphaDropout`). */
export const FeatureAlphaDropout = dropoutLayer("FeatureAlphaDropout", (input, p, training) =>
  F.featureAlphaDropout(input, p, training),
);

/** A layer of {@link Dropout}. */
export type Dropout = InstanceType<typeof Dropout>;
/** A layer of {@link Dropout1d}. */
export type Dropout1d = InstanceType<typeof Dropout1d>;
/** A layer of {@link Dropout2d}. */
export type Dropout2d = InstanceType<typeof Dropout2d>;
/** A layer of {@link Dropout3d}. */
export type Dropout3d = InstanceType<typeof Dropout3d>;
/** A layer of {@link AlphaDropout}. */
export type AlphaDropout = InstanceType<typeof AlphaDropout>;
/** A layer of {@link FeatureAlphaDropout}. */
export type FeatureAlphaDropout = InstanceType<typeof FeatureAlphaDropout>;
