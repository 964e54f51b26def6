/**
 * @file Which values of inputs the kernels of a program take: indices that lie inside of what they
 * index. Asked once, for the widest ranges that are allowed.
 */

import { WASM } from "@sconce/backend-wasm/build";
import {
  add,
  constant,
  fixedValue,
  forEachAtom,
  forEachScalar,
  type Index,
  indicesOf,
  type LoopNest,
  scale,
  sizeOf,
} from "@sconce/codegen";
import {
  type BoundCall,
  bindCall,
  type CompiledPlan,
  dependsOnRanges,
  intersection,
  judgeCall,
  type Range,
  rangeOfDType,
  rangeOfTensor,
  smallest,
  type ValueRanges,
} from "@sconce/device-runtime";
import { FakeTensor, forEachInput } from "@sconce/ir";
import { type Bindings, freeSymbols, printExpr, SymExpr } from "@sconce/symbolic";
import { type DType, isIntegralDType } from "@sconce/tensor";
import type { Unbuilt } from "../code/errors.js";
import { Symbols } from "../code/symbols.js";
import { shownSizes } from "./size-plan.js";

/** The values that an input may have, both ends included: numbers, or what sizes of a run give. */
export interface ValueRange {
  /** The placeholder of the lowered program. */
  readonly name: string;
  readonly low: number | Index;
  readonly high: number | Index;
  /** The call that needs it. */
  readonly node: string;
}

/** The ranges of inputs, and calls whose values no range of inputs decides. */
export interface ValueRangesOfPlan {
  readonly ranges: readonly ValueRange[];
  readonly unbuilt: readonly Unbuilt[];
}

/** Returns the widest ranges for which kernels compute all calls of a plan. */
export function valueRanges(plan: CompiledPlan): ValueRangesOfPlan {
  const calls = plan.steps.flatMap(({ region }) => region?.checks ?? []);
  const asked = calls.filter(({ call }) => dependsOnRanges(call, WASM.integers));
  if (asked.length === 0) return { ranges: [], unbuilt: [] };
  const sized = asked.filter(({ nests }) => nests.some(dependsOnSizes));
  const isSized = new Set(sized.map(({ call }) => call.node));
  const fixed = asked.flatMap(({ call: { node } }) => (isSized.has(node) ? [] : [node]));
  const own = new RangeSearch(plan, calls, exampleSizes(plan)).find(fixed);
  if (own.unbuilt.length > 0 || sized.length === 0) return own;
  const search = new SizedSearch(plan, calls, own.ranges);
  const found = sized.map((call) => search.find(call) ?? unbuiltAt(plan, call.call.node));
  return {
    ranges: [...own.ranges, ...found.flatMap((one) => ("reason" in one ? [] : one))],
    unbuilt: found.flatMap((one) => ("reason" in one ? one : [])),
  };
}

const unbuiltAt = ({ program }: CompiledPlan, node: string): Unbuilt => ({
  node,
  target: program.graph.find(node)?.target ?? node,
  reason: "values that are computed, or sizes, decide whether kernels compute it",
});

/** Returns the sizes of the example. Sizes that the data decide have none. */
function exampleSizes({ program: { symbolHints, rangeConstraints } }: CompiledPlan): Bindings {
  const decided = [...rangeConstraints].map(
    ([name, { min, max }]) => [name, Math.max(min, Math.min(max, 4))] as const,
  );
  return new Map([...decided, ...symbolHints]);
}

const closed = (low: number, high: number): Range => ({ low, high, nan: false });

/** The calls of a plan at some sizes. */
class RangeSearch {
  readonly sizes: Bindings;
  readonly #plan: CompiledPlan;
  readonly #calls: readonly BoundCall[];
  readonly #state: ReadonlyMap<string, Range>;
  readonly inputs: ReadonlyMap<string, DType>;

