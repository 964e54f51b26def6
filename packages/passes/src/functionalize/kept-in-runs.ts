/** @file Composites that PyTorch's text decomposes, and a program that runs keeps. */
import type { OpDefinition } from "@sconce/ops";
import { isAlwaysDecomposed } from "../tables/table.js";

/**
 * Their decompositions give NaN beside an infinity, and place elements by other numbers than
 * PyTorch's kernels.
 */
const KEPT_IN_RUNS: ReadonlySet<string> = new Set([
  "aten.upsample_bicubic2d.default",
  "aten.upsample_bilinear2d.default",
]);

/**
 * Returns whether a composite is decomposed whatever the table has.
 *
 * @param runs whether the program runs in place of its source
 */
export const isDecomposedInAnyCase = (row: OpDefinition, runs: boolean): boolean =>
  isAlwaysDecomposed(row) && !(runs && KEPT_IN_RUNS.has(row.target));
