/**
 * @file Scalars in JSON, as `--scalars` and reproducers have them. JSON has no infinities and no
 * integers past 2^53: `{"float": "inf"}`, `{"int": "9223372036854775807"}`.
 */
import { int, type Value } from "@sconce/ir";
import type { Tensor } from "@sconce/tensor";

/** Floats that JSON does not have, by the texts that represent them. */
export const NON_FINITE: ReadonlyMap<unknown, number> = new Map([
  ["nan", Number.NaN],
  ["inf", Number.POSITIVE_INFINITY],
  ["-inf", Number.NEGATIVE_INFINITY],
]);

/** Returns the scalar of a value of JSON; undefined for other objects and lists. */
export function scalarOfJson(value: unknown): Value | undefined {
  if (typeof value !== "object" || value === null) return value as Value;
  const { float, int: integer } = value as { readonly float?: unknown; readonly int?: unknown };
  if (typeof float === "number") return float;
  const special = NON_FINITE.get(float);
  if (special !== undefined) return special;
  return typeof integer === "string" && /^-?\d{1,19}$/.test(integer) ? int(BigInt(integer)) : undefined;
}

/** Returns a value that JSON has and {@link scalarOfJson} reads. */
export function scalarJson(value: Exclude<Value, Tensor>): unknown {
  if (typeof value === "bigint") return { int: String(value) };
  if (typeof value !== "number" || Number.isFinite(value)) return value;
  return { float: Number.isNaN(value) ? "nan" : value > 0 ? "inf" : "-inf" };
}
