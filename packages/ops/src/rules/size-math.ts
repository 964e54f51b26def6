/** @file Python arithmetic on sizes inside of decompositions. */
import {
  type FakeTensor,
  type FloatLiteral,
  float,
  isSymScalar,
  type ScalarLiteral,
  type SymInt,
  symFloat,
  toNumber,
} from "@sconce/ir";
import {
  add,
  floatConstant,
  floatTrueDiv,
  floorDiv,
  intTrueDiv,
  mod,
  mul,
  neg,
  pythonMod,
  SymExpr,
  type SymFloat,
  sub,
  toFloat,
} from "@sconce/symbolic";
import type { Emit, EmitArg } from "../rows/emit.js";
import { numelOf } from "./fake.js";

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

/** The number of elements, multiplied dimension by dimension as `sizeMath` does. */
export const productOf = (emit: Emit, shape: readonly SymInt[]): SymInt =>
  shape.reduce((product, size) => sizeMath(emit, "mul", product, size));

/** The number of elements of a tensor, as `tensor.numel()` in a Python decomposition. */
export function countOf(emit: Emit, tensor: FakeTensor): SymInt {
  const count = numelOf(tensor.shape);
  if (count instanceof SymExpr) emit.counted?.(tensor, count);
  return count;
}

/** The Python float `value / size`. */
export function quotient(emit: Emit, value: number, size: SymInt): EmitArg {
  if (typeof size === "number") return float(value / size);
  const real = toFloat(size);
  emit.arithmetic?.("torch.sym_float", [size], real);
  return divided(emit, value, real);
}

/** The Python float `value / divisor`. */
export function divided(emit: Emit, value: number, divisor: SymFloat): EmitArg {
  if (typeof divisor === "number") return float(value / divisor);
  const result = floatTrueDiv(floatConstant(value), divisor);
  emit.arithmetic?.("operator.truediv", [floatLiteral(value), divisor], result);
  return symFloat(result);
}

/** The Python float `a / b` of two integers. */
export function ratio(emit: Emit, a: SymInt, b: SymInt): SymFloat {
  if (typeof a === "number" && typeof b === "number") return a / b;
  const result = intTrueDiv(a, b);
  emit.arithmetic?.("operator.truediv", [a, b], result);
  return result;
}

/** The Python float `-value`. */
export function opposite(emit: Emit, value: EmitArg): EmitArg {
  if (!isSymScalar(value)) return float(-toNumber(value as ScalarLiteral));
  const result = neg(value.expr as SymExpr) as SymFloat;
  emit.arithmetic?.("operator.neg", [value.expr], result);
  return symFloat(result);
}

const floatLiteral = (value: number): FloatLiteral => ({ kind: "float", value });
