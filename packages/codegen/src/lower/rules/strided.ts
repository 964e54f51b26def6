/**
 * @file Any strides over a tensor whose memory is dense and in a known order: elements are found by
 * their place in memory.
 */
import type { FakeTensor } from "@sconce/ir";
import type { IntLike } from "@sconce/symbolic";
import {
  add,
  atom,
  axis,
  coordinatesOf,
  type Index,
  isWithin,
  isZero,
  multiply,
  ONE,
  product,
  same,
  size,
  subtract,
} from "../../ir/index-expr.js";
import { cannot, type LoweringCall, outOf, shapeOf } from "../core/call.js";
import { type LazyTensor, viewOf } from "../core/lazy.js";

export interface StridedInit {
  /** The base, with the strides that it has in the graph. */
  readonly fake: FakeTensor;
  readonly strides: readonly IntLike[];
  /** The first element's place in memory; the base's when null. */
  readonly offset: IntLike | null;
}

/**
 * Returns a view of `base` by strides. @throws CannotLower for places that are not elements of
 * `base`
 */
export function strided(call: LoweringCall, base: LazyTensor, init: StridedInit): LazyTensor {
  const { fake } = init;
  const order = memoryOrder(fake);
  if (order === undefined) return cannot("as_strided of a tensor whose elements are not all of its memory");
  const offset = subtract(size(init.offset ?? fake.storageOffset), size(fake.storageOffset));
  const strides = init.strides.map(size);
  const shape = shapeOf(outOf(call));
  const placeOf = (at: readonly Index[]): Index =>
    add(offset, ...at.map((index, d) => multiply(index, strides[d]!)));
  const extents = order.map((d) => base.shape[d]!);
  const isEmpty = shape.some(isZero);
  if (!isEmpty && !isWithin(placeOf(shape.map((extent, d) => atom(axis(`i${d}`, extent)))), product(extents)))
    return cannot("as_strided reads beyond the elements of its tensor");
  const back = (at: readonly Index[]): Index[] => {
    const inMemory = coordinatesOf(placeOf(at), extents);
    return base.shape.map((_, d) => inMemory[order.indexOf(d)]!);
  };
  return viewOf(base, call.node, shape, back, true);
}
/**
 * Dimensions from the slowest, when a tensor's elements lie one after the other; undefined when
 * they do not.
 */
function memoryOrder({ shape, strides }: FakeTensor): number[] | undefined {
  const dims = shape.map((_, d) => d);
  const known = strides.every((stride) => typeof stride === "number");
  const order = known ? [...dims].sort((a, b) => Number(strides[b]) - Number(strides[a]) || a - b) : dims;
  let step = ONE;
  for (const d of [...order].reverse()) {
    const extent = size(shape[d]!);
    if (!same(extent, ONE) && !same(size(strides[d]!), step)) return undefined;
    step = multiply(step, extent);
  }
  return order;
}
