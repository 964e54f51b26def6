/** @file The weights that several targets read, in one file. */
import { elementsOf } from "@sconce/backend-wasm/build";
import { internalError } from "@sconce/errors";
import type { Weight } from "./timeline.js";

/** Returns weights, those of one name once: all targets lower a program to the same weights. */
export function joinedWeights(weights: readonly Weight[]): readonly Weight[] {
  const known = new Map<string, Weight>();
  for (const one of weights) {
    const other = known.get(one.name);
    if (other === undefined) known.set(one.name, one);
    else if (!isSame(one, other)) throw internalError(`the weight "${one.name}" differs between targets`);
  }
  return [...known.values()];
}

function isSame({ tensor }: Weight, { tensor: other }: Weight): boolean {
  if (tensor === other) return true;
  if (tensor.dtype !== other.dtype || String(tensor.shape) !== String(other.shape)) return false;
  const [a, b] = [elementsOf(tensor), elementsOf(other)];
  return a.length === b.length && a.every((byte, at) => byte === b[at]);
}