  constructor(plan: CompiledPlan, calls: readonly BoundCall[], sizes: Bindings) {
    this.#plan = plan;
    this.sizes = sizes;
    const { graph, graphSignature } = plan.program;
    this.#calls = calls.map(({ call }) => bindCall(call, sizes));
    const read = new Set(calls.flatMap(({ call }) => call.reads.map(({ node }) => node)));
    this.#state = new Map(
      [...plan.state].flatMap(([name, { tensor, isChanged }]) =>
        read.has(name) && !isChanged ? [[name, rangeOfTensor(tensor)]] : [],
      ),
    );
    this.inputs = new Map(
      graphSignature.inputSpecs.flatMap(({ kind, arg }): [string, DType][] => {
        const val = graph.find(arg.name)?.meta.val;
        const isRead = kind === "USER_INPUT" && read.has(arg.name) && val instanceof FakeTensor;
        return isRead && isIntegralDType(val.dtype) ? [[arg.name, val.dtype]] : [];
      }),
    );
  }

  /** Returns the ranges for which kernels compute some calls, which do not depend on sizes. */
  find(asked: readonly string[]): ValueRangesOfPlan {
    const ranges = this.zeros();
    const refusedIn = (inputs: ReadonlyMap<string, Range>): readonly string[] => {
      const refused = this.refused(inputs);
      return asked.filter((node) => refused.has(node));
    };
    const refused = refusedIn(ranges);
    if (refused.length > 0)
      return { ranges: [], unbuilt: refused.map((node) => unbuiltAt(this.#plan, node)) };
    const found: ValueRange[] = [];
    for (const [name, dtype] of this.inputs) {
      const whole = rangeOfDType(dtype);
      const holds = (range: Range): boolean => refusedIn(new Map([...ranges, [name, range]])).length === 0;
      if (holds(whole)) {
        ranges.set(name, whole);
        continue;
      }
      const high = furthest(whole.high, (end) => holds(closed(0, end)));
      const low = -furthest(-whole.low, (end) => holds(closed(-end, high)));
      ranges.set(name, closed(low, high));
      const [node] = refusedIn(new Map([...ranges, [name, whole]]));
      found.push({ name, low: low + 0, high, node: node ?? name });
    }
    return { ranges: found, unbuilt: [] };
  }

  zeros(): Map<string, Range> {
    return new Map([...this.inputs].map(([name]) => [name, closed(0, 0)]));
  }
  /** Returns the calls that kernels do not compute for these ranges of inputs. */
  refused(inputs: ReadonlyMap<string, Range>): ReadonlySet<string> {
    const known: ValueRanges = new Map([...this.#state, ...inputs]);
    return new Set(
      this.#calls.flatMap((bound) => {
        const reason = judgeCall(bound, known, WASM.integers, rangeOfDType, smallest);
        const { node } = bound.call;
        return reason !== undefined && dependsOnRanges(bound.call, WASM.integers) ? [node] : [];
      }),
    );
  }
}

/** Sizes of the first symbol in the sets of sizes that calls are looked at with. */
const TRIED = [5, 11, 23, 8];
/** What the sizes of symbols differ in, so that no two bounds are equal in all sets. */
const STEP = 3;

/**
 * The ranges of calls whose places lie below sizes: the same expression is tried at several sizes.
 */
class SizedSearch {
  readonly #searches: readonly RangeSearch[];
  readonly #own: readonly ValueRange[];
  readonly #shown: ReadonlySet<string>;

  constructor(plan: CompiledPlan, calls: readonly BoundCall[], own: readonly ValueRange[]) {
    const { rangeConstraints } = plan.program;
    const symbols = [...exampleSizes(plan).keys()];
    this.#searches = TRIED.map((first, set) => {
      const sizes = symbols.map((name, at): [string, number] => {
        const { min, max } = rangeConstraints.get(name) ?? { min: 0, max: Number.POSITIVE_INFINITY };
        // Differences change their signs, too.
        const step = STEP * (set % 2 === 0 ? at : symbols.length - at);
        return [name, Math.max(min, Math.min(max, first + step))];
      });
      return new RangeSearch(plan, calls, new Map(sizes));
    });
    this.#own = own;
    const names = new Symbols();
    names.learn(shownSizes(plan));
    this.#shown = new Set(names.names.keys());
  }

  /** Returns the ranges of the inputs that a call depends on; undefined where no sizes say them. */
  find({ call: { node }, nests }: BoundCall): readonly ValueRange[] | undefined {
    const bounds = nests.flatMap(boundsOf);
    const isKnown = (bound: Index): boolean => symbolsIn(bound).every((name) => this.#shown.has(name));
    if (!bounds.every(isKnown) || !this.#all(node, (search) => search.zeros())) return undefined;
    const found: ValueRange[] = [];
    for (const [name, dtype] of this.#searches[0]!.inputs) {
      const holds = (range: (search: RangeSearch) => Range): boolean =>
        this.#all(node, (search) => new Map([...search.zeros(), [name, range(search)]]));
      if (holds(() => rangeOfDType(dtype))) continue;
      const ends = new Map(bounds.map((bound) => [bound.text, this.#endsIn(node, name, bound)]));
      const [own, ...others] = [...ends.values()].filter((one) => one !== undefined);
      if (own === undefined || others.length > 0) return undefined;
      found.push({ name, ...own, node });
    }
    const isFound = this.#all(node, (search) => this.#together(search, found));
    return isFound ? found : undefined;
  }

  /** Returns whether kernels compute a call in all sets of sizes. */
  #all(node: string, inputs: (search: RangeSearch) => ReadonlyMap<string, Range>): boolean {
    return this.#searches.every((search) => !search.refused(inputs(search)).has(node));
  }
  #together(search: RangeSearch, found: readonly ValueRange[]): ReadonlyMap<string, Range> {
    const endOf = (end: number | Index): number =>
      typeof end === "number" ? end : sizeOf(end, search.sizes);
    const ranges = new Map([...search.inputs].map(([name, dtype]) => [name, rangeOfDType(dtype)]));
    for (const { name, low, high } of [...this.#own, ...found])
      ranges.set(name, intersection(ranges.get(name)!, closed(endOf(low), endOf(high))));
    return ranges;
  }
  /**
   * Returns the ends of an input whose values are places below a bound, or from its negative on.
   */
  #endsIn(node: string, name: string, bound: Index): Pick<ValueRange, "low" | "high"> | undefined {
    const takes = (search: RangeSearch, low: number, high: number): boolean =>
      !search.refused(new Map([...search.zeros(), [name, closed(low, high)]])).has(node);
    const isEach = (test: (search: RangeSearch, size: number) => boolean): boolean =>
      this.#searches.every((search) => test(search, sizeOf(bound, search.sizes)));
    const isEnd = isEach((search, size) => takes(search, 0, size - 1) && !takes(search, 0, size) && size > 0);
    if (!isEnd) return undefined;
    const high = add(bound, constant(-1));
    if (isEach((search, size) => !takes(search, -1, size - 1))) return { low: 0, high };
    const wraps = isEach(
      (search, size) => takes(search, -size, size - 1) && !takes(search, -size - 1, size - 1),
    );
    return wraps ? { low: scale(bound, -1), high } : undefined;
  }
}

/** Returns the bounds of the places that a nest reads at, and that tensors hold. */
function boundsOf(nest: LoopNest): readonly Index[] {
  const bounds: Index[] = [];
  forEachScalar(nest.value, (scalar) => {
    for (const index of indicesOf(scalar))
      forEachAtom(index, (item) => {
        if (item.kind === "value") bounds.push(item.bound);
      });
  });
  return bounds;
}
function symbolsIn(index: Index): readonly string[] {
  const names: string[] = [];
  forEachAtom(index, (item) => {
    if (item.kind === "size") names.push(...freeSymbols(item.expr).keys());
  });
  return names;
}

/**
 * Calls that look up places, or write to some, and nothing else where there are no places: kernels
 * then leave out what has no elements.
 */
const LOOK_UPS =
  /^aten\.(_unsafe_)?(index|index_select|gather|embedding|index_add|index_copy|index_fill|index_put|scatter|scatter_add)\./;

/**
 * Returns a plan without conditions that sizes are not 0, for calls that get no place then: those
 * on how many places there are, and on how many are allowed.
 */
export function withoutPlaces(plan: CompiledPlan, ranges: readonly ValueRange[]): CompiledPlan {
  const { graph } = plan.program;
  const covered = new Set<string>();
  const cover = (node: string, size: unknown): void => void covered.add(`${node} ${sizeText(size)}`);
  for (const { node, high } of ranges)
    if (typeof high !== "number")
      forEachAtom(high, (item) => {
        if (item.kind === "size") cover(node, item.expr);
      });
  for (const call of graph.calls())
    if (LOOK_UPS.test(call.target))
      forEachInput(call, (name) => {
        const { val } = graph.node(name).meta;
        if (val instanceof FakeTensor && isIntegralDType(val.dtype))
          for (const size of val.shape) cover(call.name, size);
      });
  const steps = plan.steps.map(({ step, region }) => {
    const open = region?.open && {
      ...region.open,
      needed: region.open.needed.filter(
        ({ node, size }) =>
          !LOOK_UPS.test(graph.node(node).target) || !covered.has(`${node} ${sizeText(size)}`),
      ),
    };
    return { step, region: region && { ...region, open } };
  });
  return { ...plan, steps };
}
const sizeText = (size: unknown): string => (size instanceof SymExpr ? printExpr(size) : String(size));

/** Returns the largest whole number from 0 to a limit for which a test holds that holds for 0. */
function furthest(limit: number, holds: (end: number) => boolean): number {
  if (holds(limit)) return limit;
  let [low, high] = [0, 1];
  while (high < limit && holds(high)) [low, high] = [high, high * 2];
  high = Math.min(high, limit);
  while (high - low > 1) {
    const middle = low + Math.floor((high - low) / 2);
    if (holds(middle)) low = middle;
    else high = middle;
  }
  return low;
}

/** Returns whether the places that a nest reads depend on sizes and values together. */
function dependsOnSizes(nest: LoopNest): boolean {
  let found = false;
  const look = (index: Index): void =>
    forEachAtom(index, (item) => {
      if (item.kind !== "value") return;
      found ||= fixedValue(item.bound) === undefined;
      forEachScalar(item.scalar, (scalar) => {
        if (scalar.kind === "index" && hasSize(scalar.index)) found = true;
      });
    });
  forEachScalar(nest.value, (scalar) => {
    indicesOf(scalar).forEach(look);
  });
  return found;
}
function hasSize(index: Index): boolean {
  let found = false;
  forEachAtom(index, (item) => {
    if (item.kind === "size") found = true;
  });
  return found;
}
