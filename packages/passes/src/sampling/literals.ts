/** @file Numbers that calls have as arguments: values around them are where calls differ. */
import { type DTypeLiteral, isRef, kindOf, type Node } from "@sconce/ir";
import { type DType, dtypeInfo } from "@sconce/tensor";
import { floatLimits } from "./float-limits.js";

export interface Literals {
  readonly literals: readonly number[];
  /** Limits of the dtypes among the arguments, as far as integers may meet them. */
  readonly integerLiterals: readonly number[];
}

export function literalsOf(nodes: readonly Node[]): Literals {
  const found = new Set<number>();
  const dtypes = new Set<DType>();
  const visit = (argument: unknown): void => {
    if (typeof argument === "number") found.add(argument);
    else if (Array.isArray(argument)) argument.forEach(visit);
    else if (typeof argument !== "object" || argument === null || isRef(argument as never)) return;
    else if (kindOf(argument as never) === "dtype") dtypes.add((argument as DTypeLiteral).dtype);
    else if ("value" in argument) visit(argument.value);
  };
  for (const { args, kwargs } of nodes) [...args, ...Object.values(kwargs)].forEach(visit);
  return { literals: [...found], integerLiterals: [...dtypes].flatMap(limitsOf) };
}

/**
 * Returns the ends of an integer dtype; of a float dtype the largest integer below which it has
 * all.
 */
function limitsOf(dtype: DType): number[] {
  const { kind, signed, itemSize } = dtypeInfo(dtype);
  if (kind === "float") {
    const limits = floatLimits(dtype);
    return limits === undefined ? [] : [2 / limits.epsilon];
  }
  if (kind !== "int") return [];
  const bits = 8 * itemSize;
  return signed ? [2 ** (bits - 1) - 1, -(2 ** (bits - 1))] : [2 ** bits - 1];
}
