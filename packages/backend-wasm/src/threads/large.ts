/** @file Which kernels are worth the while of several threads. */
import { elementsOf, type Index, type LoopNest, outerReductions, sizeOf } from "@sconce/codegen";
import type { Bindings } from "@sconce/symbolic";

/**
 * Elements from which threads gain: some ten microseconds, a multiple of what it takes to begin.
 */
export const LARGE = 20_000;
/** Part of the time of an element that a product of a sum takes. */
export const TIME_OF_PRODUCT = 1 / 16;

/** The work of a nest: elements, and for each of them the products of its sums. */
export interface NestWork {
  /** How many elements it computes. */
  readonly elements: Index;
  /** The lengths of its sums. */
  readonly sums: readonly Index[];
}

/** Returns the work of nests. */
export const workOf = (nests: readonly LoopNest[]): readonly NestWork[] =>
  nests.map(({ axes, value }) => ({
    elements: elementsOf(axes),
    sums: [...outerReductions(value)].map((reduce) => elementsOf(reduce.axes)),
  }));

/** Returns how many elements nests compute, with their products as parts of elements. */
export const totalWork = (work: readonly NestWork[], sizeAt: (index: Index) => number): number =>
  work.reduce((all, { elements, sums }) => {
    const products = sums.reduce((sum, one) => sum + sizeAt(one), 0);
    return all + sizeAt(elements) * (1 + products * TIME_OF_PRODUCT);
  }, 0);

/**
 * Returns whether the nests of a kernel are enough work for several threads.
 *
 * @param least the least number of elements
 */
export const isLarge = (nests: readonly LoopNest[], sizes: Bindings, least = LARGE): boolean =>
  totalWork(workOf(nests), (index) => sizeOf(index, sizes)) >= least;
