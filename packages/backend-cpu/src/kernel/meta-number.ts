import { internalError } from "@sconce/errors";
import type { IntLike } from "@sconce/ir";
import { invalidArgument } from "./errors.js";

/**
 * Sizes that a meta rule gave for real tensors: plain numbers, unless they are beyond 2^53.
 *
 * @throws SconceError `INVALID_ARGUMENT` for such sizes, in PyTorch's words
 */
export function numbersOf(sizes: readonly IntLike[]): readonly number[] {
  for (const size of sizes) {
    if (typeof size === "number") continue;
    if (size.op === "Integer")
      throw invalidArgument(`Storage size calculation overflowed with sizes=[${sizes.join(", ")}]`);
    throw internalError("a shape rule gave a symbolic size for real tensors");
  }
  return sizes as readonly number[];
}
