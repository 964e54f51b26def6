/** @file A tensor of zeros as an expression: its sizes, strides, dtype and device. */

import { scriptString } from "@sconce/errors";
import { areStatic } from "@sconce/ir";
import { type DType, isContiguous } from "@sconce/tensor";
import { notWritable } from "./errors.js";
import type { Use } from "./literals.js";

interface Layout {
  readonly dtype: DType;
  readonly shape: readonly unknown[];
  readonly strides: readonly unknown[];
  readonly requiresGrad?: boolean;
  readonly device?: { readonly type: string; readonly index: number | null };
}

/** Writes a tensor of zeros. */
export function tensorText(tensor: Layout, use: Use, requiresGrad = false): string {
  const { dtype, shape, strides, device } = tensor;
  if (!areStatic(shape) || !areStatic(strides))
    throw notWritable(
      "a tensor of the state with a dynamic size",
      "the state",
      "check the program with `verify`",
    );
  const options = [
    ...(dtype === "float32" ? [] : [`dtype: ${scriptString(dtype)}`]),
    ...(device === undefined || device.type === "cpu" ? [] : [`device: ${scriptString(device.type)}`]),
    ...(requiresGrad ? ["requiresGrad: true"] : []),
  ];
  const last = options.length === 0 ? "" : `, { ${options.join(", ")} }`;
  const sizes = `[${shape.join(", ")}]`;
  return isContiguous(shape, strides)
    ? `${use("torch")}.zeros(${sizes}${last})`
    : `${use("torch")}.emptyStrided(${sizes}, [${strides.join(", ")}]${last})`;
}
