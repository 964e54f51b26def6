/**
 * @file `deform_conv2d`, after `torchvision/csrc/ops/cpu/deform_conv2d_kernel.cpp`: moved patches,
 * then matrix products.
 */
import {
  emptyOutput,
  emptyStrided,
  evaluate,
  finishOutput,
  kernel,
  type NumberArray,
  openOutput,
  readNumbers,
} from "@sconce/backend-cpu";
import type { Tensor } from "@sconce/tensor";
import { type Round, roundingOf } from "../arithmetic.js";
import { notImplemented } from "../errors.js";
import { checkDeform, type DeformArguments, type DeformSizes } from "./deform-checks.js";
import { deformConv2d } from "./rows.js";

export const deformConv2dKernel = kernel(deformConv2d.schemaText, (args, context) => {
  const sizes = checkDeform(args);
  const { input, weight, bias } = args;
  const { dtype } = input;
  if (dtype !== "float32" && dtype !== "float64" && dtype !== "float16")
    throw notImplemented("deformable_im2col", dtype);
  const out = emptyOutput(context);
  const into = openOutput(out);
  const round = roundingOf(dtype);
  const patches = new Patches(args, sizes, round);
  const added = readNumbers(bias);
  const { groups, channelsOut, places, batch } = sizes;
  const perGroup = channelsOut / groups;
  for (let image = 0; image < batch; image++) {
    for (let group = 0; group < groups; group++) {
      const rows = weight.shape.slice(1).reduce((a, b) => a * b, 1);
      const matrix = evaluate("aten.reshape.default", [weight, [channelsOut, rows]]) as Tensor;
      const own = evaluate("aten.narrow.default", [matrix, 0, group * perGroup, perGroup]) as Tensor;
      const product = evaluate("aten.mm.default", [own, patches.of(image, group)]) as Tensor;
      const values = readNumbers(product);
      const at = (image * channelsOut + group * perGroup) * places;
      for (let i = 0; i < values.length; i++)
        into[at + i] = round(values[i]! + added[group * perGroup + Math.floor(i / places)]!);
    }
  }
  return finishOutput(out, into);
});

/**
 * The patches of one image: a row for each channel and tap, a column for each place of the output.
 */
class Patches {
  readonly #args: DeformArguments;
  readonly #sizes: DeformSizes;
  readonly #round: Round;
  readonly #input: NumberArray;
  readonly #offset: NumberArray;
  readonly #mask: NumberArray;

  constructor(args: DeformArguments, sizes: DeformSizes, round: Round) {
    this.#args = args;
    this.#sizes = sizes;
    this.#round = round;
    this.#input = readNumbers(args.input);
    this.#offset = readNumbers(args.offset);
    this.#mask = readNumbers(args.mask);
  }

  /** Returns the rows of one group of channels. */
  of(image: number, group: number): Tensor {
    const { channels, groups, taps, places } = this.#sizes;
    const count = channels / groups;
    const patches = emptyStrided([count * taps, places], [places, 1], this.#args.input.dtype);
    const into = openOutput(patches);
    for (let i = 0; i < count; i++) this.#channel(image, group * count + i, into, i * taps * places);
    return finishOutput(patches, into);
  }

  #channel(image: number, channel: number, into: NumberArray, start: number): void {
    const { channels, taps, places, height, width, outWidth, kernelWidth } = this.#sizes;
    const { offset_groups: groups, use_mask: hasMask } = this.#args;
    const { stride_h, stride_w, pad_h, pad_w, dilation_h, dilation_w } = this.#args;
    const round = this.#round;
    const own = image * groups + Math.floor(channel / (channels / groups));
    const plane = (image * channels + channel) * height * width;
    for (let tap = 0; tap < taps; tap++) {
      const moved = (own * taps + tap) * 2 * places;
      const masked = (own * taps + tap) * places;
      for (let place = 0; place < places; place++) {
        const row =
          Math.floor(place / outWidth) * stride_h - pad_h + Math.floor(tap / kernelWidth) * dilation_h;
        const column = (place % outWidth) * stride_w - pad_w + (tap % kernelWidth) * dilation_w;
        const y = round(round(row) + this.#offset[moved + place]!);
        const x = round(round(column) + this.#offset[moved + places + place]!);
        const value = this.#sample(plane, y, x);
        into[start + tap * places + place] = hasMask ? round(this.#mask[masked + place]! * value) : value;
      }
    }
  }

  /** Returns a bilinear sample; zero outside of the image. */
  #sample(plane: number, y: number, x: number): number {
    const { height, width } = this.#sizes;
    const round = this.#round;
    if (y <= -1 || height <= y || x <= -1 || width <= x) return 0;
    const [top, left] = [Math.floor(y), Math.floor(x)];
    const [down, across] = [round(y - top), round(x - left)];
    const [up, back] = [round(1 - down), round(1 - across)];
    const pixel = (row: number, column: number): number =>
      row < 0 || column < 0 || row >= height || column >= width
        ? 0
        : this.#input[plane + row * width + column]!;
    const first = round(round(up * back) * pixel(top, left));
    const second = round(round(up * across) * pixel(top, left + 1));
    const third = round(round(down * back) * pixel(top + 1, left));
    const fourth = round(round(down * across) * pixel(top + 1, left + 1));
    return round(round(round(first + second) + third) + fourth);
  }
}
