import { nn } from "@sconce/capture";
import { describe, expect, test } from "vitest";

/** The settings of PyTorch's constructors that have no default. */
const REQUIRED: Readonly<Record<string, readonly string[]>> = {
  ...each("AdaptiveAvgPool", ["outputSize"]),
  ...each("AdaptiveMaxPool", ["outputSize"]),
  ...each("AvgPool", ["kernelSize"]),
  ...each("CircularPad", ["padding"]),
  ...each("ConstantPad", ["padding", "value"]),
  ...each("LPPool", ["normType", "kernelSize"]),
  ...each("MaxPool", ["kernelSize"]),
  ...each("MaxUnpool", ["kernelSize"]),
  ...each("ReflectionPad", ["padding"]),
  ...each("ReplicationPad", ["padding"]),
  ...each("ZeroPad", ["padding"]),
  ChannelShuffle: ["groups"],
  Fold: ["outputSize", "kernelSize"],
  FractionalMaxPool2d: ["kernelSize"],
  FractionalMaxPool3d: ["kernelSize"],
  LocalResponseNorm: ["size"],
  PixelShuffle: ["upscaleFactor"],
  PixelUnshuffle: ["downscaleFactor"],
  Threshold: ["threshold", "value"],
  Unflatten: ["dim", "unflattenedSize"],
  Unfold: ["kernelSize"],
};

function each(kind: string, names: readonly string[]): Record<string, readonly string[]> {
  return Object.fromEntries([1, 2, 3].map((rank) => [`${kind}${rank}d`, names]));
}

describe("settings without a default", () => {
  test.each(Object.entries(REQUIRED))("%s needs %j", (layer, names) => {
    const Layer = (nn as unknown as Record<string, new (...args: unknown[]) => unknown>)[layer]!;
    names.forEach((name, i) => {
      const before = names.slice(0, i).map(() => 2);
      expect(() => new Layer(...before)).toThrow(
        expect.objectContaining({
          code: "LAYER_ARGUMENTS",
          message: `${layer} needs ${name}, which is not given`,
        }),
      );
    });
  });
});

test("an encoder of your own is the eighth argument of Transformer, as in PyTorch", () => {
  const encoder = new nn.Identity();
  const Transformer = nn.Transformer as unknown as new (...args: unknown[]) => nn.Transformer;
  expect(new Transformer(8, 2, 1, 1, 16, 0.1, "relu", encoder).encoder).toBe(encoder);
});
