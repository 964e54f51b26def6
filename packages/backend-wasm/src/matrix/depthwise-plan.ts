/**
 * @file Recognizes convolutions of each channel by itself, over images whose channels are planes.
 */
import {
  type Axis,
  bindIndex,
  type ContractionSide,
  contractionOf,
  extentOf,
  fixedValue,
  type LoopBuffer,
  type LoopNest,
  type LoopProgram,
  type ReduceScalar,
} from "@sconce/codegen";
import type { Bindings } from "@sconce/symbolic";
import { type Direction, directionsOf, imageOf, stepsOf } from "./image.js";

/** One direction of the planes. */
interface PlaneDirection extends Direction {
  /** Elements of the image. */
  readonly size: number;
  /** Zeros before the image. */
  readonly padding: number;
}
/** Elements of the image, with those around it, that so many results read. */
export const spanOf = (out: number, { kernel, dilation, stride }: Direction): number =>
  (out - 1) * stride + (kernel - 1) * dilation + 1;

/** `sum x[n, c, h * stride + kh * dilation - padding, ...] * weight[c, kh, kw]`. */
export interface DepthwisePlan {
  readonly nest: LoopNest;
  readonly reduce: ReduceScalar;
  readonly image: number;
  readonly weight: number;
  readonly images: number;
  readonly channels: number;
  readonly height: PlaneDirection;
  readonly width: PlaneDirection;
  /** Elements of the weight by channel and place of the kernel. */
  readonly weightSteps: {
    readonly c: number;
    readonly h: number;
    readonly w: number;
    readonly origin: number;
  };
}

/** Reads a nest whose sizes are bound; undefined if it is another one. */
export function depthwisePlan(
  nest: LoopNest,
  program: LoopProgram,
  sizes: Bindings,
): DepthwisePlan | undefined {
  const contraction = contractionOf(nest);
  if (contraction === undefined || nest.axes.length !== 4) return undefined;
  const { reduce, inner, rows, columns } = contraction;
  const [n, c, h, w] = nest.axes as unknown as readonly [Axis, Axis, Axis, Axis];
  const isImage = ({ axes }: ContractionSide): boolean => axes.includes(h) || axes.includes(w);
  const [first, second] = isImage(rows) ? [rows, columns] : [columns, rows];
  const [image, weight] = [imageOf(first.value, first.when), imageOf(second.value)];
  if (image === undefined || weight === undefined || second.when !== undefined) return undefined;
  const taps = inner.filter((one) => extentOf(one) > 1);
  const ofImage = stepsOf(image.index, [n, c, h, w, ...taps]);
  const ofWeight = stepsOf(weight.index, [c, ...taps]);
  const shape = shapeOf(program.buffers[image.buffer]!, sizes);
  if (ofImage === undefined || ofWeight === undefined || shape === undefined) return undefined;
  const [images, channels, down, across] = shape;
  if (reduce.dtype !== "float32" || channels !== extentOf(c) || images !== extentOf(n)) return undefined;
  if (ofImage(c) !== down * across) return undefined;
  if (images > 1 && ofImage(n) !== down * across * channels) return undefined;
  const kh = taps.find((one) => ofImage(one) >= across);
  const kw = taps.find((one) => one !== kh);
  if (taps.length > 2 || (taps.length === 2 && kh === undefined)) return undefined;
  const directions = directionsOf(image, [
    { place: h, tap: kh, unit: across },
    { place: w, tap: kw, unit: 1 },
  ]);
  const sides = directions?.map((one, d) => ({ ...one, size: d === 0 ? down : across, padding: -one.start }));
  if (!sides?.every(({ limit, size, padding }) => padding >= 0 && (limit ?? size) === size)) return undefined;
  const [height, width] = sides as [PlaneDirection, PlaneDirection];
  if (image.index.constant !== -(height.padding * across + width.padding)) return undefined;
  const weightSteps = { c: ofWeight(c), h: ofWeight(kh), w: ofWeight(kw), origin: weight.index.constant };
  const buffers = { image: image.buffer, weight: weight.buffer };
  return { nest, reduce, ...buffers, images, channels, height, width, weightSteps };
}

/** The sizes of a buffer of images; undefined if it is none. */
function shapeOf({ shape }: LoopBuffer, sizes: Bindings) {
  const bound = shape.map((one) => fixedValue(bindIndex(one, sizes)));
  if (bound.length !== 4 || bound.includes(undefined)) return undefined;
  return bound as [number, number, number, number];
}
