/**
 * @file Recognizes sums of products, and assigns the axes of a nest to the factors. Matrix products
 * and convolutions have the same form, so one emitter strategy serves both.
 */

import { isFloatDType } from "@sconce/tensor";
import { AlwaysComputed } from "../ir/always.js";
import type { Axis } from "../ir/index-expr.js";
import { forEachAtom } from "../ir/index-expr.js";
import type { LoopNest } from "../ir/loop-program.js";
import { partsOf, type ReduceScalar, type Scalar } from "../ir/scalar.js";
import type { SelectScalar } from "../ir/terms.js";
import { indicesOf } from "../ir/traverse.js";

/** One factor of the products. */
export interface ContractionSide {
  /** The operand's element. */
  readonly value: Scalar;
  /** Axes of the output that this factor has and the other has not, in the output's order. */
  readonly axes: readonly Axis[];
  /**
   * Where it is false, the factor is zero, or the product is left out; depends on this side's axes,
   * the batch and the inner ones.
   */
  readonly when?: Scalar | undefined;
  /** Whether the factor is zero where `when` is false. */
  readonly isPadded?: boolean;
}

/** A nest whose value holds one sum of products. */
export interface Contraction {
  /** The sum of products. */
  readonly reduce: ReduceScalar;
  /** The factor without the last axis of the output, where one is without it. */
  readonly rows: ContractionSide;
  /** The operand whose other axes are the columns of the result. */
  readonly columns: ContractionSide;
  /** Axes that both factors have, or neither. */
  readonly batch: readonly Axis[];
  /** Axes that are summed over. */
  readonly inner: readonly Axis[];
}

/** Names of the axes that a scalar's value depends on; `known` keeps those of its parts. */
export function axesOf(
  scalar: Scalar,
  known: Map<Scalar, ReadonlySet<string>> = new Map(),
): ReadonlySet<string> {
  const found = known.get(scalar);
  if (found !== undefined) return found;
  const axes = new Set<string>();
  const take = (part: Scalar): void => {
    for (const axis of axesOf(part, known)) axes.add(axis);
  };
  for (const part of partsOf(scalar)) take(part);
  for (const index of indicesOf(scalar))
    forEachAtom(index, (item) => {
      if (item.kind === "axis") axes.add(item.name);
      if (item.kind === "value") take(item.scalar);
    });
  if (scalar.kind === "reduce") for (const { name } of scalar.axes) axes.delete(name);
  known.set(scalar, axes);
  return axes;
}

/** Returns the reductions of a scalar that are in no other. */
export function outerReductions(root: Scalar): ReadonlySet<ReduceScalar> {
  const found = new Set<ReduceScalar>();
  const seen = new Set<Scalar>();
  const walk = (scalar: Scalar): void => {
    if (seen.has(scalar)) return;
    seen.add(scalar);
    if (scalar.kind === "reduce") found.add(scalar);
    else partsOf(scalar).forEach(walk);
  };
  walk(root);
  return found;
}

/**
 * Returns the same without those that a choice may leave out, where one is left: these are for rare
 * cases.
 */
export function mainReductions(value: Scalar): readonly ReduceScalar[] {
  const all = [...outerReductions(value)];
  if (all.length < 2) return all;
  const always = new AlwaysComputed().of(value);
  const main = all.filter((reduce) => always.has(reduce));
  return main.length === 1 ? main : all;
}

/** Returns the contraction of a nest; undefined when its value is anything else. */
export function contractionOf(nest: LoopNest): Contraction | undefined {
  const [reduce, ...more] = outerReductions(nest.value);
  if (reduce === undefined || more.length > 0) return undefined;
  const { body } = reduce;
  if (reduce.reduce !== "sum" || reduce.initial !== undefined || !isFloatDType(reduce.dtype))
    return undefined;
  if (body.kind !== "call" || body.fn !== "mul") return undefined;
  const [a, b] = body.args as readonly [Scalar, Scalar];
  if (a === b || outerReductions(body).size > 0) return undefined;
  const [ofA, ofB] = [axesOf(a), axesOf(b)];
  const own = (mine: ReadonlySet<string>, other: ReadonlySet<string>): readonly Axis[] =>
    nest.axes.filter(({ name }) => mine.has(name) && !other.has(name));
  const sides: readonly [ContractionSide, ContractionSide] = [
    { value: a, axes: own(ofA, ofB) },
    { value: b, axes: own(ofB, ofA) },
  ];
  const guarded = withGuard(sides, reduce);
  if (guarded === undefined) return undefined;
  const [first, second] = guarded;
  const last = (side: ContractionSide): number =>
    Math.max(-1, ...side.axes.map((one) => nest.axes.indexOf(one)));
  const [rows, columns] = last(first) > last(second) ? [second, first] : [first, second];
  const ofSides = new Set([...rows.axes, ...columns.axes]);
  const batch = nest.axes.filter((one) => !ofSides.has(one));
  return { reduce, rows, columns, batch, inner: reduce.axes };
}

/** Returns whether a scalar is an element where a condition holds, and zero elsewhere. */
export const isZeroOutside = (scalar: Scalar): scalar is SelectScalar =>
  scalar.kind === "select" && scalar.otherwise.kind === "constant" && scalar.otherwise.value === 0;

/** Returns a factor that is zero outside of a tensor as its element and the condition. */
const unpadded = (side: ContractionSide): ContractionSide =>
  isZeroOutside(side.value)
    ? { ...side, value: side.value.then, when: side.value.condition, isPadded: true }
    : side;

/**
 * Returns the sides, with the condition of the padding or of the reduction at the one that has its
 * axes.
 */
function withGuard(
  sides: readonly [ContractionSide, ContractionSide],
  { when }: ReduceScalar,
): readonly [ContractionSide, ContractionSide] | undefined {
  if (when === undefined) return [unpadded(sides[0]), unpadded(sides[1])];
  const names = axesOf(when);
  const [first, second] = sides;
  const has = ({ axes }: ContractionSide): boolean => axes.some(({ name }) => names.has(name));
  if (has(first) && has(second)) return undefined;
  return has(second) ? [first, { ...second, when }] : [{ ...first, when }, second];
}
