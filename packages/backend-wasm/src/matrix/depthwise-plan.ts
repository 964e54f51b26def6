/**
 * @file Recognizes convolutions of each channel by itself, over images with their channels last.
 */
import {
  type Axis,
  bindIndex,
  contractionOf,
  extentOf,
  fixedValue,
  type LoopBuffer,
  type LoopNest,
  type LoopProgram,
  type ReduceScalar,
} from "@sconce/codegen";
import type { Bindings } from "@sconce/symbolic";
import { type Guarded, guardsOf, linear } from "./padding.js";

/** One direction of the images. */
interface Direction {
  /** Elements of the result, of the image and of the kernel. */
  readonly out: number;
  readonly size: number;
  readonly kernel: number;
  readonly stride: number;
  readonly dilation: number;
  /** Zeros before the image. */
  readonly padding: number;
}
/** Elements of the image, with those around it, that so many results read. */
export const spanOf = (out: number, { kernel, dilation, stride }: Direction): number =>
  (out - 1) * stride + (kernel - 1) * dilation + 1;

/** `sum x[n, c, h * stride + kh * dilation - padding, ...] * weight[c, kh, kw]`. */
export interface DepthwisePlan {
  /** Whether the channels are the last axis, of the image and of the result, or the second. */
  readonly isLast: boolean;
  readonly nest: LoopNest;
  readonly reduce: ReduceScalar;
  readonly image: number;
  readonly weight: number;
  readonly images: number;
  readonly channels: number;
  readonly height: Direction;
  readonly width: Direction;
  /** Elements of the weight by channel and place of the kernel. */
  readonly weightSteps: {
    readonly c: number;
    readonly h: number;
    readonly w: number;
    readonly origin: number;
  };
}

type Steps = NonNullable<ReturnType<typeof linear>>;

/** Reads a nest whose sizes are bound; undefined if it is another one. */
export function depthwisePlan(
  nest: LoopNest,
  program: LoopProgram,
  sizes: Bindings,
): DepthwisePlan | undefined {
  const contraction = contractionOf(nest);
  if (contraction === undefined || nest.axes.length !== 4 || contraction.reduce.dtype !== "float32")
    return undefined;
  const { reduce, inner } = contraction;
  const [n, ...axes] = nest.axes as unknown as readonly [Axis, Axis, Axis, Axis];
  const isLast = contraction.batch.includes(axes[2]);
  const [h, w, c] = isLast ? axes : ([axes[1], axes[2], axes[0]] as const);
  const sides = [contraction.rows, contraction.columns];
  const image = sides.find((side) => side.axes.includes(h) || side.axes.includes(w));
  const weight = sides.find((side) => side !== image);
  if (image?.value.kind !== "load" || weight?.value.kind !== "load" || weight.when !== undefined)
    return undefined;
  if (image.value.dtype !== "float32" || weight.value.dtype !== "float32") return undefined;
  const [ofImage, ofWeight] = [linear(image.value.index), linear(weight.value.index)];
  const guards = image.when === undefined ? new Map<string, Guarded>() : guardsOf(image.when);
  if (ofImage === undefined || ofWeight === undefined || guards === undefined) return undefined;
  const shape = shapeOf(program.buffers[image.value.buffer]!, sizes, isLast);
  if (shape === undefined) return undefined;
  const { images, height, width, channels } = shape;
  const unit = isLast ? channels : 1;
  const line = width * unit;
  if (channels !== extentOf(c) || step(ofImage, c) !== (isLast ? 1 : height * width)) return undefined;
  if (images !== extentOf(n) || (images > 1 && step(ofImage, n) !== height * width * channels))
    return undefined;
  const kernels = inner.filter((one) => extentOf(one) > 1);
  const kh = kernels.find((one) => step(ofImage, one) >= line);
  const kw = kernels.find((one) => one !== kh);
  if (kernels.length > 2 || (kernels.length === 2 && kh === undefined)) return undefined;
  const down = directionOf({ place: h, kernel: kh, size: height, unit: line }, ofImage, guards);
  const right = directionOf({ place: w, kernel: kw, size: width, unit }, ofImage, guards);
  if (down === undefined || right === undefined || guards.size > 0) return undefined;
  const origin = -(down.padding * line + right.padding * unit);
  if (image.value.index.constant !== origin || !onlyOf(ofImage, [n, h, w, c, ...kernels])) return undefined;
  if (!onlyOf(ofWeight, [c, ...kernels])) return undefined;
  const weightSteps = {
    c: step(ofWeight, c),
    h: kh === undefined ? 0 : step(ofWeight, kh),
    w: kw === undefined ? 0 : step(ofWeight, kw),
    origin: weight.value.index.constant,
  };
  return {
    isLast,
    nest,
    reduce,
    image: image.value.buffer,
    weight: weight.value.buffer,
    images,
    channels,
    height: down,
    width: right,
    weightSteps,
  };
}

/** The sizes of a buffer of images; undefined if it is none. */
function shapeOf({ shape }: LoopBuffer, sizes: Bindings, isLast: boolean) {
  const bound = shape.map((one) => fixedValue(bindIndex(one, sizes)));
  if (bound.length !== 4 || bound.includes(undefined)) return undefined;
  const [images, ...rest] = bound as [number, number, number, number];
  const [height, width, channels] = isLast ? rest : [rest[1], rest[2], rest[0]];
  return { images, height, width, channels };
}

const step = (steps: Steps, { name }: Axis): number => steps.get(name)?.coefficient ?? 0;
const onlyOf = (steps: Steps, axes: readonly Axis[]): boolean =>
  [...steps.values()].every(
    ({ axis, coefficient }) => coefficient > 0 && axes.some(({ name }) => name === axis.name),
  );

interface DirectionInit {
  readonly place: Axis;
  readonly kernel: Axis | undefined;
  readonly size: number;
  /** Elements of memory from one place to the next. */
  readonly unit: number;
}

/** Takes the guard of a direction out of all. */
function directionOf(
  { place, kernel, size, unit }: DirectionInit,
  steps: Steps,
  guards: Map<string, Guarded>,
): Direction | undefined {
  const stride = Math.max(unit, step(steps, place)) / unit;
  const dilation = kernel === undefined ? 1 : step(steps, kernel) / unit;
  if (!Number.isInteger(stride) || !Number.isInteger(dilation) || dilation < 1) return undefined;
  const known = { out: extentOf(place), size, kernel: kernel ? extentOf(kernel) : 1, stride, dilation };
  for (const [key, { index, limit, low }] of guards) {
    const terms = linear(index);
    if (terms === undefined || !(terms.has(place.name) || (kernel && terms.has(kernel.name)))) continue;
    const isOwn =
      onlyOf(terms, kernel === undefined ? [place] : [place, kernel]) &&
      (known.out === 1 || step(terms, place) === stride) &&
      (kernel === undefined || step(terms, kernel) === dilation);
    if (!isOwn || (limit !== undefined && limit !== size) || (index.constant < 0 && !low)) return undefined;
    if (index.constant > 0) return undefined;
    guards.delete(key);
    return { ...known, padding: -index.constant };
  }
  return { ...known, padding: 0 };
}
