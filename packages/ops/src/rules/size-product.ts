import type { IntLike } from "@sconce/ir";
import type { Emit } from "../rows/emit.js";
import { sizeMath } from "./size-math.js";

/**
 * Product of sizes as Python records it: symbolic factors make `operator.mul` nodes, factors of 1
 * do not.
 */
export function sizeProduct(emit: Emit, sizes: readonly IntLike[]): IntLike {
  let product: IntLike = 1;
  for (const size of sizes) {
    product = product === 1 ? size : size === 1 ? product : sizeMath(emit, "mul", product, size);
  }
  return product;
}
