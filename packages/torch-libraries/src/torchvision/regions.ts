/** @file What the kernels of regions have in common: arguments, and the loop over regions. */
import type { NumberArray } from "@sconce/backend-cpu";
import { readNumbers } from "@sconce/backend-cpu";
import type { Tensor } from "@sconce/tensor";
import { type Round, roundingOf, toInt } from "../arithmetic.js";
import { noSuchImage, notImplemented } from "../errors.js";

export interface RegionArguments {
  /** `[N, C, H, W]`. */
  readonly input: Tensor;
  /** `[K, 5]`: image, x1, y1, x2, y2. */
  readonly rois: Tensor;
  readonly spatial_scale: number;
  readonly pooled_height: number;
  readonly pooled_width: number;
}

/** One region. */
export interface Region {
  /** Its place among the regions. */
  readonly index: number;
  /** Where its image begins in the input. */
  readonly start: number;
  /** x1, y1, x2, y2 in the coordinates of the input, rounded to its dtype. */
  readonly box: readonly [number, number, number, number];
}

/** The input as numbers, its sizes, and its regions. */
export interface RegionJob {
  readonly values: NumberArray;
  readonly channels: number;
  readonly height: number;
  readonly width: number;
  readonly round: Round;
  readonly regions: readonly Region[];
}

/**
 * @throws SconceError `DTYPE_MISMATCH`, `INVALID_ARGUMENT` for a region of an image that is not
 * there
 */
export function regionJob(kernel: string, { input, rois, spatial_scale: scale }: RegionArguments): RegionJob {
  const { dtype } = input;
  if (dtype !== "float32" && dtype !== "float64" && dtype !== "float16") throw notImplemented(kernel, dtype);
  const [images, channels, height, width] = input.shape as readonly [number, number, number, number];
  const round = roundingOf(dtype);
  const numbers = readNumbers(rois);
  const factor = round(scale);
  const regions: Region[] = [];
  for (let index = 0; index < rois.shape[0]!; index++) {
    const [image, ...box] = numbers.subarray(5 * index, 5 * index + 5);
    const at = toInt(image!);
    if (at < 0 || at >= images) throw noSuchImage(at, images);
    const scaled = box.map((edge) => round(edge * factor)) as [number, number, number, number];
    regions.push({ index, start: at * channels * height * width, box: scaled });
  }
  return { values: readNumbers(input), channels, height, width, round, regions };
}
