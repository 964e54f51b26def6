/**
 * @file Recognizes windows over images whose channels are last: depthwise convolutions, pools and
 * means of pixels.
 */
import {
  type Axis,
  extentOf,
  type Index,
  isZeroOutside,
  type LoopNest,
  outerReductions,
  type ReduceScalar,
  type Scalar,
} from "@sconce/codegen";
import {
  along,
  coefficientOf,
  dependsOn,
  guardsOf,
  type Guard as ImageGuard,
  imageOf,
} from "../matrix/image.js";
import { isEmittable } from "../matrix/index-code.js";

/** Where elements lie: steps in elements along the axes of a pixel, and the rest. */
export interface Steps {
  readonly buffer: number;
  /** By the axes outside of a row of pixels, with the constant part. */
  readonly outer: Index;
  /** From one pixel of the row to the next. */
  readonly column: number;
  /** From one channel to the next. */
  readonly channel: number;
  /** From one row, and one column, of the window to the next. */
  readonly taps: readonly [row: number, column: number];
}

/** A coordinate of the image that must lie in `[0, limit)`: `place + tap * dilation`. */
export interface Guard {
  /** The coordinate of the first tap, by axes of the result. */
  readonly place: Index;
  readonly dilation: number;
  readonly limit: number;
}

/** The axes of a nest by their part in a plan. */
export interface Roles {
  readonly channel: Axis;
  readonly column: Axis;
  readonly taps: readonly [row: Axis | undefined, column: Axis | undefined];
}

/** Windows over the pixels of an image. */
export interface WindowPlan {
  readonly nest: LoopNest;
  readonly reduce: ReduceScalar;
  readonly roles: Roles;
  readonly channels: number;
  /** Pixels of a row of the result. */
  readonly columns: number;
  /** Axes around a row. */
  readonly outer: readonly Axis[];
  /** Taps of the window: rows and columns. */
  readonly size: readonly [rows: number, columns: number];
  readonly image: Steps;
  /** Weights of a depthwise convolution: the same for all pixels. */
  readonly weight: Steps | undefined;
  readonly guards: readonly [row: Guard | undefined, column: Guard | undefined];
}

/** Fewer channels do not fill a vector. */
const FEWEST_CHANNELS = 4;

/** Reads a nest whose sizes are bound; undefined if it is anything else. */
export function windowPlan(nest: LoopNest): WindowPlan | undefined {
  const [reduce, ...more] = outerReductions(nest.value);
  if (reduce === undefined || more.length > 0 || nest.axes.length < 2) return undefined;
  if (reduce.reduce !== "sum" && reduce.reduce !== "max") return undefined;
  if (reduce.initial !== undefined || reduce.dtype !== "float32") return undefined;
  if (extentOf(nest.axes.at(-1)!) < FEWEST_CHANNELS) return undefined;
  for (const roles of rolesOf(nest, reduce)) {
    const plan = planOf(nest, reduce, roles);
    if (plan !== undefined) return plan;
  }
  return undefined;
}

function planOf(nest: LoopNest, reduce: ReduceScalar, roles: Roles): WindowPlan | undefined {
  const { factors, isInside } = unpadded(reduce);
  const [image, weight] = factorsOf(factors, roles) ?? [];
  if (image === undefined || ![image.column, ...image.taps].every((step) => step >= 0)) return undefined;
  const guards = sidesOf(isInside, roles);
  if (guards === undefined) return undefined;
  const count = (axis: Axis | undefined): number => (axis === undefined ? 1 : extentOf(axis));
  return {
    nest,
    reduce,
    roles,
    channels: extentOf(roles.channel),
    columns: extentOf(roles.column),
    outer: nest.axes.slice(0, -2),
    size: [count(roles.taps[0]), count(roles.taps[1])],
    image,
    weight,
    guards,
  };
}

/** The last axis is the channel, the one before a pixel of the row. One tap is of either kind. */
function rolesOf({ axes }: LoopNest, { axes: inner }: ReduceScalar): readonly Roles[] {
  const taps = inner.filter((axis) => extentOf(axis) > 1);
  const [channel, column] = [axes.at(-1)!, axes.at(-2)!];
  if (taps.length === 2) return [{ channel, column, taps: [taps[0], taps[1]] }];
  if (taps.length !== 1) return [];
  return [
    { channel, column, taps: [undefined, taps[0]] },
    { channel, column, taps: [taps[0], undefined] },
  ];
}

