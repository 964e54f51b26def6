import { internalError } from "@sconce/errors";
import type { SymInt } from "@sconce/ir";

/** Sizes that a meta rule gave for real tensors: always plain numbers. */
export function numbersOf(sizes: readonly SymInt[]): readonly number[] {
  for (const size of sizes) {
    if (typeof size !== "number") throw internalError("a shape rule gave a symbolic size for real tensors");
  }
  return sizes as readonly number[];
}
