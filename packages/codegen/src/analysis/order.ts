/**
 * @file Finds the parts of nests that sort: what is ordered, and where the element of each rank
 * goes.
 */
import { type Axis, atom, same } from "../ir/index-expr.js";
import type { LoopNest } from "../ir/loop-program.js";
import type { ReduceScalar, Scalar } from "../ir/scalar.js";
import { axesOf, outerReductions } from "./contraction.js";

/** A nest that ranks the elements of rows. */
export interface Rank {
  /** The axis that rows run along. */
  readonly axis: Axis;
  /**
   * What is ordered, at a place of the nest. NaN counts as the greatest, equals keep their order.
   */
  readonly value: Scalar;
  /** Whether greater elements come first. */
  readonly descending: boolean;
  /** How many ranks are read: others may be any number that is not less. */
  readonly first?: number | undefined;
}

/** Returns the ranking that a nest is. */
export function rankOf({ hint, axes, value }: LoopNest): Rank | undefined {
  if (hint?.kind !== "rank" || value.kind !== "reduce") return undefined;
  const axis = axes.find(({ name }) => name === hint.axis);
  const own = orderedIn(value);
  return axis && own && { axis, value: own, descending: hint.descending, first: hint.first };
}
/**
 * Returns the element that others are compared with: the other side of the equality that orders
 * equal elements.
 */
function orderedIn({ body }: ReduceScalar): Scalar | undefined {
  const comes = body.kind === "cast" ? body.value : body;
  const ties = isCall(comes, "or") ? comes.args[1] : undefined;
  const equal = isCall(ties, "and") ? ties.args[1] : undefined;
  const test = isCall(equal, "or") ? equal.args[0] : equal;
  return isCall(test, "eq") ? test.args[1] : undefined;
}
const isCall = (scalar: Scalar | undefined, fn: string): scalar is Extract<Scalar, { kind: "call" }> =>
  scalar?.kind === "call" && scalar.fn === fn;

/** A nest that looks for the place of each rank. */
export interface Placing {
  /** The axis of the output, along which ranks count. */
  readonly axis: Axis;
  /** The reduction that finds the place. */
  readonly reduce: ReduceScalar;
  /** The axis of places. */
  readonly along: Axis;
  /** The rank of a place, which no other place of the row has. */
  readonly rank: Scalar;
}

/** Returns the search for places that a nest is. */
export function placingOf({ hint, axes, value }: LoopNest): Placing | undefined {
  if (hint?.kind !== "place") return undefined;
  const axis = axes.find(({ name }) => name === hint.axis);
  const [reduce, ...more] = outerReductions(value);
  if (axis === undefined || reduce?.axes.length !== 1 || more.length > 0 || !isCall(reduce.when, "eq"))
    return undefined;
  const [rank, wanted] = reduce.when.args as [Scalar, Scalar];
  const isOwn = wanted.kind === "index" && same(wanted.index, atom(axis));
  if (!isOwn || [rank, reduce.body].some((part) => axesOf(part).has(axis.name))) return undefined;
  return { axis, reduce, along: reduce.axes[0]!, rank };
}
