/** @file The types of tensors in declaration files: dtypes, ranks and fixed sizes are literals. */
import type { FakeTensor } from "@sconce/ir";
import { dtypeInfo } from "@sconce/tensor";

/** Returns a dtype and a shape as parameters of a type: `"float32", readonly [number, 4]`. */
export const tensorParameters = ({ dtype, shape }: FakeTensor): string =>
  `"${dtype}", readonly [${shape.map((size) => (typeof size === "number" ? String(size) : "number")).join(", ")}]`;

/** Returns the classes that hold the elements of a tensor; the first one is that of results. */
export function arrayTypes({ dtype }: FakeTensor): readonly string[] {
  const { name } = dtypeInfo(dtype).array as { readonly name?: string };
  const own = name ?? "ArrayBufferView";
  return dtype === "uint8" ? [own, "Uint8ClampedArray"] : [own];
}

/** Returns whether an array alone says its shape: at most one size is dynamic. */
export const saysShape = ({ shape }: FakeTensor): boolean =>
  shape.filter((size) => typeof size !== "number").length <= 1;
