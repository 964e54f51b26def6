/** @file Python arithmetic on sizes inside of decompositions. */
import {
  type FakeTensor,
  type FloatLiteral,
  float,
  type IntLike,
  isSymScalar,
  type ScalarLiteral,
  symFloat,
  toNumber,
} from "@sconce/ir";
import {
  add,
  type FloatLike,
  floatConstant,
  floatTrueDiv,
  floorDiv,
  intTrueDiv,
  mod,
  mul,
  neg,
  pythonMod,
  SymExpr,
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
export function sizeMath(emit: Emit, operator: SizeOperator, a: IntLike, b: IntLike): IntLike {
  const isNatural = operator === "mod" && [a, b].every((value) => emit.env.range(value).min >= 0);
  const result = isNatural ? mod(a, b) : OPERATORS[operator](a, b);
  if (typeof a !== "number" || typeof b !== "number")
    emit.arithmetic?.(`operator.${operator}`, [a, b], result);
  return result;
}

/** Returns the number of elements, multiplied dimension by dimension as `sizeMath` does. */
export const productOf = (emit: Emit, shape: readonly IntLike[]): IntLike =>
  shape.reduce((product, size) => sizeMath(emit, "mul", product, size));

/** Returns the number of elements of a tensor, as `tensor.numel()` in a Python decomposition. */
export function countOf(emit: Emit, tensor: FakeTensor): IntLike {
  const count = numelOf(tensor.shape);
  if (count instanceof SymExpr) emit.counted?.(tensor, count);
  return count;
}

/** Returns the Python float `value / size`. */
export function quotient(emit: Emit, value: number, size: IntLike): EmitArg {
  if (typeof size === "number") return float(value / size);
  const real = toFloat(size);
  emit.arithmetic?.("torch.sym_float", [size], real);
  return divided(emit, value, real);
}

/** Returns the Python float `value / divisor`. */
export function divided(emit: Emit, value: number, divisor: FloatLike): EmitArg {
  if (typeof divisor === "number") return float(value / divisor);
  const result = floatTrueDiv(floatConstant(value), divisor);
  emit.arithmetic?.("operator.truediv", [floatLiteral(value), divisor], result);
  return symFloat(result);
}

/** Returns the Python float `a / b` of two integers. */
export function ratio(emit: Emit, a: IntLike, b: IntLike): FloatLike {
  if (typeof a === "number" && typeof b === "number") return a / b;
  const result = intTrueDiv(a, b);
  emit.arithmetic?.("operator.truediv", [a, b], result);
  return result;
}

/** Returns the Python float `-value`. */
export function opposite(emit: Emit, value: EmitArg): EmitArg {
  if (!isSymScalar(value)) return float(-toNumber(value as ScalarLiteral));
  const result = neg(value.expr as SymExpr) as FloatLike;
  emit.arithmetic?.("operator.neg", [value.expr], result);
  return symFloat(result);
}

const floatLiteral = (value: number): FloatLiteral => ({ kind: "float", value });
