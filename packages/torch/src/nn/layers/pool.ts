/** @file Pooling. */
import { float } from "@sconce/ir";
import type { Tensor } from "@sconce/tensor";
import { defineLayer, REQUIRED, type SettingLayer } from "../define-layer.js";
import { badSettings } from "../errors.js";
import { functional as F } from "../functional.js";
import { pythonText, type Settings, type Sizes, sizesOf } from "../settings.js";

type Unary = [input: Tensor];
/** The pooled values, and the places that they come from where `returnIndices` is set. */
type Pooled<R extends boolean> = R extends true ? readonly [values: Tensor, indices: Tensor] : Tensor;

/** The settings of a layer, with whether it also gives places. */
type WithIndices<Values, R extends boolean> = Omit<Values, "returnIndices"> & { readonly returnIndices?: R };

/** A layer whose result depends on `returnIndices`. */
type PoolLayer<R extends boolean, Values extends object> = SettingLayer<Unary, Pooled<R>> & Readonly<Values>;

/** The class of a layer whose result depends on `returnIndices`. */
interface PoolClass<
  Size,
  Before extends readonly unknown[],
  After extends readonly unknown[],
  Values extends object,
> {
  new <R extends boolean = false>(
    size: Size,
    ...rest: Settings<[...Before, returnIndices: R, ...After], WithIndices<Partial<Values>, R>>
  ): PoolLayer<R, Values>;
  readonly torchClass: string | undefined;
}

interface MaxPoolValues {
  kernelSize: Sizes;
  stride: Sizes | null;
  padding: Sizes;
  dilation: Sizes;
  returnIndices: boolean;
  ceilMode: boolean;
}

type MaxPoolPositions = [
  stride: Sizes | null,
  padding: Sizes,
  dilation: Sizes,
  returnIndices: boolean,
  ceilMode: boolean,
];

type MaxPool = (
  input: Tensor,
  kernelSize: Sizes,
  stride: Sizes | undefined,
  padding: Sizes,
  dilation: Sizes,
  ceilMode: boolean,
  returnIndices: boolean,
) => unknown;

type MaxPoolClass = PoolClass<
  Sizes,
  [stride: Sizes | null, padding: Sizes, dilation: Sizes],
  [ceilMode: boolean],
  MaxPoolValues
>;

const maxPoolLayer = (name: string, forward: MaxPool): MaxPoolClass =>
  defineLayer<[kernelSize: Sizes], MaxPoolPositions, MaxPoolValues, Unary, never>({
    name,
    module: "pooling",
    defaults: {
      kernelSize: REQUIRED,
      stride: null,
      padding: 0,
      dilation: 1,
      returnIndices: false,
      ceilMode: false,
    },
    // PyTorch's stride is the window's size where none is given.
    forward: ({ kernelSize, stride, padding, dilation, ceilMode, returnIndices }, input) =>
      forward(input, kernelSize, stride ?? kernelSize, padding, dilation, ceilMode, returnIndices) as never,
    text: ({ kernelSize, stride, padding, dilation, ceilMode }) =>
      `kernel_size=${pythonText(kernelSize)}, stride=${pythonText(stride ?? kernelSize)}, padding=${pythonText(padding)}, dilation=${pythonText(dilation)}, ceil_mode=${pythonText(ceilMode)}`,
  });

/** The greatest value of each window of a sequence (`torch.nn.MaxPool1d`). */
export const MaxPool1d = maxPoolLayer("MaxPool1d", F.maxPool1d);
/** The greatest value of each window of an image (`torch.nn.MaxPool2d`). */
export const MaxPool2d = maxPoolLayer("MaxPool2d", F.maxPool2d);
/** The greatest value of each window of a volume (`torch.nn.MaxPool3d`). */
export const MaxPool3d = maxPoolLayer("MaxPool3d", F.maxPool3d);

interface WindowValues {
  kernelSize: Sizes;
  stride: Sizes | null;
  padding: Sizes;
}

const windowText = ({ kernelSize, stride, padding }: WindowValues): string =>
  `kernel_size=${pythonText(kernelSize)}, stride=${pythonText(stride ?? kernelSize)}, padding=${pythonText(padding)}`;

interface AvgPoolValues extends WindowValues {
  ceilMode: boolean;
  countIncludePad: boolean;
  divisorOverride: number | null;
}

type AvgPoolPositions = [
  stride: Sizes | null,
  padding: Sizes,
  ceilMode: boolean,
  countIncludePad: boolean,
  divisorOverride: number | null,
];

const AVG = {
  kernelSize: REQUIRED,
  stride: null,
  padding: 0,
  ceilMode: false,
  countIncludePad: true,
} as const;

