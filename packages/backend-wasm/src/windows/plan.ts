/**
 * @file Recognizes windows over images whose channels are last: depthwise convolutions, pools and
 * means of pixels.
 */
import {
  type Axis,
  add,
  atom,
  conjunctsOf,
  constant,
  extentOf,
  fixedValue,
  type Index,
  type LoopNest,
  outerReductions,
  product,
  type ReduceScalar,
  type Scalar,
  scale,
} from "@sconce/codegen";
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

/** A coordinate of the image that must be in `[0, limit)`: `place + tap * dilation`. */
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
  const [image, weight] = factorsOf(reduce, roles) ?? [];
  if (image === undefined || ![image.column, ...image.taps].every((step) => step >= 0)) return undefined;
  const guards = guardsOf(reduce.when, roles);
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

/** The image, and the weights where elements are multiplied. */
function factorsOf(
  { body, reduce }: ReduceScalar,
  roles: Roles,
): readonly [Steps, Steps | undefined] | undefined {
  const isProduct = reduce === "sum" && body.kind === "call" && body.fn === "mul";
  const parts = (isProduct ? body.args : [body]).map((part) => stepsOf(part, roles));
  const image = parts.find((part) => part?.channel === 1 && !(isProduct && isWeight(part)));
  if (image === undefined) return undefined;
  if (!isProduct) return [image, undefined];
  const weight = parts.find((part) => part !== image);
  return weight !== undefined && isWeight(weight) && weight.channel !== 0 ? [image, weight] : undefined;
}
/** Whether elements are the same for all pixels. */
const isWeight = ({ outer, column }: Steps): boolean => outer.terms.length === 0 && column === 0;

/** The steps of a load of float32 by the axes of a plan; undefined for other scalars. */
export function stepsOf(scalar: Scalar, { channel, column, taps }: Roles): Steps | undefined {
  if (scalar.kind !== "load" || scalar.dtype !== "float32") return undefined;
  const names = [column, channel, ...taps].map((axis) => axis?.name);
  const found = [0, 0, 0, 0];
  let outer = constant(scalar.index.constant);
  for (const { coefficient, atoms } of scalar.index.terms) {
    const [item] = atoms;
    const at = atoms.length === 1 && item!.kind === "axis" ? names.indexOf(item!.name) : -1;
    if (at >= 0) found[at] = coefficient;
    else outer = add(outer, scale(product(atoms.map(atom)), coefficient));
  }
  if (!isEmittable(outer) || names.some((name) => name !== undefined && outer.text.includes(name)))
    return undefined;
  const [ofColumn, ofChannel, row, tap] = found as [number, number, number, number];
  return { buffer: scalar.buffer, outer, column: ofColumn, channel: ofChannel, taps: [row, tap] };
}

/** What a condition says of a coordinate. */
interface Bounds {
  readonly index: Index;
  isPositive: boolean;
  limit: number;
}

/**
 * The guards of a reduction's condition; undefined if it is not that coordinates lie in the image.
 */
function guardsOf(when: Scalar | undefined, roles: Roles): WindowPlan["guards"] | undefined {
  const bounds = new Map<string, Bounds>();
  for (const part of when === undefined ? [] : conjunctsOf(when)) {
    if (part.kind !== "call" || (part.fn !== "ge" && part.fn !== "lt")) return undefined;
    const [left, right] = part.args as [Scalar, Scalar];
    const limit =
      right.kind === "index" ? fixedValue(right.index) : Number(right.kind === "constant" && right.value);
    if (left.kind !== "index" || limit === undefined || !Number.isInteger(limit)) return undefined;
    const { index } = left;
    const known = bounds.get(index.text) ?? { index, isPositive: false, limit: UNLIMITED };
    bounds.set(index.text, known);
    if (part.fn === "lt") known.limit = Math.min(known.limit, limit);
    else if (limit === 0) known.isPositive = true;
    else return undefined;
  }
  const guards: [Guard | undefined, Guard | undefined] = [undefined, undefined];
  for (const one of bounds.values()) {
    const at = roles.taps.findIndex((tap) => tap !== undefined && coefficientOf(one.index, tap) > 0);
    const guard = at < 0 ? undefined : guardOf(one, roles, roles.taps[at]!);
    if (guard === undefined || guards[at] !== undefined) return undefined;
    guards[at] = guard;
  }
  return guards;
}
/** More than any coordinate. */
const UNLIMITED = 2 ** 30;

/**
 * A guard of a tap: of the column of a pixel for the last one, of the axes around rows for others.
 */
function guardOf({ index, limit }: Bounds, { channel, column, taps }: Roles, tap: Axis): Guard | undefined {
  const dilation = coefficientOf(index, tap);
  const place = add(index, scale(atom(tap), -dilation));
  const others = [channel, ...taps, ...(tap === taps[1] ? [] : [column])];
  const isPlain =
    isEmittable(place) && !others.some((axis) => axis !== undefined && place.text.includes(axis.name));
  const isOfColumn = place.terms.every(
    ({ atoms }) => atoms.length === 1 && atoms[0]!.kind === "axis" && atoms[0]!.name === column.name,
  );
  return isPlain && (tap !== taps[1] || isOfColumn) ? { place, dilation, limit } : undefined;
}

/** The factor of an axis in an index; 0 where it is not one. */
export const coefficientOf = ({ terms }: Index, { name }: Pick<Axis, "name">): number =>
  terms.find(({ atoms }) => atoms.length === 1 && atoms[0]!.kind === "axis" && atoms[0]!.name === name)
    ?.coefficient ?? 0;
