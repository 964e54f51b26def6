import type { Argument } from "@sconce/ir";
import { argumentText } from "@sconce/ir/text";

/** Equality of arguments, kind included; references by name. */
export function sameArgument(a: Argument, b: Argument): boolean {
  if (a === b) return true;
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return Object.is(a, b);
  return argumentText(a) === argumentText(b);
}
