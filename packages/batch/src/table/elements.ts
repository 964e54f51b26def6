/** @file Elements of tensors as texts and JSON hold them. */
import type { Element, Tensor } from "@sconce/tensor";
import { badShard } from "../errors.js";

/** Integers that JSON readers keep, floats that JSON has; others become texts. */
function elementValue(element: Element): number | boolean | string {
  if (typeof element === "bigint") {
    const number = Number(element);
    return Number.isSafeInteger(number) ? number : String(element);
  }
  if (typeof element === "number") return Number.isFinite(element) ? element : String(element);
  return element as boolean;
}

/** @throws SconceError `BATCH_SHARD` for complex numbers */
export function refuseComplex(name: string, { dtype }: Tensor): void {
  if (!dtype.startsWith("complex")) return;
  throw badShard(
    `the column ${JSON.stringify(name)} is ${dtype}, which only safetensors files hold`,
    "write --format safetensors, or real and imaginary parts by `after` of --map",
  );
}

/** Returns a value of a column as a field holds it: objects and lists as JSON. */
export const fieldOf = (value: unknown): unknown =>
  typeof value === "object" && value !== null ? JSON.stringify(value) : value;

/**
 * Returns the rows of a column, each as its elements in row-major order.
 * @throws SconceError `BATCH_SHARD` for complex numbers
 */
export function rowElements(
  name: string,
  tensor: Tensor,
): readonly (readonly (number | boolean | string)[])[] {
  refuseComplex(name, tensor);
  const [rows = 0] = tensor.shape;
  const all = tensor.toArray().map(elementValue);
  const width = rows === 0 ? 0 : all.length / rows;
  return Array.from({ length: rows }, (_, row) => all.slice(row * width, (row + 1) * width));
}
