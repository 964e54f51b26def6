/** @file Elements of tensors as texts and JSON hold them. */
import type { Element, Tensor } from "@sconce/tensor";
import type { Column } from "../batch-map.js";
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

/**
 * Returns the rows of a column, each as its elements in row-major order; values as they are.
 * @throws SconceError `BATCH_SHARD` for complex numbers
 */
export function rowElements(
  name: string,
  column: Column,
): readonly (readonly (number | boolean | string)[])[] {
  const tensor = column as Tensor;
  if (tensor.dtype.startsWith("complex"))
    throw badShard(
      `the column ${JSON.stringify(name)} is ${tensor.dtype}, which only safetensors files hold`,
      "write --format safetensors, or real and imaginary parts by `after` of --map",
    );
  const [rows = 0] = tensor.shape;
  const all = tensor.toArray().map(elementValue);
  const width = rows === 0 ? 0 : all.length / rows;
  return Array.from({ length: rows }, (_, row) => all.slice(row * width, (row + 1) * width));
}
