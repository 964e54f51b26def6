/** @file Decompositions that compute halves in float32, as PyTorch's `pw_cast_for_opmath` does. */
import type { FakeTensor } from "@sconce/ir";
import type { DType } from "@sconce/tensor";
import type { Emit } from "../rows/emit.js";
import { convert } from "./decompose.js";
import { computationDType, promoteOperands } from "./promote.js";

/** Returns the operands in the dtype that they are computed in together, and that of the result. */
export function castForMath<const T extends readonly (FakeTensor | null)[]>(
  emit: Emit,
  operands: T,
): { readonly operands: { readonly [K in keyof T]: T[K] }; readonly result: DType } {
  const result = promoteOperands(operands.filter((operand) => operand !== null));
  const computation = computationDType(result);
  const cast = operands.map((operand) => operand && convert(emit, operand, computation));
  return { operands: cast as unknown as T, result };
}
