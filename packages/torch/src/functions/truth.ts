import type { Tensor } from "@sconce/tensor";
import { SymBool } from "../trace/sym-int.js";
import { guard, sym } from "./sym.js";

/**
 * Returns the truth of a tensor with one element, as Python's `bool(x)`.
 *
 * @throws SconceError in a trace: only the data decide
 */
export function truthOf(x: Tensor): boolean {
  const value = x.item() as unknown;
  if (typeof value === "boolean") return value;
  if (value instanceof SymBool) return guard(value);
  return typeof value === "number" ? value !== 0 : guard(sym.ne(value as never, 0));
}
