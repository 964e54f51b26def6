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

/** Returns the quotient and the remainder as Python does; both are exact. */
function divided(a: number, b: number): readonly [number, number] {
  const rest = exact(a) % divisor(b);
  const quotient = (a - rest) / b;
  return rest !== 0 && rest < 0 !== b < 0 ? [quotient - 1, rest + b] : [quotient + 0, rest + 0];
}

/** As in Python: quotients round down, remainders have the sign of the divisor. */
export const HELPERS: SizeHelpers = {
  $: exact,
  div: (a, b) => divided(a, b)[0],
  mod: (a, b) => divided(a, b)[1],
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