type AvgPool = (
  input: Tensor,
  kernelSize: Sizes,
  stride: Sizes,
  padding: Sizes,
  ceilMode: boolean,
  countIncludePad: boolean,
  divisorOverride: number | null,
) => Tensor;

const avgPoolLayer = (name: string, forward: AvgPool) =>
  defineLayer<[kernelSize: Sizes], AvgPoolPositions, AvgPoolValues, Unary, Tensor>({
    name,
    module: "pooling",
    defaults: { ...AVG, divisorOverride: null },
    forward: ({ kernelSize, stride, padding, ceilMode, countIncludePad, divisorOverride }, input) =>
      forward(input, kernelSize, stride ?? kernelSize, padding, ceilMode, countIncludePad, divisorOverride),
    text: windowText,
  });

/** The mean of each window of a sequence (`torch.nn.AvgPool1d`). */
export const AvgPool1d = defineLayer<
  [kernelSize: Sizes],
  [stride: Sizes | null, padding: Sizes, ceilMode: boolean, countIncludePad: boolean],
  Omit<AvgPoolValues, "divisorOverride">,
  Unary,
  Tensor
>({
  name: "AvgPool1d",
  module: "pooling",
  defaults: AVG,
  // The one-dimensional layer has tuples of one for its sizes.
  forward: ({ kernelSize, stride, padding, ceilMode, countIncludePad }, input) =>
    F.avgPool1d(input, one(kernelSize), one(stride ?? kernelSize), one(padding), ceilMode, countIncludePad),
  text: ({ kernelSize, stride, padding }) =>
    windowText({ kernelSize: one(kernelSize), stride: one(stride ?? kernelSize), padding: one(padding) }),
});

const one = (size: Sizes): readonly number[] => (typeof size === "number" ? [size] : size);

/** The mean of each window of an image (`torch.nn.AvgPool2d`). */
export const AvgPool2d = avgPoolLayer("AvgPool2d", F.avgPool2d);
/** The mean of each window of a volume (`torch.nn.AvgPool3d`). */
export const AvgPool3d = avgPoolLayer("AvgPool3d", F.avgPool3d);

type OutputSize = number | null | readonly (number | null)[];

const adaptiveAvgLayer = (name: string, forward: (input: Tensor, outputSize: OutputSize) => Tensor) =>
  defineLayer<[outputSize: OutputSize], [], { outputSize: OutputSize }, Unary, Tensor>({
    name,
    module: "pooling",
    defaults: { outputSize: REQUIRED },
    forward: ({ outputSize }, input) => forward(input, outputSize),
  });

/** Means over as many windows as the result has elements (`torch.nn.AdaptiveAvgPool1d`). */
export const AdaptiveAvgPool1d = adaptiveAvgLayer("AdaptiveAvgPool1d", (input, outputSize) =>
  F.adaptiveAvgPool1d(input, outputSize as Sizes),
);
/** Means over as many windows as the result has elements (`torch.nn.AdaptiveAvgPool2d`). */
export const AdaptiveAvgPool2d = adaptiveAvgLayer("AdaptiveAvgPool2d", F.adaptiveAvgPool2d);
/** Means over as many windows as the result has elements (`torch.nn.AdaptiveAvgPool3d`). */
export const AdaptiveAvgPool3d = adaptiveAvgLayer("AdaptiveAvgPool3d", F.adaptiveAvgPool3d);

interface AdaptiveMaxValues {
  outputSize: OutputSize;
  returnIndices: boolean;
}

const adaptiveMaxLayer = (
  name: string,
  forward: (input: Tensor, outputSize: OutputSize, returnIndices: boolean) => unknown,
): PoolClass<OutputSize, [], [], AdaptiveMaxValues> =>
  defineLayer<[outputSize: OutputSize], [returnIndices: boolean], AdaptiveMaxValues, Unary, never>({
    name,
    module: "pooling",
    defaults: { outputSize: REQUIRED, returnIndices: false },
    forward: ({ outputSize, returnIndices }, input) => forward(input, outputSize, returnIndices) as never,
    text: ({ outputSize }) => `output_size=${pythonText(outputSize)}`,
  });

/** The greatest values of as many windows as the result has (`torch.nn.AdaptiveMaxPool1d`). */
export const AdaptiveMaxPool1d = adaptiveMaxLayer("AdaptiveMaxPool1d", F.adaptiveMaxPool1d);
/** The greatest values of as many windows as the result has (`torch.nn.AdaptiveMaxPool2d`). */
export const AdaptiveMaxPool2d = adaptiveMaxLayer("AdaptiveMaxPool2d", F.adaptiveMaxPool2d);
/** The greatest values of as many windows as the result has (`torch.nn.AdaptiveMaxPool3d`). */
export const AdaptiveMaxPool3d = adaptiveMaxLayer("AdaptiveMaxPool3d", F.adaptiveMaxPool3d);

