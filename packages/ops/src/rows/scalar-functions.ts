import {
  type Argument,
  type FloatLiteral,
  float,
  isFloat,
  isInt,
  type ScalarLiteral,
  type SymScalar,
  symBool,
  symFloat,
  symInt,
} from "@sconce/ir";
import {
  add,
  addAll,
  and,
  type BoolLike,
  bigInteger,
  ceilToInt,
  eq,
  floatConstant,
  floatPow,
  floatTrueDiv,
  floorDiv,
  floorToInt,
  ge,
  gt,
  type IntLike,
  intTrueDiv,
  ite,
  le,
  lt,
  mathFunction,
  mod,
  mul,
  ne,
  neg,
  not,
  or,
  pow,
  pythonMod,
  roundDecimalTo,
  roundToInt,
  SymExpr,
  sub,
  symAbs,
  symMax,
  symMin,
  toFloat,
  truncToInt,
} from "@sconce/symbolic";
import { scalarArgument, scalarDomain, unknownScalarFunction } from "./errors.js";

type Kind = "int" | "float" | "bool";
/** A Python scalar on its way through a function: its type, and its value or expression. */
interface Operand {
  readonly kind: Kind;
  readonly value: IntLike | BoolLike;
}
type Rule = (args: readonly Operand[], target: string, range?: RangeOf) => Operand;
/** Bounds of a value as they are known where the function is called. */
type RangeOf = (value: IntLike) => { readonly min: number };

const isSymbolic = (value: unknown): value is SymExpr => value instanceof SymExpr;
const int = (value: IntLike): Operand => ({ kind: "int", value });
const real = (value: IntLike): Operand => ({ kind: "float", value });
const truth = (value: BoolLike): Operand => ({ kind: "bool", value });

/** Returns the number of an operand: True is 1. */
function numeric({ kind, value }: Operand): IntLike {
  if (kind !== "bool") return value as IntLike;
  return typeof value === "boolean" ? Number(value) : (ite(value as SymExpr, 1, 0) as IntLike);
}
const asFloat = (operand: Operand): IntLike =>
  operand.kind === "float" ? numeric(operand) : toFloat(numeric(operand));
const asBool = (operand: Operand): BoolLike =>
  operand.kind === "bool" ? (operand.value as BoolLike) : ne(numeric(operand), 0);
const anyFloat = (args: readonly Operand[]): boolean => args.some((arg) => arg.kind === "float");

/** Python arithmetic: a float makes the result a float. */
const arithmetic =
  (fn: (a: IntLike, b: IntLike) => IntLike): Rule =>
  ([a, b]) =>
    anyFloat([a!, b!]) ? real(floatResult(fn, asFloat(a!), asFloat(b!))) : int(fn(numeric(a!), numeric(b!)));

/** A plain float beside an expression stays one: `1.0*ToFloat(n)` is not `ToFloat(n)`. */
function floatResult(fn: (a: IntLike, b: IntLike) => IntLike, a: IntLike, b: IntLike): IntLike {
  const kept = (value: IntLike, other: IntLike): IntLike =>
    typeof value === "number" && isSymbolic(other) ? floatConstant(value) : value;
  const result = fn(kept(a, b), kept(b, a));
  // Of whole numbers, a large one is an exact integer: a float is rounded.
  return typeof a === "number" && typeof b === "number" ? asNumber(result) : result;
}

const asNumber = (value: IntLike): IntLike =>
  typeof value === "object" && value.op === "Integer" ? Number(value.value) : value;

const comparison =
  (fn: (a: IntLike, b: IntLike) => BoolLike): Rule =>
  ([a, b]) =>
    truth(anyFloat([a!, b!]) ? fn(asFloat(a!), asFloat(b!)) : fn(numeric(a!), numeric(b!)));

const rounding =
  (fn: (a: IntLike) => IntLike): Rule =>
  ([a]) =>
    int(a!.kind === "float" ? fn(asFloat(a!)) : numeric(a!));

const extremum =
  (fn: (a: IntLike, b: IntLike) => IntLike): Rule =>
  (args) => {
    const numbers = anyFloat(args) ? args.map(asFloat) : args.map(numeric);
    const value = numbers.reduce((a, b) => fn(a, b));
    return anyFloat(args) ? real(value) : int(value);
  };

const divide: Rule = ([a, b], target) => {
  refuseZero(b!, target);
  return real(
    anyFloat([a!, b!]) ? floatTrueDiv(asFloat(a!), asFloat(b!)) : intTrueDiv(numeric(a!), numeric(b!)),
  );
};

