/** @file Nests that look for the greatest or least of no elements, which PyTorch refuses. */
import { type LoopNest, outerReductions, volumeOf } from "@sconce/codegen";

const NEEDS_ELEMENTS: ReadonlySet<string> = new Set(["max", "min", "argmax", "argmin"]);

/** Why the host has to run such a nest: it has PyTorch's error. */
export const NO_ELEMENTS = "it has no elements to choose from";

/** Returns whether a nest, whose sizes are bound, is one. */
export const reducesNothing = ({ value, axes }: LoopNest): boolean =>
  volumeOf(axes) > 0 &&
  [...outerReductions(value)].some(
    ({ reduce, initial, when, axes: inner }) =>
      NEEDS_ELEMENTS.has(reduce) && initial === undefined && when === undefined && volumeOf(inner) === 0,
  );
