/** @file Expressions of sizes as Python functions compute them. */
import { type Argument, isSymScalar, type MetaValue, type SymScalar } from "@sconce/ir";
import { evaluateScalarFunction } from "@sconce/ops";
import { isCondition, SymExpr, scalarKind } from "@sconce/symbolic";

/** Python functions that compute expressions, by the heads of the expressions. */
export const PYTHON_TARGETS: Readonly<Record<string, string>> = {
  Add: "operator.add",
  Mul: "operator.mul",
  FloorDiv: "operator.floordiv",
  CleanDiv: "operator.floordiv",
  Mod: "operator.mod",
  PythonMod: "operator.mod",
  Pow: "operator.pow",
  PowByNatural: "operator.pow",
  FloatPow: "operator.pow",
  Max: "torch.sym_max",
  Min: "torch.sym_min",
  ToFloat: "torch.sym_float",
  IntTrueDiv: "operator.truediv",
  FloatTrueDiv: "operator.truediv",
  CeilToInt: "math.ceil",
  FloorToInt: "math.floor",
  TruncToInt: "math.trunc",
  RoundToInt: "builtins.round",
  OpaqueUnaryFn_sqrt: "torch._sym_sqrt",
  Equality: "operator.eq",
  Unequality: "operator.ne",
  StrictLessThan: "operator.lt",
  LessThan: "operator.le",
  StrictGreaterThan: "operator.gt",
  GreaterThan: "operator.ge",
  And: "operator.and_",
  Or: "operator.or_",
  Not: "torch.sym_not",
};

const READ: ReadonlySet<string> = new Set(["ToFloat", "TruncToInt", "CeilToInt"]);

/**
 * Returns whether a size has functions that PyTorch does not compute again from other sizes
 * (`_has_uninterpretable_sympy_function`): it reads the size from the tensor that has it.
 */
export const isRead = (expr: SymExpr): boolean => READ.has(expr.op) || expr.args.some(isRead);

/** What Python makes of a comparison whose left side is a number: `0 < n` asks `n > 0`. */
export const REFLECTED: Readonly<Record<string, string>> = {
  "operator.lt": "operator.gt",
  "operator.le": "operator.ge",
  "operator.gt": "operator.lt",
  "operator.ge": "operator.le",
  "operator.eq": "operator.eq",
  "operator.ne": "operator.ne",
};

/** Returns whether a size is a symbol alone. */
export const isSymbol = (size: unknown): size is SymExpr => size instanceof SymExpr && size.op === "Symbol";

/** Returns a symbolic scalar of the kind that an expression has. */
export function scalarOf(expr: SymExpr): SymScalar {
  const kind = scalarKind(expr);
  return { kind: kind === "bool" ? "SymBool" : kind === "float" ? "SymFloat" : "SymInt", expr };
}

/**
 * Returns a comparison as Python computes it: whole numbers beside floats become floats, and what
 * can be seen to hold or to fail is a constant, as that twice a size is 5. Other expressions stay
 * as they are.
 */
export function comparedInPython(expr: SymExpr): SymScalar {
  const [first, second] = expr.args;
  if (expr.args.length !== 2 || !isCondition(expr)) return scalarOf(expr);
  const isMixed =
    (first!.op === "Integer" && scalarKind(second!) === "float") ||
    (second!.op === "Integer" && scalarKind(first!) === "float");
  const value = evaluateScalarFunction(PYTHON_TARGETS[expr.op]!, [scalarOf(first!), scalarOf(second!)]);
  return isMixed || typeof value.expr === "boolean" ? value : scalarOf(expr);
}

const isNumber = (arg: SymScalar | Argument | undefined): boolean =>
  typeof arg === "number" || (isSymScalar(arg as MetaValue) && typeof (arg as SymScalar).expr === "number");

type Operands = readonly (SymScalar | Argument)[];

/**
 * Returns a call of a Python function as Python makes it: of a comparison whose left side became a
 * number, the other operand is asked.
 */
export function asPython(
  target: string,
  args: Operands,
  value: SymScalar,
): readonly [target: string, args: Operands, value: SymScalar] {
  const [first, second] = args;
  const isReflected =
    isNumber(first) && isSymScalar(second as MetaValue) && (second as SymScalar).expr instanceof SymExpr;
  const reflected = isReflected ? REFLECTED[target] : undefined;
  if (reflected === undefined) return [target, args, value];
  const operands = [second!, first!];
  return [reflected, operands, evaluateScalarFunction(reflected, operands)];
}

/** `factor * symbol + offset` of an expression, when it is that. */
export function linearIn(expr: SymExpr, symbol: string): { factor: number; offset: number } | undefined {
  if (expr.op === "Symbol") return expr.name === symbol ? { factor: 1, offset: 0 } : undefined;
  const [a, b] = expr.args;
  if (expr.args.length !== 2 || a === undefined || b === undefined) return undefined;
  const [constant, other] = a.op === "Integer" ? [a, b] : [b, a];
  if (constant.op !== "Integer") return undefined;
  const inner = linearIn(other, symbol);
  if (inner === undefined) return undefined;
  const value = Number(constant.value);
  if (expr.op === "Mul") return { factor: inner.factor * value, offset: inner.offset * value };
  return expr.op === "Add" ? { factor: inner.factor, offset: inner.offset + value } : undefined;
}