type Unpool = (
  input: Tensor,
  indices: Tensor,
  kernelSize: Sizes,
  stride: Sizes,
  padding: Sizes,
  outputSize?: readonly number[],
) => Tensor;

const maxUnpoolLayer = (name: string, dims: number, forward: Unpool) =>
  defineLayer<
    [kernelSize: Sizes],
    [stride: Sizes | null, padding: Sizes],
    WindowValues,
    [input: Tensor, indices: Tensor, outputSize?: readonly number[]],
    Tensor
  >({
    name,
    module: "pooling",
    defaults: { kernelSize: REQUIRED, stride: null, padding: 0 },
    forward: ({ kernelSize, stride, padding }, input, indices, outputSize) =>
      forward(
        input,
        indices,
        sizesOf(kernelSize, dims),
        sizesOf(stride ?? kernelSize, dims),
        sizesOf(padding, dims),
        outputSize,
      ),
    text: ({ kernelSize, stride, padding }) =>
      windowText({
        kernelSize: sizesOf(kernelSize, dims),
        stride: sizesOf(stride ?? kernelSize, dims),
        padding: sizesOf(padding, dims),
      }),
  });

/** Puts values back to where max pooling took them from (`torch.nn.MaxUnpool1d`). */
export const MaxUnpool1d = maxUnpoolLayer("MaxUnpool1d", 1, F.maxUnpool1d);
/** Puts values back to where max pooling took them from (`torch.nn.MaxUnpool2d`). */
export const MaxUnpool2d = maxUnpoolLayer("MaxUnpool2d", 2, F.maxUnpool2d);
/** Puts values back to where max pooling took them from (`torch.nn.MaxUnpool3d`). */
export const MaxUnpool3d = maxUnpoolLayer("MaxUnpool3d", 3, F.maxUnpool3d);

interface LPPoolValues {
  normType: number;
  kernelSize: Sizes;
  stride: Sizes | null;
  ceilMode: boolean;
}

const lpPoolLayer = (
  name: string,
  forward: (
    input: Tensor,
    normType: number,
    kernelSize: Sizes,
    stride: Sizes | undefined,
    ceilMode: boolean,
  ) => Tensor,
) =>
  defineLayer<
    [normType: number, kernelSize: Sizes],
    [stride: Sizes | null, ceilMode: boolean],
    LPPoolValues,
    Unary,
    Tensor
  >({
    name,
    module: "pooling",
    defaults: { normType: REQUIRED, kernelSize: REQUIRED, stride: null, ceilMode: false },
    forward: ({ normType, kernelSize, stride, ceilMode }, input) =>
      forward(input, float(normType) as number, kernelSize, stride ?? undefined, ceilMode),
  });

/** The norm of each window of a sequence (`torch.nn.LPPool1d`). */
export const LPPool1d = lpPoolLayer("LPPool1d", (input, normType, kernelSize, stride, ceilMode) =>
  F.lpPool1d(input, normType, kernelSize as number, stride, ceilMode),
);
/** The norm of each window of an image (`torch.nn.LPPool2d`). */
export const LPPool2d = lpPoolLayer("LPPool2d", F.lpPool2d);
/** The norm of each window of a volume (`torch.nn.LPPool3d`). */
export const LPPool3d = lpPoolLayer("LPPool3d", F.lpPool3d);

interface FractionalValues {
  kernelSize: Sizes;
  outputSize: Sizes | null;
  outputRatio: Sizes | null;
  returnIndices: boolean;
}

type FractionalOptions = Pick<FractionalValues, "outputSize" | "outputRatio" | "returnIndices">;

const fractionalLayer = (
  name: string,
  forward: (
    input: Tensor,
    kernelSize: Sizes,
    options: FractionalOptions & { returnIndices: true },
  ) => unknown,
): PoolClass<Sizes, [outputSize: Sizes | null, outputRatio: Sizes | null], [], FractionalValues> =>
  defineLayer<
    [kernelSize: Sizes],
    [outputSize: Sizes | null, outputRatio: Sizes | null, returnIndices: boolean],
    FractionalValues,
    Unary,
    never
  >({
    name,
    module: "pooling",
    defaults: {
      kernelSize: REQUIRED,
      outputSize: null,
      outputRatio: null,
      returnIndices: false,
    },
    check: ({ outputSize, outputRatio }) => {
      if ((outputSize === null) === (outputRatio === null))
        throw badSettings(
          name,
          outputSize === null
            ? `${name} requires specifying either an output size, or a pooling ratio`
            : "only one of output_size and output_ratio may be specified",
          "give either outputSize or outputRatio",
        );
    },
    forward: ({ kernelSize, ...options }, input) =>
      forward(input, kernelSize, options as FractionalOptions & { returnIndices: true }) as never,
    text: () => "",
  });

