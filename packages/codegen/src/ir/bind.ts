/** @file Specializes nests to fixed sizes: symbols become numbers, and exact divisions cancel. */
import { type Bindings, freeSymbols } from "@sconce/symbolic";
import { forEachAtom, type Index } from "./index-expr.js";
import type { LoopNest, LoopProgram } from "./loop-program.js";
import { isEmpty, Rewriter } from "./rewrite.js";
import { constantScalar, type Scalar } from "./scalar.js";
import { forEachScalar, indicesOf, readsOf } from "./traverse.js";

/** Nests without sizes, which need not be bound again. */
const BOUND = new WeakSet<LoopNest>();

/** Returns the nest with numbers in place of sizes; parts that are shared stay shared. */
export function bindNest(nest: LoopNest, sizes: Bindings): LoopNest {
  if (BOUND.has(nest)) return nest;
  const rewriter = new Rewriter({ sizes });
  const axes = nest.axes.map((one) => rewriter.axis(one));
  // The sizes of a nest without elements may be invalid: quotients by an extent of zero.
  const value = axes.some(isEmpty) ? constantScalar(0, nest.value.dtype) : rewriter.scalar(nest.value);
  const bound = { ...nest, axes, value };
  BOUND.add(bound);
  return bound;
}
/** Returns the index with numbers in place of sizes. */
export const bindIndex = (index: Index, sizes: Bindings): Index => new Rewriter({ sizes }).index(index);
/** Returns whether a nest has sizes that are known only when the program runs. */
export function hasSizes({ axes, value }: LoopNest): boolean {
  let found = false;
  const look = (index: Index): void =>
    forEachAtom(index, (item) => {
      found ||= item.kind === "size";
      if (item.kind === "value") look(item.bound);
    });
  for (const { extent } of axes) look(extent);
  forEachScalar(value, (scalar) => {
    for (const index of indicesOf(scalar)) look(index);
    if (scalar.kind === "reduce") for (const { extent } of scalar.axes) look(extent);
  });
  return found;
}
/** Returns the symbols in the sizes of a nest, and of the buffers that it uses. */
export function symbolsOf(nest: LoopNest, { buffers }: LoopProgram): ReadonlySet<string> {
  const found = new Set<string>();
  const look = (index: Index): void =>
    forEachAtom(index, (item) => {
      if (item.kind === "size") for (const name of freeSymbols(item.expr).keys()) found.add(name);
      if (item.kind === "value") look(item.bound);
    });
  for (const index of indicesIn(nest)) look(index);
  for (const id of [...readsOf(nest.value), nest.output]) buffers[id]!.shape.forEach(look);
  return found;
}
/** Returns all indices of a nest: its extents, and those of its value. */
export function indicesIn({ axes, value }: LoopNest): readonly Index[] {
  const found = axes.map(({ extent }) => extent);
  forEachScalar(value, (scalar) => {
    found.push(...indicesOf(scalar));
    if (scalar.kind === "reduce") for (const { extent } of scalar.axes) found.push(extent);
  });
  return found;
}
/** Returns a copy of a scalar with its axes replaced by indices. */
export const substituteAxes = (scalar: Scalar, axes: ReadonlyMap<string, Index>): Scalar =>
  new Rewriter({ axes }).scalar(scalar);
