/** @file Steps that many decompositions share. */
import { FakeTensor, type ScalarLiteral } from "@sconce/ir";
import { printExpr, SymExpr } from "@sconce/symbolic";
import type { DType } from "@sconce/tensor";
import type { Emit } from "../rows/emit.js";
import { scalarArgument } from "../rows/errors.js";
import type { ScalarArg } from "../schema/schema-types.js";
import { isEqual } from "./comparison.js";
import { broadcastShapes } from "./dims.js";
import { computationDType, type Operand, promoteOperands, toFloatDType } from "./promote.js";

/** Converts to a dtype; the tensor itself when it has that dtype. */
export const convert = (emit: Emit, tensor: FakeTensor, dtype: DType): FakeTensor =>
  tensor.dtype === dtype ? tensor : emit("aten._to_copy.default", [tensor], { dtype });

/** How a decomposition's result dtype follows from its operands. */
export type Promotion = "default" | "int-to-float";

/**
 * Runs `body` on operands converted to the dtype that PyTorch computes in (halves in float32), and
 * converts the result to the promoted dtype. Numbers among the operands stay as they are.
 */
export function promoted<const T extends readonly Operand[]>(
  emit: Emit,
  promotion: Promotion,
  operands: T,
  body: (...converted: { -readonly [K in keyof T]: T[K] }) => FakeTensor,
): FakeTensor {
  const common = promoteOperands(operands);
  const result = promotion === "int-to-float" ? toFloatDType(common) : common;
  const inner = computationDType(result);
  const converted = operands.map((operand) =>
    operand instanceof FakeTensor ? convert(emit, operand, inner) : operand,
  );
  return convert(emit, body(...(converted as { -readonly [K in keyof T]: T[K] })), result);
}

/**
 * Returns whether a `Scalar` is this Python int: what a schema default `=1` leaves out of a call.
 */
export const isIntLiteral = (value: ScalarArg, expected: number): boolean => value === expected;
/** Returns whether a `Scalar` is this Python float. */
export const isFloatLiteral = (value: ScalarArg, expected: number): boolean =>
  typeof value === "object" && value.kind === "float"
    ? value.value === expected
    : value === expected && !Number.isInteger(expected);

/**
 * Returns the number of a `Scalar`. @throws SconceError `SCALAR_ARGUMENT` where it is complex, or
 * known at run time only
 */
export function numberOf(value: ScalarArg | ScalarLiteral): number {
  const number = knownNumber(value);
  if (number === undefined)
    throw scalarArgument("a decomposition", `${describe(value)} is not a known real number`);
  return number;
}

/**
 * Returns the integer of a `Scalar`, in all its bits: numbers lose the low ones of integers beyond
 * 2^53. Fractions are cut.
 *
 * @throws SconceError `SCALAR_ARGUMENT` as {@link numberOf}
 */
export const integerOf = (value: ScalarArg | ScalarLiteral): bigint =>
  typeof value === "bigint" ? value : BigInt(Math.trunc(numberOf(value)));

/** Returns the number of a `Scalar`; undefined where it is complex, or known at run time only. */
export function knownNumber(value: ScalarArg | ScalarLiteral): number | undefined {
  if (typeof value !== "object") return Number(value);
  if (value.kind === "float") return value.value;
  return value.kind !== "complex" && typeof value.expr === "number" ? value.expr : undefined;
}

const describe = (value: ScalarArg | ScalarLiteral): string =>
  typeof value === "object" && "expr" in value && value.expr instanceof SymExpr
    ? printExpr(value.expr)
    : JSON.stringify(value);

/**
 * Both operands at their common shape, as references of binary operators start; single numbers stay
 * what they are.
 */
export function broadcastPair(emit: Emit, a: FakeTensor, b: FakeTensor): readonly [FakeTensor, FakeTensor] {
  const shape = broadcastShapes(emit.env, a.shape, b.shape);
  const fits = (tensor: FakeTensor): boolean =>
    tensor.ndim === 0 ||
    (tensor.ndim === shape.length && tensor.shape.every((size, d) => isEqual(emit.env, size, shape[d]!)));
  const expanded = (tensor: FakeTensor): FakeTensor =>
    fits(tensor) ? tensor : emit("aten.expand.default", [tensor, shape]);
  const first = expanded(a);
  return [first, expanded(b)];
}
