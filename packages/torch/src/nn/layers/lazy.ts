/** @file Layers that take their number of channels from the first input (`torch.nn.LazyLinear`). */
import { fieldsOf } from "@sconce/source-check";
import type { Tensor } from "@sconce/tensor";
import { currentTrace } from "../../trace/dispatch.js";
import { refusal } from "../../trace/refusals.js";
import { badSettings, uninitialized } from "../errors.js";
import { type AnyModule, Module } from "../module.js";
import { registryOf } from "../registered-names.js";
import { settingsOf } from "../settings.js";
import {
  BATCH,
  BatchNorm1d,
  BatchNorm2d,
  BatchNorm3d,
  InstanceNorm1d,
  InstanceNorm2d,
  InstanceNorm3d,
} from "./batch-norm.js";
import { Conv1d, Conv2d, Conv3d, ConvTranspose1d, ConvTranspose2d, ConvTranspose3d } from "./conv.js";
import { Linear } from "./linear.js";

/** A class of layers. */
type LayerClass = new (...args: never) => Module;

/** Arguments without the first, which counts channels. */
type WithoutChannels<Args> = Args extends readonly [unknown, ...infer Rest] ? Rest : never;

/** A lazy layer: it is made without the number of channels, and becomes a layer of the class. */
export type Lazy<L extends LayerClass> = L extends new (
  ...args: infer Args
) => infer M
  ? new (
      ...rest: WithoutChannels<Args>
    ) => M
  : never;

/** What a lazy layer becomes, for an input. */
const pending = new WeakMap<Module, (input: Tensor) => Module>();

/** @throws SconceError `LAYER_ARGUMENTS` for a layer that waits for its first input */
export function requireInitialized(module: Module): void {
  if (pending.has(module)) throw uninitialized(module.constructor.name);
}

/** Lets a lazy layer become one of its class, with the parameters of `made`. */
function become(lazy: Module, made: Module): void {
  const { training } = lazy;
  const [own, theirs] = [registryOf(lazy), registryOf(made)];
  for (const [name, value] of Object.entries(made)) fieldsOf<unknown>(lazy)[name] = value;
  for (const name of theirs.parameters) own.parameters.add(name);
  for (const [name, persistent] of theirs.buffers) own.buffers.set(name, persistent);
  own.isRead = false;
  lazy.training = training;
  pending.delete(lazy);
  Object.setPrototypeOf(lazy, Object.getPrototypeOf(made) as object);
}

/**
 * Makes the lazy class of a layer.
 *
 * @param channelsOf the number of channels of an input
 */
function lazy<L extends LayerClass>(
  name: string,
  type: L,
  channelsOf: (input: Tensor) => number,
  settings: (rest: readonly unknown[]) => readonly unknown[] = (rest) => rest,
): Lazy<L> {
  const made = {
    [name]: class extends Module {
      constructor(...rest: readonly unknown[]) {
        super();
        const given = settings(rest);
        pending.set(this, (input) => Reflect.construct(type, [channelsOf(input), ...given]) as Module);
      }

      override forward(...args: [input: Tensor, ...rest: unknown[]]): unknown {
        const make = pending.get(this);
        // A trace would take the new parameters for constants.
        if (make === undefined || currentTrace() !== undefined) throw refusal(uninitialized(name));
        become(this, make(args[0]));
        return (this as AnyModule).forward(...args);
      }

      override extraRepr(): string {
        return "uninitialized";
      }
    },
  }[name]!;
  // The class that it becomes has the members of the layer.
  return made as unknown as Lazy<L>;
}

const last = (input: Tensor): number => input.shape.at(-1)!;

/** The channels of a batch of so many dimensions, or of one item. */
const channelsOf =
  (name: string, rank: number) =>
  (input: Tensor): number => {
    const { ndim, shape } = input;
    if (ndim === rank + 2) return shape[1]!;
    if (ndim === rank + 1) return shape[0]!;
    throw badSettings(
      name,
      `Expected ${rank + 1}D (unbatched) or ${rank + 2}D (batched) input to ${name}, but got input of size: [${shape.join(", ")}]`,
      "give an input of the rank of the layer",
    );
  };

