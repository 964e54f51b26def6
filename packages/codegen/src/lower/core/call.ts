/** @file The call that a rule lowers, and how the rule rejects it. */

import { FakeTensor, type IntLike, type MetaValue } from "@sconce/ir";
import { wrapDimension } from "@sconce/tensor";
import { type Index, size } from "../../ir/index-expr.js";
import type { LoweringContext } from "./context.js";

/** One call of an operator during lowering, without its arguments. */
export interface LoweringCall<Fakes = unknown> {
  /** What lowerings make and know. */
  readonly context: LoweringContext;
  /** The name of the call's node. */
  readonly node: string;
  /** What it calls. */
  readonly target: string;
  /** The metadata of the result in the graph. */
  readonly value: MetaValue;
  /** Returns the arguments as fake tensors: with strides, which only `as_strided` needs. */
  readonly fakes: () => Fakes;
}

/** Thrown by rules that reject a call; its message becomes the node's reason. */
export class CannotLower extends Error {}
/** Rejects the call being lowered. */
export const cannot = (reason: string): never => {
  throw new CannotLower(reason);
};

/** Returns a size as a number. Rejects the call where the size is symbolic. */
export const fixedNumber = (value: IntLike, name: string): number =>
  typeof value === "number" ? value : cannot(`its ${name} is not a fixed number`);
/** Returns sizes as numbers; none for None. Rejects the call where one is symbolic. */
export const fixedNumbers = (values: readonly IntLike[] | null, name: string): number[] =>
  (values ?? []).map((value) => (typeof value === "number" ? value : cannot(`its ${name} is not fixed`)));

/** Returns the metadata of a tensor result. */
export function outOf({ value }: LoweringCall, at = 0): FakeTensor {
  const items: readonly unknown[] = Array.isArray(value) ? value : [value];
  const out = items[at];
  return out instanceof FakeTensor ? out : cannot("the graph does not say its dtype and shape");
}
/** Returns the shape of a fake tensor as index expressions. */
export const shapeOf = (fake: FakeTensor): Index[] => fake.shape.map(size);
/** Returns dimensions counted from the front; all of them for None or an empty list. */
export const dimensions = (dims: readonly number[] | null, rank: number): number[] =>
  dims === null || dims.length === 0 || rank === 0
    ? Array.from({ length: rank }, (_, d) => d)
    : dims.map((dim) => wrapDimension(dim, rank));
