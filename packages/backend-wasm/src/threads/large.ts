/** @file Which kernels are worth the while of several threads. */
import { type LoopNest, outerReductions, volumeOf } from "@sconce/codegen";

/**
 * Elements from which threads gain: some ten microseconds, a multiple of what it takes to begin.
 */
const LARGE = 20_000;
/** Part of the time of an element that a product of a sum takes. */
const TIME_OF_PRODUCT = 1 / 16;

/**
 * Whether the nests of a kernel, whose sizes are bound, are enough work for several threads.
 *
 * @param least the least number of elements
 */
export function isLarge(nests: readonly LoopNest[], least = LARGE): boolean {
  const total = nests.reduce((sum, { axes, value }) => {
    const inner = [...outerReductions(value)].reduce((most, reduce) => most + volumeOf(reduce.axes), 0);
    return sum + volumeOf(axes) * (1 + inner * TIME_OF_PRODUCT);
  }, 0);
  return total >= least;
}
