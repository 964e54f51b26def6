/**
 * @file What loops take for granted of the sizes of a run: they are not negative, every place that
 * is read exists, and places have 32 bits.
 */
import { type Bindings, printExpr, type SymExpr } from "@sconce/symbolic";
import { hasSizes, indicesIn } from "../ir/bind.js";
import { type Axis, fixedValue, forEachAtom, type Index, isWithin, product } from "../ir/index-expr.js";
import { fits, type IndexRange, IndexRanges, MOST } from "../ir/index-range.js";
import { KnownSizes, NO_SIZES } from "../ir/known-sizes.js";
import type { LoopBuffer, LoopNest, LoopProgram, SizeAssumption } from "../ir/loop-program.js";
import { forEachScalar, readsOf } from "../ir/traverse.js";
import { type GuardedLoad, guardedLoads } from "./guarded-loads.js";
import { isLoadInside } from "./load-inside.js";
import { isInsideForAllSizes } from "./peel-axes.js";

/** Nodes whose loops do not compute their values at some sizes, and why. */
export interface SizeFault {
  readonly nodes: readonly string[];
  readonly reason: string;
  /** Whether a size has no value that a size may have. */
  readonly isInvalid: boolean;
}
type Fault = Omit<SizeFault, "nodes">;

const invalid = (reason: string): Fault => ({ reason, isInvalid: true });
const outside = (reason: string): Fault => ({ reason, isInvalid: false });

/** What a nest depends on. */
interface NestSizes {
  readonly nest: LoopNest;
  /** Sizes by their text. */
  readonly sizes: ReadonlyMap<string, SymExpr>;
  /** Axes that run together: those of the output, and those of each reduction. */
  readonly spaces: readonly (readonly Axis[])[];
  /** Indices that are divided. */
  readonly divided: readonly Index[];
  /** Indices that are values. */
  readonly values: readonly Index[];
  /** Those of them that depend on sizes. */
  readonly sizedValues: readonly Index[];
  /** Loads that are not inside for all sizes; undefined if there are too many to look at. */
  readonly loads: readonly OpenLoad[] | undefined;
}
/** A load, and the number of elements of its buffer. */
interface OpenLoad extends GuardedLoad {
  readonly limit: Index;
}

/** A load that sizes keep inside of its buffer. */
export interface SizedLoad extends GuardedLoad {
  /** The number of elements of the buffer. */
  readonly limit: Index;
}

/** What has to hold at the sizes of a run. */
export interface SizeRequirements {
  /** Sizes: integers from 0 on. */
  readonly sizes: readonly SymExpr[];
  /** Axes that run together: as many places as integers of 32 bits count. */
  readonly spaces: readonly (readonly Axis[])[];
  /** Indices whose values are integers of 32 bits. */
  readonly narrow: readonly Index[];
  /** Indices whose values are exact as doubles. */
  readonly exact: readonly Index[];
  /** Loads whose places are from 0 on and below a limit, where all axes have places. */
  readonly loads: readonly SizedLoad[];
  /** What decompositions took for granted. */
  readonly assumptions: readonly SizeAssumption[];
}

/** The assumptions of the nests of a program about sizes. */
export class SizeLimits {
  readonly #nests: readonly NestSizes[];
  readonly #buffers: readonly LoopBuffer[];
  readonly #assumptions: readonly SizeAssumption[];
  /** What all nests depend on, each once. */
  readonly #all: Omit<NestSizes, "nest" | "values">;

  constructor({ nests, buffers, assumptions = [] }: LoopProgram) {
    this.#buffers = buffers;
    this.#assumptions = assumptions;
    this.#nests = nests.map((nest) => sizesOf(nest, buffers));
    this.#all = joined(this.#nests);
  }

  /**
   * What all nests depend on, for code that asks when it runs; undefined where that is too much.
   */
  get requirements(): SizeRequirements | undefined {
    const { sizes, spaces, divided, sizedValues, loads } = this.#all;
    const open = loads?.filter((load) => !isInsideForAllSizes(load, load.limit));
    if (open === undefined) return undefined;
    const values = this.#nests.flatMap((nest) => nest.values);
    return {
      sizes: [...sizes.values()],
      spaces,
      narrow: [...divided, ...values],
      exact: sizedValues,
      loads: open,
      assumptions: this.#assumptions,
    };
  }

