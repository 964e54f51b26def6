import { MATH_FUNCTIONS, roundDecimal, roundHalfEven } from "../algebra/float-op.js";
import { badOperand, divisionByZero } from "../expr/errors.js";
import { divide, type ExactNumber, equal, less, plus, raise, times } from "../expr/exact-number.js";
import type { GuardBinaryOp, GuardCompareOp, GuardFunction, GuardNode, GuardSource } from "./ast.js";
import { foldGuard, type GuardAlgebra, pythonChoices } from "./fold.js";
import { printGuard } from "./print.js";

/** A value of a guard. */
export type GuardValue = number | string | boolean | null;

/**
 * Returns the value of an input or of a property of one; undefined if it does not exist. Integers
 * past 2^53 are bigints.
 */
export type SourceResolver = (source: GuardSource) => GuardValue | bigint | undefined;

/** Integers are exact, as Python's. */
type Value = GuardValue | bigint;

/**
 * Returns the value of a guard, with Python's operators. A result past 2^53 is rounded to the
 * nearest double. Throws SYM_OPERAND and SYM_DIVISION_BY_ZERO.
 */
export function evaluateGuard(guard: GuardNode, resolve: SourceResolver): GuardValue {
  const value = evaluated(guard, resolve);
  return typeof value === "bigint" ? Number(value) : value;
}

/** True when a guard holds. */
export const guardHolds = (guard: GuardNode, resolve: SourceResolver): boolean =>
  Boolean(evaluated(guard, resolve));

type Compute = (resolve: SourceResolver) => Value;

/** Guards are evaluated for each run of a program: each is folded once. */
const computations = new WeakMap<GuardNode, Compute>();

function evaluated(guard: GuardNode, resolve: SourceResolver): Value {
  let compute = computations.get(guard);
  if (compute === undefined) {
    compute = foldGuard(guard, COMPUTED);
    computations.set(guard, compute);
  }
  return compute(resolve);
}

const CHOICES = pythonChoices<Value>(Boolean, (value) => value);

/** Folds the parts once, and chooses among their values at each evaluation. */
const chosen =
  (choose: (parts: readonly (() => Value)[]) => Value) =>
  (parts: readonly (() => Compute)[]): Compute => {
    const computes = parts.map((part) => part());
    return (resolve) => choose(computes.map((compute) => () => compute(resolve)));
  };

const COMPUTED: GuardAlgebra<Compute> = {
  source: (source) => (resolve) => {
    const value = resolve(source);
    if (value === undefined) throw badOperand(`no input ${printGuard(source)}`);
    return value;
  },
  number({ exact, value }) {
    const known = exact ?? value;
    return () => known;
  },
  constant: (value) => () => value,
  not: (operand) => (resolve) => !operand(resolve),
  negate: (operand) => (resolve) => times(-1, number(operand(resolve))),
  binary: (op, left, right, node) => (resolve) =>
    binary(op, number(left(resolve)), number(right(resolve)), node),
  compare: (op, left, right) => (resolve) => compare(op, left(resolve), right(resolve)),
  and: chosen(CHOICES.and),
  or: chosen(CHOICES.or),
  conditional(test, then, otherwise) {
    const [condition, first, second] = [test(), then(), otherwise()];
    return (resolve) => (condition(resolve) ? first : second)(resolve);
  },
  call:
    ({ fn }, args) =>
    (resolve) =>
      call(
        fn,
        args.map((arg) => number(arg(resolve))),
      ),
};

type Numeric = number | bigint;

function number(value: Value): Numeric {
  if (typeof value === "string" || value === null) throw badOperand(`${JSON.stringify(value)} in arithmetic`);
  return typeof value === "bigint" ? value : Number(value);
}

function binary(op: GuardBinaryOp, a: Numeric, b: Numeric, guard: GuardNode): ExactNumber {
  const place = (): string => printGuard(guard);
  switch (op) {
    case "+":
      return plus(a, b);
    case "-":
      return plus(a, times(-1, b));
    case "*":
      return times(a, b);
    case "/":
      if (Number(b) === 0) throw divisionByZero(place());
      return Number(a) / Number(b);
    case "//":
      return divide(place, a, b, 0);
    case "%":
      return divide(place, a, b, 1);
    case "**":
      return raise(a, b);
  }
}

function compare(op: GuardCompareOp, a: Value, b: Value): boolean {
  if (op === "==" || op === "!=") return same(a, b) === (op === "==");
  const [x, y] = [number(a), number(b)];
  return op === "<" ? x < y : op === "<=" ? x <= y : op === ">" ? x > y : x >= y;
}

const isNumeric = (value: Value): value is Numeric | boolean => value !== null && typeof value !== "string";
const same = (a: Value, b: Value): boolean => (isNumeric(a) && isNumeric(b) ? equal(a, b) : a === b);

function call(fn: GuardFunction, args: readonly Numeric[]): Value {
  const first = args[0]!;
  switch (fn) {
    case "max":
    case "torch.sym_max":
      return args.reduce((x, y) => (less(x, y) ? y : x));
    case "min":
    case "torch.sym_min":
      return args.reduce((x, y) => (less(y, x) ? y : x));
    case "abs":
      return less(first, 0) ? times(-1, first) : first;
    case "float":
    case "torch.sym_float":
      return Number(first);
    default:
      // What is left rounds, or takes a float.
      return typeof first === "bigint" && INTEGRAL.has(fn) ? first : callFloat(fn, args.map(Number));
  }
}

const INTEGRAL: ReadonlySet<GuardFunction> = new Set<GuardFunction>([
  "int",
  "round",
  "cast_symbool_to_symint_guardless",
  "math.trunc",
  "math.floor",
  "math.ceil",
]);

function callFloat(fn: GuardFunction, args: readonly number[]): GuardValue {
  const first = args[0]!;
  switch (fn) {
    case "round":
      return args.length === 2 ? roundDecimal(first, args[1]!) : roundHalfEven(first);
    case "cast_symbool_to_symint_guardless":
      return first;
    case "int":
    case "math.trunc":
      return Math.trunc(first) + 0;
    case "math.floor":
      return Math.floor(first);
    case "math.ceil":
      return Math.ceil(first) + 0;
    case "math.isnan":
      return Number.isNaN(first);
    case "torch._sym_sqrt":
      return Math.sqrt(first);
    default:
      return MATH_FUNCTIONS[fn.slice("math.".length)]!(first);
  }
}
