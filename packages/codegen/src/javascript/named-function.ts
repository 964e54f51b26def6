/** @file Functions that printed JavaScript calls, by their names. */
import type { DType } from "@sconce/tensor";
import type { ScalarFn } from "../ir/scalar-functions.js";
import { converterOf, type Element, functionOf } from "./functions.js";
import { roundingOf } from "./rounding.js";

/**
 * Returns an operation, or `cast` between dtypes; undefined for one that JavaScript does not have.
 */
export function javaScriptFunction({
  op,
  from,
  to,
}: {
  readonly op: string;
  readonly from: DType;
  readonly to: DType;
}): ((...args: Element[]) => Element) | undefined {
  const made = op === "cast" ? converterOf(from, to, roundingOf(to)) : functionOf(op as ScalarFn, from, to);
  return made as ((...args: Element[]) => Element) | undefined;
}
