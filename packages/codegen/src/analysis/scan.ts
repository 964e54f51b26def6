/**
 * @file Finds the parts of nests in which element `i` along an axis reduces the elements up to `i`.
 */
import type { Axis } from "../ir/index-expr.js";
import { atom, same } from "../ir/index-expr.js";
import type { LoopNest } from "../ir/loop-program.js";
import type { ReduceScalar, Scalar } from "../ir/scalar.js";
import { axesOf, outerReductions } from "./contraction.js";

/**
 * A scan. The values that it reduces do not depend on the element of the result, so that elements
 * may share partial results.
 */
export interface Scan {
  /** The axis of the output. */
  readonly axis: Axis;
  /** The axis of the reduction, as long. */
  readonly along: Axis;
  /** The reduction over the elements so far. */
  readonly reduce: ReduceScalar;
  /** What has to hold besides `along <= axis` for an element to take part. */
  readonly when: readonly Scalar[];
}

/** Returns the parts that all have to hold. */
export function conjunctsOf(condition: Scalar): readonly Scalar[] {
  const found = new Set<Scalar>();
  const seen = new Set<Scalar>();
  const take = (part: Scalar): void => {
    if (seen.has(part)) return;
    seen.add(part);
    if (part.kind === "call" && part.fn === "and") part.args.forEach(take);
    else found.add(part);
  };
  take(condition);
  return [...found];
}

/**
 * Returns a nest as a scan; undefined for other nests, and where the reduced values depend on the
 * element of the result.
 */
export function scanOf({ hint, axes, value }: LoopNest): Scan | undefined {
  if (hint?.kind !== "scan") return undefined;
  const axis = axes.find(({ name }) => name === hint.axis);
  const [reduce, ...more] = outerReductions(value);
  if (axis === undefined || reduce?.when === undefined || reduce.axes.length !== 1 || more.length > 0)
    return undefined;
  const [along] = reduce.axes as [Axis];
  if (!same(along.extent, axis.extent)) return undefined;
  const conditions = conjunctsOf(reduce.when);
  const limit = conditions.find((part) => isUpTo(part, along, axis));
  if (limit === undefined) return undefined;
  const when = conditions.filter((part) => part !== limit);
  const others = [reduce.body, ...when, ...(reduce.initial === undefined ? [] : [reduce.initial])];
  if (others.some((part) => axesOf(part).has(axis.name))) return undefined;
  return { axis, along, reduce, when };
}

function isUpTo(condition: Scalar, along: Axis, axis: Axis): boolean {
  if (condition.kind !== "call" || condition.fn !== "le") return false;
  const [a, b] = condition.args as [Scalar, Scalar];
  return a.kind === "index" && b.kind === "index" && same(a.index, atom(along)) && same(b.index, atom(axis));
}
