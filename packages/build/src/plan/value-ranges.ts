/**
 * @file Which values of inputs the kernels of a program take: indices that lie inside of what they
 * index. Asked once, for the widest ranges that are allowed.
 */

import { WASM } from "@sconce/backend-wasm/build";
import {
  fixedValue,
  forEachAtom,
  forEachScalar,
  type Index,
  indicesOf,
  type LoopNest,
} from "@sconce/codegen";
import {
  type BoundCall,
  bindCall,
  type CompiledPlan,
  dependsOnRanges,
  judgeCall,
  type Range,
  rangeOfDType,
  rangeOfTensor,
  smallest,
  type ValueRanges,
} from "@sconce/device-runtime";
import { FakeTensor } from "@sconce/ir";
import { type DType, isIntegralDType } from "@sconce/tensor";
import type { Unbuilt } from "../code/errors.js";

/** The values that an input may have, both ends included. */
export interface ValueRange {
  /** The placeholder of the lowered program. */
  readonly name: string;
  readonly low: number;
  readonly high: number;
  /** The call that needs it. */
  readonly node: string;
}

/** The ranges of inputs, or calls whose values no range of inputs decides. */
export interface ValueRangesOfPlan {
  readonly ranges: readonly ValueRange[];
  readonly unbuilt: readonly Unbuilt[];
}

/** Returns the widest ranges for which kernels compute all calls of a plan. */
export function valueRanges(plan: CompiledPlan): ValueRangesOfPlan {
  const calls = plan.steps.flatMap(({ region }) => region?.checks ?? []);
  const asked = calls.filter(({ call }) => dependsOnRanges(call, WASM.integers));
  if (asked.length === 0) return { ranges: [], unbuilt: [] };
  const unbuilt = asked
    .filter(({ nests }) => nests.some(dependsOnSizes))
    .map(({ call }) => unbuiltAt(plan, call.node));
  if (unbuilt.length > 0) return { ranges: [], unbuilt };
  return new RangeSearch(plan, calls).find();
}

const unbuiltAt = ({ program }: CompiledPlan, node: string): Unbuilt => ({
  node,
  target: program.graph.find(node)?.target ?? node,
  reason: "values that are computed, or sizes, decide whether kernels compute it",
});

class RangeSearch {
  readonly #plan: CompiledPlan;
  readonly #calls: readonly BoundCall[];
  readonly #state: ReadonlyMap<string, Range>;
  readonly #inputs: ReadonlyMap<string, DType>;

  constructor(plan: CompiledPlan, calls: readonly BoundCall[]) {
    this.#plan = plan;
    const { symbolHints, rangeConstraints, graph, graphSignature } = plan.program;
    // Sizes that the data decide have no example.
    const decided = [...rangeConstraints].map(
      ([name, { min, max }]) => [name, Math.max(min, Math.min(max, 4))] as const,
    );
    const hints = new Map([...decided, ...symbolHints]);
    // The ranges do not depend on sizes; loops without sizes are judged.
    this.#calls = calls.map(({ call }) => bindCall(call, hints));
    const read = new Set(calls.flatMap(({ call }) => call.reads.map(({ node }) => node)));
    this.#state = new Map(
      [...plan.state].flatMap(([name, { tensor, isChanged }]) =>
        read.has(name) && !isChanged ? [[name, rangeOfTensor(tensor)]] : [],
      ),
    );
    this.#inputs = new Map(
      graphSignature.inputSpecs.flatMap(({ kind, arg }): [string, DType][] => {
        const val = graph.find(arg.name)?.meta.val;
        const isRead = kind === "USER_INPUT" && read.has(arg.name) && val instanceof FakeTensor;
        return isRead && isIntegralDType(val.dtype) ? [[arg.name, val.dtype]] : [];
      }),
    );
  }

  find(): ValueRangesOfPlan {
    const ranges = new Map(
      [...this.#inputs].map(([name]) => [name, { low: 0, high: 0, nan: false } as Range]),
    );
    const refused = this.#refused(ranges);
    if (refused.length > 0)
      return { ranges: [], unbuilt: refused.map((node) => unbuiltAt(this.#plan, node)) };
    const found: ValueRange[] = [];
    for (const [name, dtype] of this.#inputs) {
      const whole = rangeOfDType(dtype);
      const holds = (range: Range): boolean =>
        this.#refused(new Map([...ranges, [name, range]])).length === 0;
      if (holds(whole)) {
        ranges.set(name, whole);
        continue;
      }
      const high = furthest(whole.high, (end) => holds({ low: 0, high: end, nan: false }));
      const low = -furthest(-whole.low, (end) => holds({ low: -end, high, nan: false }));
      ranges.set(name, { low, high, nan: false });
      const [node] = this.#refused(new Map([...ranges, [name, whole]]));
      found.push({ name, low: low + 0, high, node: node ?? name });
    }
    return { ranges: found, unbuilt: [] };
  }

  /** Returns the calls that kernels do not compute for these ranges of inputs. */
  #refused(inputs: ReadonlyMap<string, Range>): readonly string[] {
    const known: ValueRanges = new Map([...this.#state, ...inputs]);
    return this.#calls.flatMap((bound) => {
      const reason = judgeCall(bound, known, WASM.integers, rangeOfDType, smallest);
      const { node } = bound.call;
      return reason !== undefined && dependsOnRanges(bound.call, WASM.integers) ? [node] : [];
    });
  }
}

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
