/** @file The loads of a nest, with the conditions on axes under which they are reached. */
import type { Axis, Index } from "../ir/index-expr.js";
import { add, constant, forEachAtom, subtract } from "../ir/index-expr.js";
import { partsOf, type Scalar } from "../ir/scalar.js";
import { indicesOf } from "../ir/traverse.js";
import { conjunctsOf } from "./scan.js";

/** A load of a nest. */
export interface GuardedLoad {
  /** The buffer. */
  readonly buffer: number;
  /** The place that is read. */
  readonly index: Index;
  /** Indices that are not negative where the load is reached. */
  readonly guards: readonly Index[];
  /** Axes of the nest, and of the reductions around the load. */
  readonly axes: readonly Axis[];
}

/** Conditions under which a scalar is reached. */
interface Scope {
  readonly guards: readonly Index[];
  readonly axes: readonly Axis[];
  /** What was visited under these conditions. */
  readonly seen: Set<Scalar>;
}

/** Visits of scalars after which the walk ends. */
const MOST_VISITS = 10_000;

/** Returns the loads of a scalar; undefined for one that is too large to look at. */
export function guardedLoads(root: Scalar, axes: readonly Axis[]): readonly GuardedLoad[] | undefined {
  const loads: GuardedLoad[] = [];
  let visits = 0;
  const inside = (scalar: Scalar, scope: Scope): void => {
    if (scope.seen.has(scalar) || visits > MOST_VISITS) return;
    scope.seen.add(scalar);
    visits++;
    const { guards } = scope;
    if (scalar.kind === "load")
      loads.push({ buffer: scalar.buffer, index: scalar.index, guards, axes: scope.axes });
    for (const index of indicesOf(scalar))
      forEachAtom(index, (item) => {
        if (item.kind === "value") inside(item.scalar, scope);
      });
    if (scalar.kind === "select") {
      inside(scalar.condition, scope);
      inside(scalar.then, under(scope, conjunctsOf(scalar.condition).flatMap(whereTrue)));
      inside(scalar.otherwise, under(scope, whereFalse(scalar.condition)));
    } else if (scalar.kind === "reduce") {
      const own = { ...scope, axes: [...scope.axes, ...scalar.axes], seen: new Set<Scalar>() };
      if (scalar.initial !== undefined) inside(scalar.initial, scope);
      if (scalar.when !== undefined) inside(scalar.when, own);
      inside(
        scalar.body,
        scalar.when === undefined ? own : under(own, conjunctsOf(scalar.when).flatMap(whereTrue)),
      );
    } else for (const part of partsOf(scalar)) inside(part, scope);
  };
  inside(root, { guards: [], axes, seen: new Set() });
  return visits > MOST_VISITS ? undefined : loads;
}

const under = (scope: Scope, guards: readonly Index[]): Scope =>
  guards.length === 0 ? scope : { ...scope, guards: [...scope.guards, ...guards], seen: new Set() };

/** Indices that are not negative where a comparison of indices holds. */
function whereTrue(condition: Scalar): readonly Index[] {
  if (condition.kind !== "call" || condition.args.length !== 2) return [];
  const [a, b] = condition.args.map(indexOf);
  if (a === undefined || b === undefined) return [];
  switch (condition.fn) {
    case "lt":
      return [add(subtract(b, a), constant(-1))];
    case "le":
      return [subtract(b, a)];
    case "gt":
      return [add(subtract(a, b), constant(-1))];
    case "ge":
      return [subtract(a, b)];
    case "eq":
      return [subtract(a, b), subtract(b, a)];
    default:
      return [];
  }
}
const OPPOSITE: Readonly<Record<string, "lt" | "le" | "gt" | "ge">> = {
  lt: "ge",
  le: "gt",
  gt: "le",
  ge: "lt",
};
function whereFalse(condition: Scalar): readonly Index[] {
  const fn = condition.kind === "call" ? OPPOSITE[condition.fn] : undefined;
  return fn === undefined || condition.kind !== "call" ? [] : whereTrue({ ...condition, fn });
}

function indexOf(scalar: Scalar): Index | undefined {
  if (scalar.kind === "index") return scalar.index;
  const isWhole = scalar.kind === "constant" && Number.isSafeInteger(scalar.value);
  return isWhole ? constant(Number(scalar.value)) : undefined;
}
