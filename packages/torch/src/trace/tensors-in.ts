import { Tensor } from "@sconce/tensor";

/** Returns the tensors of a value, in lists too. */
export function tensorsIn(value: unknown): Tensor[] {
  if (value instanceof Tensor) return [value];
  return Array.isArray(value) ? (value as readonly unknown[]).flatMap(tensorsIn) : [];
}
