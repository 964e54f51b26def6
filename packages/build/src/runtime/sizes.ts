/** @file Arithmetic of sizes: integers are exact, or the run is refused. */
import { ModelError } from "./error.js";
import type { SizeHelpers } from "./plan.js";

const exact = (value: number): number => {
  if (Number.isSafeInteger(value)) return value + 0;
  throw new ModelError("INVALID_ARGUMENT", `a size is ${value}, and no integer below 2^53`);
};

const divisor = (value: number): number => {
  if (value === 0) throw new ModelError("INVALID_ARGUMENT", "a size is divided by zero");
  return value;
};

/** As in Python: quotients round down, remainders have the sign of the divisor. */
export const HELPERS: SizeHelpers = {
  $: exact,
  div: (a, b) => exact(Math.floor(exact(a) / divisor(b))),
  mod: (a, b) => exact(a - b * Math.floor(exact(a) / divisor(b))),
  quotient: (a, b) => a / divisor(b),
  stride: (shape, at) => shape.slice(at + 1).reduce((product, size) => product * Math.max(1, size), 1),
  need: (condition, text) => {
    if (!condition)
      throw new ModelError(
        "MODULE_SIZES",
        `the kernels of this module are made for other sizes: they need ${text}`,
      );
  },
};
