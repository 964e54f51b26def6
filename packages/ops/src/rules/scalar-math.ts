/** @file Python arithmetic on scalars that may be symbolic, inside of rules and decompositions. */
import { float, isSymScalar, type SymScalar } from "@sconce/ir";
import { floatConstant, type IntLike, SymExpr, toFloat } from "@sconce/symbolic";
import type { Emit } from "../rows/emit.js";
import { evaluateScalarFunction } from "../rows/scalar-functions.js";
import type { ScalarArg } from "../schema/schema-types.js";
import { scalarKind } from "./promote.js";

/** True for a scalar whose value is known when a program runs only. */
export const isSymbolicScalar = (value: ScalarArg): value is SymScalar =>
  isSymScalar(value) && value.expr instanceof SymExpr;

/**
 * `operator.sub(a, b)` and so on, of plain and symbolic scalars. With an emitter, symbolic results
 * become nodes at this place, as PyTorch records them.
 *
 * @throws SconceError `SCALAR_DOMAIN`, `SCALAR_ARGUMENT`
 */
export function scalarMath(target: string, args: readonly ScalarArg[], emit?: Emit): ScalarArg {
  const result = evaluateScalarFunction(target, args);
  if (!(result.expr instanceof SymExpr)) {
    return result.kind === "SymFloat" ? float(Number(result.expr)) : (result.expr as number | boolean);
  }
  // True division of two integers takes them as they are.
  const isFloat = args.some((arg) => scalarKind(arg) === "float");
  emit?.arithmetic?.(
    target,
    args.map((arg) => operand(arg, isFloat)),
    result.expr,
  );
  return result;
}

/** Beside a float, Python converts an int first. */
function operand(value: ScalarArg, isFloat: boolean): IntLike {
  if (typeof value !== "object") return isFloat ? floatConstant(Number(value)) : Number(value);
  if (value.kind === "float") return floatConstant(value.value);
  const { expr } = value as SymScalar;
  if (!(expr instanceof SymExpr)) return isFloat ? floatConstant(Number(expr)) : Number(expr);
  return isFloat && value.kind === "SymInt" ? toFloat(expr) : expr;
}
