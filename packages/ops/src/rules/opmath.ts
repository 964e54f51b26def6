/** @file Decompositions that compute halves in float32, as PyTorch's `pw_cast_for_opmath` does. */
import type { FakeTensor } from "@sconce/ir";
import { type DType, patternEncoder, valueTable } from "@sconce/tensor";
import type { Emit } from "../rows/emit.js";
import { convert } from "./decompose.js";
import { computationDType, promoteOperands } from "./promote.js";

/** For {@link castForMath}: both dtypes of 16 bits. */
export const HALVES: readonly DType[] = ["float16", "bfloat16"];

/**
 * Returns the operands in the dtype that they are computed in together, and that of the result.
 * Where PyTorch's kernel of an operator rounds each step to a dtype, `stepwise` has it: kernels
 * compute in that dtype itself.
 */
export function castForMath<const T extends readonly (FakeTensor | null)[]>(
  emit: Emit,
  operands: T,
  stepwise: readonly DType[] = [],
): { readonly operands: { readonly [K in keyof T]: T[K] }; readonly result: DType } {
  const result = promoteOperands(operands.filter((operand) => operand !== null));
  const isStepwise = emit.runsKernels === true && stepwise.includes(result);
  const computation = isStepwise ? result : computationDType(result);
  const cast = operands.map((operand) => operand && convert(emit, operand, computation));
  return { operands: cast as unknown as T, result };
}

/** Returns a number as a float dtype of 16 bits or fewer holds it; others are not rounded. */
export function heldNumber(value: number, dtype: DType): number {
  const [encode, values] = [patternEncoder(dtype), valueTable(dtype)];
  return encode === undefined || values === undefined ? value : values[encode(value)]!;
}
