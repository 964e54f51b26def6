/** @file Nests whose code is the same however many places their first axis has. */
import {
  bindNest,
  fixedValue,
  forEachAtom,
  forEachScalar,
  type Index,
  indicesOf,
  isWithin,
  type LoopNest,
  type LoopProgram,
  product,
  type Scalar,
} from "@sconce/codegen";
import type { RegionRequest } from "@sconce/device-runtime";
import { type Bindings, freeSymbols } from "@sconce/symbolic";

/** Nests of one region that depend on a size through the number of their rows alone. */
export interface OpenNests {
  /** The nests with so many places as {@link STAND_IN} has. */
  readonly nests: readonly LoopNest[];
  readonly sizes: Bindings;
  /** The axis, of each nest. */
  readonly axes: readonly string[];
  /** The places that there are in this run. */
  readonly places: number;
}

/** Places for which code is made that serves any number of them: not few. */
export const STAND_IN = 512;

/** What a nest has in symbolic sizes. */
interface OpenAxis {
  readonly name: string;
  readonly symbol: string;
}

/**
 * The nests without the number of places along their first axis; undefined if their code depends on
 * it.
 */
export function openNests(
  nests: readonly LoopNest[],
  { loops, sizes }: Pick<RegionRequest, "loops" | "sizes">,
): OpenNests | undefined {
  const symbolic = nests.flatMap(({ output }) => nestsOf(loops).get(output) ?? []);
  const axes = symbolic.flatMap((nest) => knownAxis(nest, loops) ?? []);
  const [first] = axes;
  if (first === undefined || axes.length < nests.length) return undefined;
  const { symbol } = first;
  const places = sizes.get(symbol);
  if (typeof places !== "number" || axes.some((one) => one.symbol !== symbol)) return undefined;
  const open = new Map(sizes).set(symbol, STAND_IN);
  return {
    nests: symbolic.map((nest) => boundOnce(nest, open)),
    sizes: open,
    axes: axes.map(({ name }) => name),
    places,
  };
}

const KNOWN = new WeakMap<LoopProgram, ReadonlyMap<number, LoopNest>>();
/** The nests of a program by their outputs. */
function nestsOf(loops: LoopProgram): ReadonlyMap<number, LoopNest> {
  const known = KNOWN.get(loops) ?? new Map(loops.nests.map((nest) => [nest.output, nest]));
  KNOWN.set(loops, known);
  return known;
}

const AXES = new WeakMap<LoopNest, OpenAxis | undefined>();
function knownAxis(nest: LoopNest, loops: LoopProgram): OpenAxis | undefined {
  if (!AXES.has(nest)) AXES.set(nest, openAxis(nest, loops));
  return AXES.get(nest);
}

const LAST = new WeakMap<LoopNest, { readonly text: string; readonly bound: LoopNest }>();
/** The nest in sizes that are mostly the same each time. */
function boundOnce(nest: LoopNest, sizes: Bindings): LoopNest {
  const text = JSON.stringify([...sizes].map(([name, value]) => [name, String(value)]));
  let last = LAST.get(nest);
  if (last?.text !== text) {
    last = { text, bound: bindNest(nest, sizes) };
    LAST.set(nest, last);
  }
  return last.bound;
}

/** The first axis of a nest, if its extent is a symbol that nothing else in the nest depends on. */
function openAxis({ axes, value, hint }: LoopNest, { buffers }: LoopProgram): OpenAxis | undefined {
  if (hint !== undefined && hint.kind !== "contraction") return undefined;
  const first = axes.find(({ extent }) => fixedValue(extent) !== 1);
  const symbol = first && symbolOf(first.extent);
  if (first === undefined || symbol === undefined) return undefined;
  const isFree = (index: Index): boolean => !mentionsSymbol(index, symbol);
  let isOpen = axes.every((one) => one === first || isFree(one.extent));
  let [hasChoices, isInside] = [false, true];
  forEachScalar(value, (scalar) => {
    isOpen &&= isOpenScalar(scalar, first.name, isFree);
    hasChoices ||= scalar.kind === "select" || (scalar.kind === "reduce" && scalar.when !== undefined);
    if (scalar.kind === "load") isInside &&= isWithin(scalar.index, product(buffers[scalar.buffer]!.shape));
  });
  // What is not chosen is read all the same where it lies inside, which has to hold in all sizes.
  return isOpen && (isInside || !hasChoices) ? { name: first.name, symbol } : undefined;
}

/** The name of the symbol that an index is. */
function symbolOf({ terms, constant }: Index): string | undefined {
  const [term] = terms;
  const [item] = term?.atoms ?? [];
  if (terms.length !== 1 || constant !== 0 || term!.coefficient !== 1 || term!.atoms.length !== 1)
    return undefined;
  return item!.kind === "size" && item!.expr.op === "Symbol" ? item!.expr.name : undefined;
}
function mentionsSymbol(index: Index, symbol: string): boolean {
  let found = false;
  forEachAtom(index, (item) => {
    if (item.kind === "size") found ||= freeSymbols(item.expr).has(symbol);
    if (item.kind === "value") found ||= mentionsSymbol(item.bound, symbol);
  });
  return found;
}

/** Whether a scalar is the same in code for any number of places. */
function isOpenScalar(scalar: Scalar, axis: string, isFree: (index: Index) => boolean): boolean {
  if (scalar.kind === "reduce") return scalar.axes.every(({ extent }) => isFree(extent));
  return indicesOf(scalar).every(
    (index) => isFree(index) && (scalar.kind === "load" ? isLinear(index, axis) : !mentions(index, axis)),
  );
}
function mentions(index: Index, axis: string): boolean {
  let found = false;
  forEachAtom(index, (item) => {
    found ||= item.kind === "axis" && item.name === axis;
  });
  return found;
}
/** Whether no division of an index depends on an axis. */
function isLinear(index: Index, axis: string): boolean {
  return index.terms.every(({ atoms }) =>
    atoms.every(
      (item) =>
        (item.kind !== "quotient" && item.kind !== "remainder") ||
        ![item.numerator, item.denominator].some((part) => mentions(part, axis)),
    ),
  );
}