  /** Returns the nodes whose loops do not serve these sizes. */
  faults(sizes: Bindings): readonly SizeFault[] {
    const known = new KnownSizes(sizes);
    const ranges = new IndexRanges(known);
    const broken = this.#assumptions.filter((one) =>
      one.kind === "index" ? !(ranges.exact(one.index) >= 0) : known.truth(one.condition) !== one.truth,
    );
    const faults = broken.map((one): SizeFault => ({ nodes: [one.node], ...invalid(brokenText(one)) }));
    // Most sizes suit all nests, which have the same few extents.
    const nests = this.#fault(this.#all, ranges, true) === undefined ? [] : this.#nests;
    for (const one of nests) {
      const fault = this.#fault(one, ranges);
      if (fault !== undefined) faults.push({ nodes: one.nest.nodes, ...fault });
    }
    return faults;
  }

  /** Returns whether all indices that are values fit 32 bits. */
  areNarrow(sizes: Bindings): boolean {
    const ranges = new IndexRanges(new KnownSizes(sizes));
    return this.#nests.every(({ values }) => values.every((index) => fits(ranges.of(index))));
  }

  /** @param isEach whether the spaces are those of several nests, of which one may be empty */
  #fault(
    { sizes, spaces, divided, sizedValues, loads }: Omit<NestSizes, "nest" | "values">,
    ranges: IndexRanges,
    isEach = false,
  ): Fault | undefined {
    for (const [text, expr] of sizes) {
      const value = ranges.size(expr);
      if (Number.isNaN(value)) return invalid(`its size ${text} is not known as an integer below 2^53`);
      if (value < 0) return invalid(`its size ${text} is negative`);
    }
    for (const [at, axes] of spaces.entries()) {
      let volume = 1;
      for (const { extent } of axes) {
        const count = ranges.exact(extent);
        if (!(count >= 0)) return invalid(`its size ${extent.text} is negative, or 2^53 or more`);
        volume *= count;
      }
      if (volume === 0 && at === 0 && !isEach) return undefined;
      if (volume > MOST) return outside("it takes more elements than integers of 32 bits count");
    }
    if (!divided.every((index) => fits(ranges.of(index)))) return outside("its places are beyond 32 bits");
    // Sizes are doubles: larger ones are rounded, and products of them wrap.
    if (!sizedValues.every((index) => isExact(ranges.of(index))))
      return outside("it computes with a size of 2^53 or more");
    if (loads === undefined) return outside(TOO_LARGE);
    const load = loads.find((one) => !isLoadInside(one, ranges.exact(one.limit), ranges));
    return load && outside(`it would read outside of %${this.#buffers[load.buffer]!.node}`);
  }
}

const isExact = ({ low, high }: IndexRange): boolean =>
  low >= Number.MIN_SAFE_INTEGER && high <= Number.MAX_SAFE_INTEGER;

const brokenText = (one: SizeAssumption): string =>
  one.kind === "index"
    ? `${one.index.text} is negative`
    : `its decomposition takes ${printExpr(one.condition)} to be ${one.truth}`;

function sizesOf(nest: LoopNest, buffers: readonly LoopBuffer[]): NestSizes {
  const sizes = new Map<string, SymExpr>();
  const divided = new Map<string, Index>();
  const look = (index: Index): void =>
    forEachAtom(index, (item) => {
      if (item.kind === "size") sizes.set(printExpr(item.expr), item.expr);
      if (item.kind === "value") look(item.bound);
      if (item.kind !== "quotient" && item.kind !== "remainder") return;
      divided.set(item.numerator.text, item.numerator);
    });
  indicesIn(nest).forEach(look);
  for (const id of [...readsOf(nest.value), nest.output]) buffers[id]!.shape.forEach(look);
  const spaces = [nest.axes];
  const values: Index[] = [];
  forEachScalar(nest.value, (scalar) => {
    if (scalar.kind === "reduce") spaces.push(scalar.axes);
    if (scalar.kind === "index" && fixedValue(scalar.index) === undefined) values.push(scalar.index);
  });
  const isOpen = hasSizes(nest) || sizes.size > 0;
  const loads = isOpen ? openLoads(nest, buffers) : [];
  const sizedValues = values.filter(dependsOnSizes);
  return { nest, sizes, spaces, divided: [...divided.values()], values, sizedValues, loads };
}

function dependsOnSizes(index: Index): boolean {
  let found = false;
  forEachAtom(index, (item) => {
    if (item.kind === "size") found = true;
  });
  return found;
}

/** Returns what several nests depend on, each once. */
function joined(nests: readonly NestSizes[]): Omit<NestSizes, "nest" | "values"> {
  const spaces = new Map<string, readonly Axis[]>();
  const divided = new Map<string, Index>();
  const sizedValues = new Map<string, Index>();
  for (const one of nests) {
    for (const index of one.sizedValues) sizedValues.set(index.text, index);
    for (const axes of one.spaces) spaces.set(axes.map(({ extent }) => extent.text).join(), axes);
    for (const index of one.divided) divided.set(index.text, index);
  }
  const loads = nests.map((one) => one.loads);
  return {
    sizes: new Map(nests.flatMap((one) => [...one.sizes])),
    spaces: [...spaces.values()],
    divided: [...divided.values()],
    sizedValues: [...sizedValues.values()],
    loads: loads.includes(undefined) ? undefined : loads.flatMap((own) => own ?? []),
  };
}

/**
 * Returns why places that nests read may not exist at any sizes; undefined if all exist. Rules of
 * shapes compare most operands of a call, but not all that its loops index alike. Nests with
 * symbolic sizes are looked at when these are known.
 */
export function whyNotInside({ nests, buffers }: LoopProgram): string | undefined {
  for (const nest of nests) {
    if (hasSizes(nest)) continue;
    const loads = openLoads(nest, buffers);
    if (loads === undefined) return TOO_LARGE;
    const load = loads.find(({ limit, ...own }) => {
      const most = fixedValue(limit);
      return most !== undefined && !isLoadInside(own, most, STATIC);
    });
    if (load !== undefined) return `it may read outside of %${buffers[load.buffer]!.node}`;
  }
  return undefined;
}
const TOO_LARGE = "it is too large to prove that its places exist";
/** No size is symbolic. */
const STATIC = new IndexRanges(NO_SIZES);

/** Loads whose places are not inside for all sizes. */
function openLoads(nest: LoopNest, buffers: readonly LoopBuffer[]): readonly OpenLoad[] | undefined {
  const limits = new Map<number, Index>();
  return guardedLoads(nest.value, nest.axes)?.flatMap((load) => {
    const limit = limits.get(load.buffer) ?? product(buffers[load.buffer]!.shape);
    limits.set(load.buffer, limit);
    return isWithin(load.index, limit) ? [] : { ...load, limit };
  });
}
