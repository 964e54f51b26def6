import { isInt } from "@sconce/ir";
import { invalidArgument } from "../rows/errors.js";
import type { CallArgument } from "./values.js";

/** `operator.getitem`: an element of a list of results, counted from the end when negative. */
export function itemOf<T>(value: CallArgument<T>, index: CallArgument<T>): CallArgument<T> {
  if (Array.isArray(value) && isInt(index)) {
    const i = Number(index) < 0 ? Number(index) + value.length : Number(index);
    if (i >= 0 && i < value.length) return (value as readonly CallArgument<T>[])[i];
  }
  throw invalidArgument(`operator.getitem: no item ${isInt(index) ? index : typeof index}`);
}
