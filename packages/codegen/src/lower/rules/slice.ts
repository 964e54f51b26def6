/** @file The elements that a slice takes of a dimension. */
import type { IntLike } from "@sconce/symbolic";
import { add, constant, type Index, size } from "../../ir/index-expr.js";
import type { LoweringCall } from "../core/call.js";

/** The arguments of a slice, as `slice` and `slice_scatter` have them. */
export interface SliceArgs {
  readonly start: IntLike | null;
  readonly step: IntLike;
}
/** Returns where a slice of a dimension starts, and its step. */
export function sliceOf(
  { start, step }: SliceArgs,
  extent: Index,
  { context, node }: LoweringCall,
): { readonly start: Index; readonly step: Index } {
  const from = startOf(start ?? 0, extent);
  // Of a negative start, or one before the first element, the host takes the right elements.
  context.assume(node, from);
  return { start: from, step: size(step) };
}
/** Counted from the end when negative, kept within the extent. */
function startOf(start: IntLike, extent: Index): Index {
  if (typeof start !== "number") return size(start);
  if (start >= 0) {
    const most = extent.terms.length === 0 ? Math.min(start, extent.constant) : start;
    return constant(most);
  }
  const from = add(extent, constant(start));
  return from.terms.length === 0 ? constant(Math.max(0, from.constant)) : from;
}
