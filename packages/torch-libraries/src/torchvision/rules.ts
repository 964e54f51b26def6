/** @file Shape rules of torchvision's operators, after `torchvision/_meta_registrations.py`. */
import type { FakeTensor, MetaValue } from "@sconce/ir";
import type { MetaContext } from "@sconce/ops";
import { type BoolLike, eq, floorDiv, type IntLike, mod, mul } from "@sconce/symbolic";
import { dense } from "../dense.js";
import { refused } from "../errors.js";

/** A condition that holds, or is checked when the program runs (`torch._check`). */
function check({ env }: MetaContext, condition: BoolLike, message: string): void {
  if (!env.orTrue(condition)) throw refused(message);
}

interface Regions {
  readonly input: FakeTensor;
  readonly rois: FakeTensor;
  readonly pooled_height: IntLike;
  readonly pooled_width: IntLike;
}

function checkRegions(name: string, { input, rois }: Regions, context: MetaContext): void {
  if (rois.ndim !== 2) throw refused("rois must have shape as Tensor[K, 5]");
  check(context, eq(rois.shape[1]!, 5), "rois must have shape as Tensor[K, 5]");
  if (input.ndim !== 4) throw refused(`${name} expects input of four dimensions, got ${input.ndim}`);
  if (input.dtype !== rois.dtype)
    throw refused(
      "Expected tensor for input to have the same type as tensor for rois; " +
        `but type torch.${input.dtype} does not equal torch.${rois.dtype}`,
    );
}

/** `[K, C, PH, PW]`: one window for each region and channel. */
export function pooledRegions(name: string, args: Regions, context: MetaContext): FakeTensor {
  checkRegions(name, args, context);
  const { input, rois, pooled_height: height, pooled_width: width } = args;
  return dense(input, [rois.shape[0]!, input.shape[1]!, height, width]);
}

/** `[K, C / (PH * PW), PH, PW]`, and where each value was taken from. */
export function positionSensitive(name: string, args: Regions, context: MetaContext): MetaValue {
  checkRegions(name, args, context);
  const { input, rois, pooled_height: height, pooled_width: width } = args;
  const bins = mul(height, width);
  const channels = input.shape[1]!;
  check(
    context,
    eq(mod(channels, bins), 0),
    "input channels must be a multiple of pooling height * pooling width",
  );
  const shape = [rois.shape[0]!, floorDiv(channels, bins), height, width];
  return [dense(input, shape), dense(input, shape, "int32")];
}

interface Image {
  readonly grad: FakeTensor;
  readonly rois: FakeTensor;
  readonly batch_size: IntLike;
  readonly channels: IntLike;
  readonly height: IntLike;
  readonly width: IntLike;
}

/** Returns the gradient of the image that regions were taken from. */
export function imageGradient({ grad, rois, batch_size, channels, height, width }: Image): FakeTensor {
  if (grad.dtype !== rois.dtype)
    throw refused(
      "Expected tensor for grad to have the same type as tensor for rois; " +
        `but type torch.${grad.dtype} does not equal torch.${rois.dtype}`,
    );
  return dense(grad, [batch_size, channels, height, width]);
}

/** Returns the places of the boxes that stay; how many only the values decide. */
export function keptBoxes(dets: FakeTensor, scores: FakeTensor, context: MetaContext): FakeTensor {
  if (dets.ndim !== 2) throw refused(`boxes should be a 2d tensor, got ${dets.ndim}D`);
  const [boxes, columns] = dets.shape as readonly [IntLike, IntLike];
  check(context, eq(columns, 4), `boxes should have 4 elements in dimension 1, got ${String(columns)}`);
  if (scores.ndim !== 1) throw refused(`scores should be a 1d tensor, got ${scores.ndim}D`);
  const count = scores.shape[0]!;
  check(
    context,
    eq(boxes, count),
    `boxes and scores should have same number of elements in dimension 0, got ${String(boxes)} and ${String(count)}`,
  );
  return dense(dets, [context.env.freshUnbackedInt()], "int64");
}