/**
 * Returns the factors of a reduction, and where they are part of it. Zeros around an image are left
 * out, as PyTorch's kernels of images with channels last do.
 */
function unpadded({ reduce, body, when }: ReduceScalar): {
  readonly factors: readonly Scalar[];
  readonly isInside: Scalar | undefined;
} {
  const factors = reduce === "sum" && body.kind === "call" && body.fn === "mul" ? body.args : [body];
  if (when !== undefined) return { factors, isInside: when };
  const padded = factors.find(isZeroOutside);
  return {
    factors: factors.map((one) => (one === padded ? padded.then : one)),
    isInside: padded?.condition,
  };
}

/** Returns the image, and the weights where elements are multiplied. */
function factorsOf(
  factors: readonly Scalar[],
  roles: Roles,
): readonly [Steps, Steps | undefined] | undefined {
  const isProduct = factors.length === 2;
  const parts = factors.map((part) => stepsOf(part, roles));
  const image = parts.find((part) => part?.channel === 1 && !(isProduct && isWeight(part)));
  if (image === undefined) return undefined;
  if (!isProduct) return [image, undefined];
  const weight = parts.find((part) => part !== image);
  return weight !== undefined && isWeight(weight) && weight.channel !== 0 ? [image, weight] : undefined;
}
/** Returns whether elements are the same for all pixels. */
const isWeight = ({ outer, column }: Steps): boolean => outer.terms.length === 0 && column === 0;

/** Returns the steps of a load of float32 by the axes of a plan; undefined for other scalars. */
export function stepsOf(scalar: Scalar, { channel, column, taps }: Roles): Steps | undefined {
  const image = imageOf(scalar);
  const parts = image && along(image.index, [column, channel, ...taps]);
  if (image === undefined || parts === undefined || !isEmittable(parts.rest)) return undefined;
  const [ofColumn, ofChannel, row, tap] = parts.steps as [number, number, number, number];
  return {
    buffer: image.buffer,
    outer: parts.rest,
    column: ofColumn,
    channel: ofChannel,
    taps: [row, tap],
  };
}

/**
 * Returns the guards of a reduction's condition; undefined if it is not that coordinates lie in the
 * image.
 */
function sidesOf(when: Scalar | undefined, roles: Roles): WindowPlan["guards"] | undefined {
  const all = guardsOf(when);
  const guards: [Guard | undefined, Guard | undefined] = [undefined, undefined];
  for (const one of all ?? []) {
    const at = sideOf(one, roles);
    const guard = guardOf(one, roles, at);
    if (guard === undefined || guards[at] !== undefined) return undefined;
    guards[at] = guard;
  }
  return all && guards;
}
/** Returns the direction of a guard: that of its tap, or one without taps. */
function sideOf({ index }: ImageGuard, { column, taps }: Roles): number {
  const at = taps.findIndex((tap) => tap !== undefined && coefficientOf(index, tap) > 0);
  return at < 0 ? Number(dependsOn(index, [column])) : at;
}
/** More than any coordinate. */
const UNLIMITED = 2 ** 30;

/**
 * Returns a guard of a direction: of the column of a pixel for the last one, of the axes around
 * rows.
 */
function guardOf(
  { index, limit = UNLIMITED }: ImageGuard,
  { channel, column, taps }: Roles,
  at: number,
): Guard | undefined {
  const parts = along(index, [taps[at]]);
  if (parts === undefined) return undefined;
  const { steps, rest: place } = parts;
  const others = [channel, ...taps, ...(at === 1 ? [] : [column])];
  if (!isEmittable(place) || dependsOn(place, others)) return undefined;
  const isOfColumn = along(place, [column])?.rest.terms.length === 0;
  const dilation = taps[at] === undefined ? 1 : steps[0]!;
  return at === 0 || isOfColumn ? { place, dilation, limit } : undefined;
}
