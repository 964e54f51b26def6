/** @file Padding. */
import type { Tensor } from "@sconce/tensor";
import { defineLayer, REQUIRED } from "../define-layer.js";
import { functional as F } from "../functional.js";
import { pythonText, type Sizes, sizesOf } from "../settings.js";

type PadValues = { padding: Sizes };

const padLayer = (name: string, rank: number, mode: "circular" | "reflect" | "replicate") =>
  defineLayer<[padding: Sizes], [], PadValues, [input: Tensor], Tensor>({
    name,
    module: "padding",
    defaults: { padding: REQUIRED },
    forward: ({ padding }, input) => F.pad(input, sizesOf(padding, 2 * rank), mode),
    text: ({ padding }) => pythonText(sizesOf(padding, 2 * rank)),
  });

/** Continues a sequence with its other end (`torch.nn.CircularPad1d`). */
export const CircularPad1d = padLayer("CircularPad1d", 1, "circular");
/** Continues an image with its other end (`torch.nn.CircularPad2d`). */
export const CircularPad2d = padLayer("CircularPad2d", 2, "circular");
/** Continues a volume with its other end (`torch.nn.CircularPad3d`). */
export const CircularPad3d = padLayer("CircularPad3d", 3, "circular");
/** Mirrors a sequence at its ends (`torch.nn.ReflectionPad1d`). */
export const ReflectionPad1d = padLayer("ReflectionPad1d", 1, "reflect");
/** Mirrors an image at its borders (`torch.nn.ReflectionPad2d`). */
export const ReflectionPad2d = padLayer("ReflectionPad2d", 2, "reflect");
/** Mirrors a volume at its borders (`torch.nn.ReflectionPad3d`). */
export const ReflectionPad3d = padLayer("ReflectionPad3d", 3, "reflect");
/** Repeats the ends of a sequence (`torch.nn.ReplicationPad1d`). */
export const ReplicationPad1d = padLayer("ReplicationPad1d", 1, "replicate");
/** Repeats the borders of an image (`torch.nn.ReplicationPad2d`). */
export const ReplicationPad2d = padLayer("ReplicationPad2d", 2, "replicate");
/** Repeats the borders of a volume (`torch.nn.ReplicationPad3d`). */
export const ReplicationPad3d = padLayer("ReplicationPad3d", 3, "replicate");

const constantLayer = (name: string, rank: number) =>
  defineLayer<[padding: Sizes, value: number], [], PadValues & { value: number }, [input: Tensor], Tensor>({
    name,
    module: "padding",
    defaults: { padding: REQUIRED, value: REQUIRED },
    forward: ({ padding, value }, input) => F.pad(input, sizesOf(padding, 2 * rank), "constant", value),
    text: ({ padding, value }) =>
      `padding=${pythonText(sizesOf(padding, 2 * rank))}, value=${pythonText(value)}`,
  });

/** Continues a sequence with a value (`torch.nn.ConstantPad1d`). */
export const ConstantPad1d = constantLayer("ConstantPad1d", 1);
/** Surrounds an image with a value (`torch.nn.ConstantPad2d`). */
export const ConstantPad2d = constantLayer("ConstantPad2d", 2);
/** Surrounds a volume with a value (`torch.nn.ConstantPad3d`). */
export const ConstantPad3d = constantLayer("ConstantPad3d", 3);

const zeroLayer = (name: string, rank: number) =>
  defineLayer<[padding: Sizes], [], PadValues, [input: Tensor], Tensor>({
    name,
    module: "padding",
    defaults: { padding: REQUIRED },
    forward: ({ padding }, input) => F.pad(input, sizesOf(padding, 2 * rank), "constant", 0),
    text: ({ padding }) => pythonText(sizesOf(padding, 2 * rank)),
  });

/** Continues a sequence with zeros (`torch.nn.ZeroPad1d`). */
export const ZeroPad1d = zeroLayer("ZeroPad1d", 1);
/** Surrounds an image with zeros (`torch.nn.ZeroPad2d`). */
export const ZeroPad2d = zeroLayer("ZeroPad2d", 2);
/** Surrounds a volume with zeros (`torch.nn.ZeroPad3d`). */
export const ZeroPad3d = zeroLayer("ZeroPad3d", 3);

/** A layer of {@link CircularPad1d}. */
export type CircularPad1d = InstanceType<typeof CircularPad1d>;
/** A layer of {@link CircularPad2d}. */
export type CircularPad2d = InstanceType<typeof CircularPad2d>;
/** A layer of {@link CircularPad3d}. */
export type CircularPad3d = InstanceType<typeof CircularPad3d>;
/** A layer of {@link ReflectionPad1d}. */
export type ReflectionPad1d = InstanceType<typeof ReflectionPad1d>;
/** A layer of {@link ReflectionPad2d}. */
export type ReflectionPad2d = InstanceType<typeof ReflectionPad2d>;
/** A layer of {@link ReflectionPad3d}. */
export type ReflectionPad3d = InstanceType<typeof ReflectionPad3d>;
/** A layer of {@link ReplicationPad1d}. */
export type ReplicationPad1d = InstanceType<typeof ReplicationPad1d>;
/** A layer of {@link ReplicationPad2d}. */
export type ReplicationPad2d = InstanceType<typeof ReplicationPad2d>;
/** A layer of {@link ReplicationPad3d}. */
export type ReplicationPad3d = InstanceType<typeof ReplicationPad3d>;
/** A layer of {@link ConstantPad1d}. */
export type ConstantPad1d = InstanceType<typeof ConstantPad1d>;
/** A layer of {@link ConstantPad2d}. */
export type ConstantPad2d = InstanceType<typeof ConstantPad2d>;
/** A layer of {@link ConstantPad3d}. */
export type ConstantPad3d = InstanceType<typeof ConstantPad3d>;
/** A layer of {@link ZeroPad1d}. */
export type ZeroPad1d = InstanceType<typeof ZeroPad1d>;
/** A layer of {@link ZeroPad2d}. */
export type ZeroPad2d = InstanceType<typeof ZeroPad2d>;
/** A layer of {@link ZeroPad3d}. */
export type ZeroPad3d = InstanceType<typeof ZeroPad3d>;