/** The greatest value of each of windows at random places (`torch.nn.FractionalMaxPool2d`). */
export const FractionalMaxPool2d = fractionalLayer(
  "FractionalMaxPool2d",
  (input, kernelSize, { outputSize, outputRatio, returnIndices }) =>
    F.fractionalMaxPool2d(input, kernelSize, { outputSize, outputRatio, returnIndices }),
);
/** The greatest value of each of windows at random places (`torch.nn.FractionalMaxPool3d`). */
export const FractionalMaxPool3d = fractionalLayer(
  "FractionalMaxPool3d",
  (input, kernelSize, { outputSize, outputRatio, returnIndices }) =>
    F.fractionalMaxPool3d(input, kernelSize, { outputSize, outputRatio, returnIndices }),
);

/** A layer of {@link MaxPool1d}; `MaxPool1d<true>` gives places, too. */
export type MaxPool1d<R extends boolean = false> = PoolLayer<R, MaxPoolValues>;
/** A layer of {@link MaxPool2d}; `MaxPool2d<true>` gives places, too. */
export type MaxPool2d<R extends boolean = false> = PoolLayer<R, MaxPoolValues>;
/** A layer of {@link MaxPool3d}; `MaxPool3d<true>` gives places, too. */
export type MaxPool3d<R extends boolean = false> = PoolLayer<R, MaxPoolValues>;
/** A layer of {@link AvgPool1d}. */
export type AvgPool1d = InstanceType<typeof AvgPool1d>;
/** A layer of {@link AvgPool2d}. */
export type AvgPool2d = InstanceType<typeof AvgPool2d>;
/** A layer of {@link AvgPool3d}. */
export type AvgPool3d = InstanceType<typeof AvgPool3d>;
/** A layer of {@link AdaptiveAvgPool1d}. */
export type AdaptiveAvgPool1d = InstanceType<typeof AdaptiveAvgPool1d>;
/** A layer of {@link AdaptiveAvgPool2d}. */
export type AdaptiveAvgPool2d = InstanceType<typeof AdaptiveAvgPool2d>;
/** A layer of {@link AdaptiveAvgPool3d}. */
export type AdaptiveAvgPool3d = InstanceType<typeof AdaptiveAvgPool3d>;
/** A layer of {@link AdaptiveMaxPool1d}; `AdaptiveMaxPool1d<true>` gives places, too. */
export type AdaptiveMaxPool1d<R extends boolean = false> = PoolLayer<R, AdaptiveMaxValues>;
/** A layer of {@link AdaptiveMaxPool2d}; `AdaptiveMaxPool2d<true>` gives places, too. */
export type AdaptiveMaxPool2d<R extends boolean = false> = PoolLayer<R, AdaptiveMaxValues>;
/** A layer of {@link AdaptiveMaxPool3d}; `AdaptiveMaxPool3d<true>` gives places, too. */
export type AdaptiveMaxPool3d<R extends boolean = false> = PoolLayer<R, AdaptiveMaxValues>;
/** A layer of {@link MaxUnpool1d}. */
export type MaxUnpool1d = InstanceType<typeof MaxUnpool1d>;
/** A layer of {@link MaxUnpool2d}. */
export type MaxUnpool2d = InstanceType<typeof MaxUnpool2d>;
/** A layer of {@link MaxUnpool3d}. */
export type MaxUnpool3d = InstanceType<typeof MaxUnpool3d>;
/** A layer of {@link LPPool1d}. */
export type LPPool1d = InstanceType<typeof LPPool1d>;
/** A layer of {@link LPPool2d}. */
export type LPPool2d = InstanceType<typeof LPPool2d>;
/** A layer of {@link LPPool3d}. */
export type LPPool3d = InstanceType<typeof LPPool3d>;
/** A layer of {@link FractionalMaxPool2d}; `FractionalMaxPool2d<true>` gives places, too. */
export type FractionalMaxPool2d<R extends boolean = false> = PoolLayer<R, FractionalValues>;
/** A layer of {@link FractionalMaxPool3d}; `FractionalMaxPool3d<true>` gives places, too. */
export type FractionalMaxPool3d<R extends boolean = false> = PoolLayer<R, FractionalValues>;
