/**
 * @file What a plugin's kernels return, checked against the schema of the operator that they are
 * for.
 */
import { FakeTensor, type MetaValue, type OpSchema } from "@sconce/ir";
import { resultProblem } from "@sconce/ops";
import { printExpr } from "@sconce/symbolic";
import { Tensor } from "@sconce/tensor";

/**
 * Returns why a value cannot be a kernel's result; undefined when it can. Its tensors have the
 * dtypes and sizes that the shape rule gave, where those are known.
 */
export function kernelProblem(
  schema: OpSchema | undefined,
  value: unknown,
  meta: MetaValue | undefined,
): string | undefined {
  const isTensor = (item: unknown) => (item instanceof Tensor ? undefined : described(item));
  return resultProblem(schema, value, isTensor) ?? metaProblem(value, meta);
}

function metaProblem(value: unknown, meta: MetaValue | undefined): string | undefined {
  if (Array.isArray(value) && Array.isArray(meta)) {
    const problems = value.map((item, i) => metaProblem(item, meta[i] as MetaValue));
    const at = problems.findIndex((problem) => problem !== undefined);
    return at < 0 ? undefined : `${problems[at]} at ${at}`;
  }
  if (!(value instanceof Tensor) || !(meta instanceof FakeTensor)) return undefined;
  const isSame =
    value.dtype === meta.dtype &&
    value.ndim === meta.ndim &&
    meta.shape.every((size, d) => typeof size !== "number" || size === value.shape[d]);
  if (isSame) return undefined;
  const wanted = `${meta.dtype}[${meta.shape.map((size) => printExpr(size)).join(", ")}]`;
  return `returned ${value.dtype}[${value.shape.join(", ")}] where the shape rule says ${wanted}`;
}

function described(value: unknown): string {
  if (value === null || value === undefined) return String(value);
  if (Array.isArray(value)) return `a list of ${value.length}`;
  return typeof value === "object" ? "an object" : `a ${typeof value}`;
}