const floorDivide: Rule = ([a, b], target) => {
  refuseZero(b!, target);
  if (!anyFloat([a!, b!])) return int(floorDiv(numeric(a!), numeric(b!)));
  const quotient = floatTrueDiv(asFloat(a!), asFloat(b!));
  return real(typeof quotient === "number" ? Math.floor(quotient) : toFloat(floorToInt(quotient)));
};

const remainder: Rule = ([a, b], target, range) => {
  refuseZero(b!, target);
  const natural = (operand: Operand): boolean => range !== undefined && range(numeric(operand)).min >= 0;
  return arithmetic(!anyFloat([a!, b!]) && natural(a!) && natural(b!) ? mod : pythonMod)([a!, b!], target);
};

const power: Rule = ([a, b]) => {
  const exponent = numeric(b!);
  const natural = !anyFloat([a!, b!]) && !(typeof exponent === "number" && exponent < 0);
  return natural ? int(pow(numeric(a!), exponent)) : real(floatPow(asFloat(a!), asFloat(b!)));
};

function refuseZero(divisor: Operand, target: string): void {
  if (numeric(divisor) === 0) throw scalarDomain(target, "division by zero");
}

/** `&`, `|`, `^`: of conditions, else of the bits of plain integers. */
const bitwise =
  (logical: (a: BoolLike, b: BoolLike) => BoolLike, bits: (a: bigint, b: bigint) => bigint): Rule =>
  ([a, b], target) => {
    if (a!.kind === "bool" && b!.kind === "bool")
      return truth(logical(a!.value as BoolLike, b!.value as BoolLike));
    return int(bigInteger(bits(plainInteger(a!, target), plainInteger(b!, target))));
  };

function plainInteger(operand: Operand, target: string): bigint {
  const value = numeric(operand);
  if (typeof value === "number" && Number.isInteger(value)) return BigInt(value);
  if (isSymbolic(value) && value.op === "Integer") return BigInt(value.value);
  throw scalarArgument(target, "bits of a symbolic value are not known");
}

const exclusiveOr = (a: BoolLike, b: BoolLike): BoolLike => and(or(a, b), not(and(a, b)));

/** Returns a function of `math`: computed for numbers, opaque for expressions. */
const mathRule =
  (name: string): Rule =>
  ([a], target) => {
    const value = asFloat(a!);
    if (typeof value !== "number") return real(mathFunction(name, value));
    const result = (Math as unknown as Record<string, (x: number) => number>)[name]!(value);
    if (Number.isNaN(result) && !Number.isNaN(value)) throw scalarDomain(target, "math domain error");
    return real(result);
  };

const round: Rule = ([a, digits]) => {
  if (digits === undefined) return a!.kind === "float" ? int(roundToInt(asFloat(a!))) : int(numeric(a!));
  return a!.kind === "float"
    ? real(roundDecimalTo(asFloat(a!), numeric(digits) as number))
    : int(numeric(a!));
};

const select: Rule = ([condition, whenTrue, whenFalse]) => {
  const chosen = asBool(condition!);
  if (typeof chosen === "boolean") return chosen ? whenTrue! : whenFalse!;
  return { kind: whenTrue!.kind, value: ite(chosen, whenTrue!.value, whenFalse!.value) };
};

const shift =
  (left: boolean): Rule =>
  ([a, b]) => {
    const factor = pow(2, numeric(b!));
    return int(left ? mul(numeric(a!), factor) : floorDiv(numeric(a!), factor));
  };

const sum: Rule = (args) =>
  anyFloat(args) ? real(addAll(args.map(asFloat))) : int(addAll(args.map(numeric)));
const negate: Rule = ([a]) => (a!.kind === "float" ? real(neg(numeric(a!))) : int(neg(numeric(a!))));
const negation: Rule = ([a]) => truth(not(asBool(a!)));
const toReal: Rule = ([a]) => real(asFloat(a!));
const MATH_NAMES = [
  "sqrt",
  "cos",
  "cosh",
  "sin",
  "sinh",
  "tan",
  "tanh",
  "asin",
  "acos",
  "atan",
  "exp",
  "log",
  "log2",
];

