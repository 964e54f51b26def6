/** @file Python arithmetic on sizes inside of decompositions. */
import { float, type SymInt, symFloat } from "@sconce/ir";
import {
  add,
  floatConstant,
  floatTrueDiv,
  floorDiv,
  mod,
  mul,
  pythonMod,
  sub,
  toFloat,
} from "@sconce/symbolic";
import type { Emit, EmitArg } from "../rows/emit.js";

const OPERATORS = { add, sub, mul, floordiv: floorDiv, mod: pythonMod } as const;

/** Integer operators, by the name that `operator.*` has in Python. */
export type SizeOperator = keyof typeof OPERATORS;

/**
 * Computes `a + b` and so on. If a size is symbolic, the emitter also receives the operation,
 * because PyTorch records it as a node at this place.
 */
export function sizeMath(emit: Emit, operator: SizeOperator, a: SymInt, b: SymInt): SymInt {
  const isNatural = operator === "mod" && [a, b].every((value) => emit.env.range(value).min >= 0);
  const result = isNatural ? mod(a, b) : OPERATORS[operator](a, b);
  if (typeof a !== "number" || typeof b !== "number")
    emit.arithmetic?.(`operator.${operator}`, [a, b], result);
  return result;
}

/** The Python float `value / size`. */
export const quotient = (value: number, size: SymInt): EmitArg =>
  typeof size === "number"
    ? float(value / size)
    : symFloat(floatTrueDiv(floatConstant(value), toFloat(size)));
