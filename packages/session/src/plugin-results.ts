/**
 * @file What a plugin's kernels return, checked against the schema of the operator that they are
 * for.
 */
import type { OpSchema } from "@sconce/ir";
import { resultProblem } from "@sconce/ops";
import { Tensor } from "@sconce/tensor";

/** Why a value cannot be a kernel's result; undefined when it can. */
export const kernelProblem = (schema: OpSchema | undefined, value: unknown): string | undefined =>
  resultProblem(schema, value, (item) => (item instanceof Tensor ? undefined : described(item)));

function described(value: unknown): string {
  if (value === null || value === undefined) return String(value);
  if (Array.isArray(value)) return `a list of ${value.length}`;
  return typeof value === "object" ? "an object" : `a ${typeof value}`;
}
