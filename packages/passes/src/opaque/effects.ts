/** @file Signs that an opaque operator does more than to compute its results. */
import type { Node } from "@sconce/ir";

/**
 * Returns why an opaque call may write to its arguments, or act outside of the program; undefined
 * without a sign of it.
 */
export function signOfEffects({ target, meta }: Node): string | undefined {
  if (target.startsWith("higher_order.")) return undefined;
  if (/[^_]_\.\w+$/.test(target)) return "ends in an underscore, as in-place operators do";
  return meta.val === undefined || meta.val === null ? "has no results" : undefined;
}