/** A lazy norm has parameters and statistics where its settings do not say otherwise. */
const withDefaults =
  (name: string) =>
  (rest: readonly unknown[]): readonly unknown[] => [settingsOf(name, rest, BATCH)];

/** A norm takes the second dimension of the input, of any rank. */
const second =
  (name: string) =>
  ({ shape }: Tensor): number => {
    const [, channels] = shape;
    if (channels !== undefined) return channels;
    throw badSettings(name, `the input has ${shape.length} dimensions, and no channels`, "give a batch");
  };

/** {@link Linear}, whose `inFeatures` is the last size of the first input. */
export const LazyLinear: Lazy<typeof Linear> = lazy("LazyLinear", Linear, last);
/** {@link Conv1d}, whose `inChannels` is that of the first input. */
export const LazyConv1d: Lazy<typeof Conv1d> = lazy("LazyConv1d", Conv1d, channelsOf("LazyConv1d", 1));
/** {@link Conv2d}, whose `inChannels` is that of the first input. */
export const LazyConv2d: Lazy<typeof Conv2d> = lazy("LazyConv2d", Conv2d, channelsOf("LazyConv2d", 2));
/** {@link Conv3d}, whose `inChannels` is that of the first input. */
export const LazyConv3d: Lazy<typeof Conv3d> = lazy("LazyConv3d", Conv3d, channelsOf("LazyConv3d", 3));
/** {@link ConvTranspose1d}, whose `inChannels` is that of the first input. */
export const LazyConvTranspose1d: Lazy<typeof ConvTranspose1d> = lazy(
  "LazyConvTranspose1d",
  ConvTranspose1d,
  channelsOf("LazyConvTranspose1d", 1),
);
/** {@link ConvTranspose2d}, whose `inChannels` is that of the first input. */
export const LazyConvTranspose2d: Lazy<typeof ConvTranspose2d> = lazy(
  "LazyConvTranspose2d",
  ConvTranspose2d,
  channelsOf("LazyConvTranspose2d", 2),
);
/** {@link ConvTranspose3d}, whose `inChannels` is that of the first input. */
export const LazyConvTranspose3d: Lazy<typeof ConvTranspose3d> = lazy(
  "LazyConvTranspose3d",
  ConvTranspose3d,
  channelsOf("LazyConvTranspose3d", 3),
);
/** {@link BatchNorm1d}, whose `numFeatures` is the second size of the first input. */
export const LazyBatchNorm1d: Lazy<typeof BatchNorm1d> = lazy(
  "LazyBatchNorm1d",
  BatchNorm1d,
  second("LazyBatchNorm1d"),
);
/** {@link BatchNorm2d}, whose `numFeatures` is the second size of the first input. */
export const LazyBatchNorm2d: Lazy<typeof BatchNorm2d> = lazy(
  "LazyBatchNorm2d",
  BatchNorm2d,
  second("LazyBatchNorm2d"),
);
/** {@link BatchNorm3d}, whose `numFeatures` is the second size of the first input. */
export const LazyBatchNorm3d: Lazy<typeof BatchNorm3d> = lazy(
  "LazyBatchNorm3d",
  BatchNorm3d,
  second("LazyBatchNorm3d"),
);
/** {@link InstanceNorm1d}, whose `numFeatures` is the second size of the first input. */
export const LazyInstanceNorm1d: Lazy<typeof InstanceNorm1d> = lazy(
  "LazyInstanceNorm1d",
  InstanceNorm1d,
  second("LazyInstanceNorm1d"),
  withDefaults("LazyInstanceNorm1d"),
);
/** {@link InstanceNorm2d}, whose `numFeatures` is the second size of the first input. */
export const LazyInstanceNorm2d: Lazy<typeof InstanceNorm2d> = lazy(
  "LazyInstanceNorm2d",
  InstanceNorm2d,
  second("LazyInstanceNorm2d"),
  withDefaults("LazyInstanceNorm2d"),
);
/** {@link InstanceNorm3d}, whose `numFeatures` is the second size of the first input. */
export const LazyInstanceNorm3d: Lazy<typeof InstanceNorm3d> = lazy(
  "LazyInstanceNorm3d",
  InstanceNorm3d,
  second("LazyInstanceNorm3d"),
  withDefaults("LazyInstanceNorm3d"),
);
