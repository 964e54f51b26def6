/** @file Flattening of inputs and outputs. */
import { flattenTree, specOf, type TreeSpec } from "@sconce/ir";

/** A value as its leaves and the tree that holds them. */
export interface Flattened {
  readonly leaves: readonly unknown[];
  readonly spec: TreeSpec;
}

/** Flattens a value. */
export function flatten(value: unknown): Flattened {
  const spec = specOf(value);
  return { leaves: flattenTree(value, spec), spec };
}
