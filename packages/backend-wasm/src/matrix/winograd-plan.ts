/**
 * @file Recognizes convolutions of 3x3 elements, stride 1, over images with their channels last,
 * and divides them into tiles for Winograd's algorithm.
 */
import { type Axis, contractionOf, extentOf, type LoopNest, type ReduceScalar } from "@sconce/codegen";
import { directionsOf, imageOf, stepsOf } from "./image.js";
import { COLUMNS, rowsOfTile } from "./micro.js";

/** One direction of the images. */
export interface Extent {
  /** Elements of the result, and of the image. */
  readonly out: number;
  readonly size: number;
  /** Place in the image of the first element that the first result reads; negative with padding. */
  readonly start: number;
  /** Elements of memory from one to the next. */
  readonly step: number;
}
/** A convolution: `sum x[n, h + kh, w + kw, c] * weight[o, c, kh, kw]`. */
export interface WinogradPlan {
  readonly nest: LoopNest;
  readonly reduce: ReduceScalar;
  readonly image: number;
  readonly weight: number;
  readonly images: number;
  readonly height: Extent;
  readonly width: Extent;
  /** Elements from one image to the next, and the place that `h + kh = w + kw = 0` would have. */
  readonly imageStep: number;
  readonly origin: number;
  readonly channels: number;
  readonly results: number;
  /** Elements of the weight by output channel, channel and place of the kernel. */
  readonly weightSteps: {
    readonly o: number;
    readonly c: number;
    readonly h: number;
    readonly w: number;
    readonly origin: number;
  };
}

/** Fewer channels are not worth the transforms. */
const LEAST_CHANNELS = 16;
/** Elements of a kernel along one direction. */
export const SIDE = 3;

/** Reads a nest whose sizes are bound; undefined if it is another one. */
export function winogradPlan(nest: LoopNest): WinogradPlan | undefined {
  const contraction = contractionOf(nest);
  if (contraction === undefined || nest.axes.length !== 4 || contraction.inner.length !== 3) return undefined;
  const { rows, columns, inner, reduce } = contraction;
  const [x, weight] = [imageOf(rows.value, rows.when), imageOf(columns.value)];
  if (x === undefined || weight === undefined || columns.when !== undefined) return undefined;
  const [n, h, w, o] = nest.axes as unknown as readonly [Axis, Axis, Axis, Axis];
  const [ofX, ofWeight] = [stepsOf(x.index, [n, h, w, ...inner]), stepsOf(weight.index, [o, ...inner])];
  if (reduce.dtype !== "float32" || ofX === undefined || ofWeight === undefined) return undefined;
  const kernel = (place: Axis): Axis | undefined =>
    inner.find((one) => extentOf(one) === SIDE && ofX(one) === ofX(place) && ofX(one) > 0);
  const [kh, kw] = [kernel(h), kernel(w)];
  const c = inner.find((one) => one !== kh && one !== kw);
  if (kh === undefined || kw === undefined || c === undefined || kh === kw || ofX(c) !== 1) return undefined;
  const directions = directionsOf(x, [
    { place: h, tap: kh, unit: ofX(h) },
    { place: w, tap: kw, unit: ofX(w) },
  ]);
  if (directions === undefined) return undefined;
  const [height, width] = directions.map(({ out, start, limit = start + out + SIDE - 1 }, d) => {
    const step = ofX(d === 0 ? h : w);
    return { out, size: limit, start, step };
  }) as [Extent, Extent];
  const [channels, results] = [extentOf(c), extentOf(o)];
  if (channels < LEAST_CHANNELS || results < LEAST_CHANNELS || channels % 4 > 0 || results % 4 > 0)
    return undefined;
  const weightSteps = {
    o: ofWeight(o),
    c: ofWeight(c),
    h: ofWeight(kh),
    w: ofWeight(kw),
    origin: weight.index.constant,
  };
  return {
    nest,
    reduce,
    image: x.buffer,
    weight: weight.buffer,
    images: extentOf(n),
    height,
    width,
    imageStep: ofX(n),
    origin: x.index.constant,
    channels,
    results,
    weightSteps,
  };
}

/** How a convolution is divided: a unit is a part of the results of some rows of tiles. */
export interface WinogradTiles {
  /** Results of a tile along one direction, and the elements that they read. */
  readonly side: number;
  readonly reads: number;
  /** Tiles of an image, and rows of tiles of a unit. */
  readonly down: number;
  readonly across: number;
  readonly rows: number;
  readonly blocks: number;
  /** Parts of the results, and panels of eight results of a part. */
  readonly parts: number;
  readonly panels: number;
  /** Most tiles of a unit. */
  readonly tiles: number;
  /** Results with room for whole panels. */
  readonly padded: number;
  /** Rows of a tile of the products. */
  readonly lanes: number;
  /** Whether the kernel transforms the weights: large ones come faster from memory as they are. */
  readonly inKernel: boolean;
}

/** Floats of transformed weights from which kernels transform them. */
const LARGE = 1 << 19;
/** Floats of a transformed plane of a unit: all planes stay in the second cache. */
const PLANE = 6144;
const LEAST_TILES = 16;
/** Units from which threads share the work evenly, and panels that are worth a unit. */
const UNITS = 8;
const LEAST_PANELS = 8;

export function winogradTiles(plan: WinogradPlan, side: number, relaxed: boolean): WinogradTiles {
  const { height, width, channels, results, images } = plan;
  const [down, across] = [Math.ceil(height.out / side), Math.ceil(width.out / side)];
  const reads = side + SIDE - 1;
  const most = Math.max(
    LEAST_TILES,
    Math.floor((PLANE * 16) / (reads * reads) / Math.max(channels, results)),
  );
  const least = Math.max(1, Math.floor(most / across));
  const blocks = Math.ceil(down / least);
  const rows = Math.ceil(down / blocks);
  const all = Math.ceil(results / COLUMNS);
  const wanted = Math.ceil(UNITS / (images * Math.ceil(down / rows)));
  const panels = Math.max(Math.min(all, LEAST_PANELS), Math.ceil(all / wanted));
  return {
    side,
    reads,
    down,
    across,
    rows,
    blocks: Math.ceil(down / rows),
    parts: Math.ceil(all / panels),
    panels,
    tiles: rows * across,
    padded: all * COLUMNS,
    lanes: rowsOfTile(relaxed),
    inKernel: reads * reads * channels * all * COLUMNS >= LARGE,
  };
}
