import { type BoolLike, type IntLike, lift, lower, printExpr, type SymValue } from "../algebra/algebra.js";
import { construct } from "../algebra/construct.js";
import { MATH_FUNCTIONS, roundDecimal, roundHalfEven } from "../algebra/float-op.js";
import { floatPower } from "../algebra/float-power.js";
import { badOperand, divisionByZero, unboundSymbol } from "../expr/errors.js";
import {
  divide,
  equal,
  less,
  narrow,
  plus,
  raise,
  times,
  type ExactNumber as Value,
} from "../expr/exact-number.js";
import { SymExpr } from "../expr/expr.js";

/** Values of symbols by name. */
export type Bindings = ReadonlyMap<string, number>;

/**
 * Returns the number or boolean that a value has under the bindings, with Python's `//` and `%`.
 * Integers are exact throughout; a result beyond 2^53 is rounded to the nearest double. Throws
 * SYM_UNBOUND, SYM_DIVISION_BY_ZERO, SYM_OPERAND.
 */
export function evaluate(value: SymValue, bindings: Bindings): number | boolean {
  if (!(value instanceof SymExpr)) return value;
  const result = evaluateNode(value, bindings);
  // Python's integers know no negative zero.
  return result === 0 ? 0 : typeof result === "bigint" ? asFloat(result) : result;
}

function asFloat(value: bigint): number {
  const result = Number(value);
  if (!Number.isFinite(result)) throw badOperand("int too large to convert to float");
  return result;
}

/** {@link evaluate} of an integer or float. */
export function evaluateInt(value: IntLike, bindings: Bindings): number {
  return typeof value === "number" ? value : Number(evaluate(value, bindings));
}

/** {@link evaluate} of a condition. */
export function evaluateBool(value: BoolLike, bindings: Bindings): boolean {
  return typeof value === "boolean" ? value : Boolean(evaluate(value, bindings));
}

function evaluateNode(e: SymExpr, bindings: Bindings): Value {
  switch (e.op) {
    case "Integer":
    case "Float":
      return e.value;
    case "Rational":
      return Number(e.value) / Number(e.den);
    case "True":
    case "False":
      return e.op === "True";
    case "Symbol": {
      const value = bindings.get(e.name);
      if (value === undefined) throw unboundSymbol(e.name, e.name);
      return value;
    }
    case "And":
      return e.args.every((arg) => evaluateNode(arg, bindings));
    case "Or":
      return e.args.some((arg) => evaluateNode(arg, bindings));
    case "Piecewise":
      return evaluatePiecewise(e, bindings);
    case "Where":
      return evaluateNode(e.args[evaluateNode(e.args[0]!, bindings) ? 1 : 2]!, bindings);
    case "Mul":
      return evaluateProduct(e, bindings);
    default:
      return applyHead(
        e,
        e.args.map((arg) => evaluateNode(arg, bindings)),
      );
  }
}

function evaluatePiecewise(e: SymExpr, bindings: Bindings): Value {
  for (const pair of e.args)
    if (evaluateNode(pair.args[1]!, bindings)) return evaluateNode(pair.args[0]!, bindings);
  throw badOperand(`no branch of ${printExpr(e)} holds`);
}

/** Evaluates a product: a rational coefficient divides last, so that integers stay integers. */
function evaluateProduct(e: SymExpr, bindings: Bindings): Value {
  const first = e.args[0]!;
  const values = (first.op === "Rational" ? e.args.slice(1) : e.args).map((arg) =>
    evaluateNode(arg, bindings),
  );
  const product = values.reduce<Value>((a, b) => times(a, b), 1);
  return first.op === "Rational" ? Number(times(product, first.value)) / Number(first.den) : product;
}

const number = (value: Value): number => Number(value);

const integral = (value: number): Value => {
  if (!Number.isFinite(value)) throw badOperand(`cannot convert float ${value} to integer`);
  return narrow(BigInt(value));
};

function applyHead(e: SymExpr, args: readonly Value[]): Value {
  const [a, b, c] = args as readonly [Value, Value, Value];
  const place = (): string => printExpr(e);
  switch (e.op) {
    case "Add":
      return args.reduce(plus);
    case "Pow":
    case "PowByNatural":
      return raise(a, b);
    case "FloatPow":
      return floatPower(number(a), number(b));
    case "FloorDiv":
    case "CleanDiv":
      return divide(place, a, b, 0);
    case "Mod":
    case "PythonMod":
      return divide(place, a, b, 1);
    case "ModularIndexing":
      return divide(place, divide(place, a, b, 0), c, 1);
    case "Max":
      return args.reduce((x, y) => (less(x, y) ? y : x));
    case "Min":
      return args.reduce((x, y) => (less(y, x) ? y : x));
    case "Abs":
      return less(a, 0) ? times(a, -1) : a;
    case "Identity":
      return a;
    case "ToFloat":
      return number(a);
    case "IntTrueDiv":
    case "FloatTrueDiv":
      if (number(b) === 0) throw divisionByZero(printExpr(e));
      return number(a) / number(b);
    case "CeilToInt":
      return integral(Math.ceil(number(a)));
    case "FloorToInt":
      return integral(Math.floor(number(a)));
    case "TruncToInt":
      return integral(Math.trunc(number(a)));
    case "RoundToInt":
      return integral(roundHalfEven(number(a)));
    case "TruncToFloat":
      return Math.trunc(number(a));
    case "RoundDecimal":
      return roundDecimal(number(a), number(b));
    case "Not":
      return !a;
    default:
      return compared(e.op, a, b) ?? applyOther(e, args);
  }
}

/** Returns the truth of a comparison; undefined for another head. */
function compared(op: string, a: Value, b: Value): boolean | undefined {
  switch (op) {
    case "Equality":
      return equal(a, b);
    case "Unequality":
      return !equal(a, b);
    case "StrictLessThan":
      return less(a, b);
    case "LessThan":
      return !less(b, a);
    case "StrictGreaterThan":
      return less(b, a);
    case "GreaterThan":
      return !less(a, b);
    default:
      return undefined;
  }
}

function applyOther(e: SymExpr, args: readonly Value[]): Value {
  if (e.op.startsWith("OpaqueUnaryFn_")) {
    const name = e.op.slice("OpaqueUnaryFn_".length);
    const fn = Object.hasOwn(MATH_FUNCTIONS, name) ? MATH_FUNCTIONS[name] : undefined;
    if (fn !== undefined) return fn(number(args[0]!));
  }
  if (e.op === "IsNonOverlappingAndDenseIndicator") {
    return number(
      lower(
        construct(
          e.op,
          args.map((arg) => lift(number(arg))),
        ),
      ) as number,
    );
  }
  throw badOperand(`${e.op} has no value`);
}
