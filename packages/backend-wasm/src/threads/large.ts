/** @file Which kernels are worth the while of several threads. */
import { type Axis, elementsOf, type LoopNest, outerReductions, sizeOf } from "@sconce/codegen";
import type { Bindings } from "@sconce/symbolic";

/**
 * Elements from which threads gain: some ten microseconds, a multiple of what it takes to begin.
 */
const LARGE = 20_000;
/** Part of the time of an element that a product of a sum takes. */
const TIME_OF_PRODUCT = 1 / 16;

/**
 * Returns whether the nests of a kernel are enough work for several threads.
 *
 * @param least the least number of elements
 */
export function isLarge(nests: readonly LoopNest[], sizes: Bindings, least = LARGE): boolean {
  const volumeOf = (axes: readonly Axis[]): number => sizeOf(elementsOf(axes), sizes);
  const total = nests.reduce((sum, { axes, value }) => {
    const inner = [...outerReductions(value)].reduce((most, reduce) => most + volumeOf(reduce.axes), 0);
    return sum + volumeOf(axes) * (1 + inner * TIME_OF_PRODUCT);
  }, 0);
  return total >= least;
}
