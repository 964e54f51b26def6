/**
 * @file Finds values worth keeping that a reduction and the elements of its rows both compute: the
 * exponentials of a softmax.
 */
import type { DType } from "@sconce/tensor";
import { PLACE, type RowPart } from "../analysis/row-groups.js";
import { AlwaysComputed } from "../ir/always.js";
import { forEachAtom, same } from "../ir/index-expr.js";
import type { LoopProgram } from "../ir/loop-program.js";
import { FLOAT_UNARY, partsOf, type Scalar, type ScalarFn } from "../ir/scalar.js";
import { scalarText } from "../ir/scalar-text.js";
import { indicesOf } from "../ir/traverse.js";

/** One value in two places. */
export interface Kept {
  readonly inReduction: Scalar;
  readonly inElements: Scalar;
  /** The part that gives the elements, in whose output the value fits. */
  readonly part: RowPart;
}

/** Functions of few operations: they cost less than a load. */
const QUICK: ReadonlySet<string> = new Set(["reciprocal", "sqrt", "rsqrt"]);
const COSTLY: ReadonlySet<ScalarFn> = new Set<ScalarFn>([
  ...FLOAT_UNARY.filter((fn) => !QUICK.has(fn)),
  "pow",
  "atan2",
]);

/** Returns the value to be kept; undefined where there is none or no room for it. */
export function keptOf(parts: readonly RowPart[], program: LoopProgram): Kept | undefined {
  const [part, ...more] = parts.filter(({ reduce }) => reduce === undefined);
  if (part === undefined || more.length > 0) return undefined;
  const { dtype } = program.buffers[part.nest.output]!;
  for (const { reduce, places } of [...parts].reverse()) {
    if (reduce === undefined || reduce.when !== undefined || !same(places, part.places)) continue;
    const known = new Map<string, Scalar>();
    for (const scalar of new AlwaysComputed().of(reduce.body)) known.set(scalarText(scalar), scalar);
    const inElements = first(
      part.value,
      (scalar) => isCostly(scalar, dtype) && known.has(scalarText(scalar)),
    );
    if (inElements !== undefined)
      return { inReduction: known.get(scalarText(inElements))!, inElements, part };
  }
  return undefined;
}
const isCostly = (scalar: Scalar, dtype: DType): boolean =>
  scalar.dtype === dtype &&
  first(scalar, (one) => one.kind === "call" && COSTLY.has(one.fn)) !== undefined &&
  first(scalar, isOfPlace) !== undefined;
/** Returns whether it is another one for each element of a row. */
function isOfPlace(scalar: Scalar): boolean {
  let found = false;
  for (const index of indicesOf(scalar))
    forEachAtom(index, (item) => {
      found ||= item.kind === "axis" && item.name === PLACE;
    });
  return found;
}

/** Returns the largest part that passes, rows' own values left out. */
function first(root: Scalar, test: (scalar: Scalar) => boolean): Scalar | undefined {
  const seen = new Set<Scalar>();
  const search = (scalar: Scalar): Scalar | undefined => {
    if (scalar.kind === "reduce" || seen.has(scalar)) return undefined;
    seen.add(scalar);
    if (test(scalar)) return scalar;
    for (const part of partsOf(scalar)) {
      const found = search(part);
      if (found !== undefined) return found;
    }
    return undefined;
  };
  return search(root);
}