const RULES: ReadonlyMap<string, Rule> = new Map<string, Rule>([
  ["operator.add", arithmetic(add)],
  ["operator.sub", arithmetic(sub)],
  ["operator.mul", arithmetic(mul)],
  ["operator.truediv", divide],
  ["operator.floordiv", floorDivide],
  ["operator.mod", remainder],
  ["operator.pow", power],
  ["operator.neg", negate],
  ["operator.pos", ([a]) => (a!.kind === "bool" ? int(numeric(a!)) : a!)],
  ["operator.abs", ([a]) => (a!.kind === "float" ? real(symAbs(numeric(a!))) : int(symAbs(numeric(a!))))],
  ["operator.eq", comparison(eq)],
  ["operator.ne", comparison(ne)],
  ["operator.lt", comparison(lt)],
  ["operator.le", comparison(le)],
  ["operator.gt", comparison(gt)],
  ["operator.ge", comparison(ge)],
  ["operator.and_", bitwise(and, (a, b) => a & b)],
  ["operator.or_", bitwise(or, (a, b) => a | b)],
  ["operator.xor", bitwise(exclusiveOr, (a, b) => a ^ b)],
  ["operator.not_", negation],
  ["operator.lshift", shift(true)],
  ["operator.rshift", shift(false)],
  ["math.ceil", rounding(ceilToInt)],
  ["math.floor", rounding(floorToInt)],
  ["math.trunc", rounding(truncToInt)],
  ["math.pow", ([a, b]) => real(floatPow(asFloat(a!), asFloat(b!)))],
  ["builtins.round", round],
  ["builtins.int", rounding(truncToInt)],
  ["builtins.float", toReal],
  ["builtins.bool", ([a]) => truth(asBool(a!))],
  ["builtins.max", extremum(symMax)],
  ["builtins.min", extremum(symMin)],
  ["torch.sym_max", extremum(symMax)],
  ["torch.sym_min", extremum(symMin)],
  ["torch.sym_int", rounding(truncToInt)],
  ["torch.sym_float", toReal],
  ["torch.sym_not", negation],
  ["torch.sym_ite", select],
  ["torch.sym_sum", sum],
  ...MATH_NAMES.flatMap((name): [string, Rule][] => [
    [`math.${name}`, mathRule(name)],
    [`torch._sym_${name}`, mathRule(name)],
  ]),
]);

/** Returns whether a call target is a function on Python scalars. */
export const isScalarFunction = (target: string): boolean => RULES.has(target);

/**
 * Returns the result of a scalar function on symbolic or plain scalars: a symbolic scalar, which
 * holds a plain value when the arguments do.
 *
 * @throws SconceError `SCALAR_DOMAIN`, `SCALAR_ARGUMENT`, `UNKNOWN_OPERATOR`
 */
export function evaluateScalarFunction(
  target: string,
  args: readonly (SymScalar | Argument)[],
  range?: RangeOf,
): SymScalar {
  const { kind, value } = apply(target, args, range);
  if (kind === "bool") return symBool(value as BoolLike);
  return kind === "float" ? symFloat(value as IntLike) : symInt(value as IntLike);
}

/**
 * Returns the result of a scalar function on plain values, as Python has it: ints exact at any
 * size, `float(2)` for the float 2.0.
 *
 * @throws SconceError `SCALAR_DOMAIN`, `SCALAR_ARGUMENT`, `UNKNOWN_OPERATOR`
 */
export function runScalarFunction(
  target: string,
  args: readonly (ScalarLiteral | readonly ScalarLiteral[])[],
): number | bigint | boolean | FloatLiteral {
  const { kind, value } = apply(target, args);
  if (typeof value === "boolean") return value;
  if (isSymbolic(value)) {
    if (value.op === "Integer") return BigInt(value.value);
    throw scalarArgument(target, "its value is not known");
  }
  return kind === "float" ? float(value) : value;
}

function apply(target: string, args: readonly (SymScalar | Argument)[], range?: RangeOf): Operand {
  const rule = RULES.get(target);
  if (rule === undefined) {
    throw unknownScalarFunction(target);
  }
  // `sym_sum` and some calls of `max` take one list.
  const flat = args.length === 1 && Array.isArray(args[0]) ? (args[0] as readonly Argument[]) : args;
  return rule(
    flat.map((arg) => operandOf(arg, target)),
    target,
    range,
  );
}

function operandOf(arg: SymScalar | Argument, target: string): Operand {
  if (typeof arg === "boolean") return truth(arg);
  if (isInt(arg)) return int(typeof arg === "bigint" ? bigInteger(arg) : arg);
  if (isFloat(arg)) return real(typeof arg === "number" ? arg : arg.value);
  const scalar = arg as SymScalar | null;
  if (scalar?.kind === "SymInt") return int(scalar.expr);
  if (scalar?.kind === "SymFloat") return real(scalar.expr);
  if (scalar?.kind === "SymBool") return truth(scalar.expr);
  throw scalarArgument(target, "it takes Python numbers only");
}
