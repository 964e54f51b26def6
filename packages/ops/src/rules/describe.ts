/** @file Sizes in error messages. */
import type { IntLike } from "@sconce/ir";
import { printExpr } from "@sconce/symbolic";

/** Returns a size as text; a symbolic one as the expression that PyTorch prints. */
export const describeSize = (size: IntLike | undefined): string =>
  typeof size === "object" ? printExpr(size) : String(size);

/** `[2, s0]`, as messages show sizes. */
export const describeSizes = (sizes: readonly IntLike[]): string => `[${sizes.map(describeSize).join(", ")}]`;

/** Returns what is wrong with values that are written to places, both as text. */
export const placesMismatch = (values: string, places: string): string =>
  `shape mismatch: value tensor of shape ${values} cannot be broadcast to indexing result of ${places}`;
