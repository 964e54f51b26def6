/** @file Sizes in error messages. */
import type { SymInt } from "@sconce/ir";
import { printExpr } from "@sconce/symbolic";

/** A size as text; a symbolic one as the expression that PyTorch prints. */
export const describeSize = (size: SymInt | undefined): string =>
  typeof size === "object" ? printExpr(size) : String(size);

/** `[2, s0]`, as messages show sizes. */
export const describeSizes = (sizes: readonly SymInt[]): string => `[${sizes.map(describeSize).join(", ")}]`;
