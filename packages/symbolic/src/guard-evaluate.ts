import { badOperand, divisionByZero } from "./errors.js";
import { MATH_FUNCTIONS, roundDecimal, roundHalfEven } from "./float-op.js";
import type { GuardBinaryOp, GuardCompareOp, GuardFunction, GuardNode, GuardSource } from "./guard-ast.js";
import { printGuard } from "./guard-print.js";

/** A value of a guard. */
export type GuardValue = number | string | boolean | null;

/** Returns the value of an input or of a property of one; undefined if it does not exist. */
export type SourceResolver = (source: GuardSource) => GuardValue | undefined;

/** The value of a guard, with Python's operators. Throws SYM_OPERAND and SYM_DIVISION_BY_ZERO. */
export function evaluateGuard(guard: GuardNode, resolve: SourceResolver): GuardValue {
  const evaluate = (node: GuardNode): GuardValue => evaluateGuard(node, resolve);
  switch (guard.kind) {
    case "source": {
      const value = resolve(guard);
      if (value === undefined) throw badOperand(`no input ${printGuard(guard)}`);
      return value;
    }
    case "number":
    case "constant":
      return guard.value;
    case "unary": {
      const value = evaluate(guard.operand);
      return guard.op === "not" ? !value : guard.op === "-" ? -number(value) : number(value);
    }
    case "binary":
      return binary(guard.op, number(evaluate(guard.left)), number(evaluate(guard.right)), guard);
    case "compare":
      return compareChain(
        evaluate(guard.first),
        guard.rest.map(([op, right]) => [op, evaluate(right)]),
      );
    case "bool": {
      let last: GuardValue = guard.op === "and";
      for (const part of guard.values) {
        last = evaluate(part);
        if (Boolean(last) === (guard.op === "or")) return last;
      }
      return last;
    }
    case "conditional":
      return evaluate(evaluate(guard.test) ? guard.then : guard.otherwise);
    case "call":
      return call(
        guard.fn,
        guard.args.map((arg) => number(evaluate(arg))),
      );
  }
}

/** True when a guard holds. */
export const guardHolds = (guard: GuardNode, resolve: SourceResolver): boolean =>
  Boolean(evaluateGuard(guard, resolve));

function number(value: GuardValue): number {
  if (typeof value === "string" || value === null) throw badOperand(`${JSON.stringify(value)} in arithmetic`);
  return Number(value);
}

function binary(op: GuardBinaryOp, a: number, b: number, guard: GuardNode): number {
  if (b === 0 && (op === "/" || op === "//" || op === "%")) throw divisionByZero(printGuard(guard));
  switch (op) {
    case "+":
      return a + b;
    case "-":
      return a - b;
    case "*":
      return a * b;
    case "/":
      return a / b;
    case "//":
      return Math.floor(a / b);
    case "%": {
      const rest = a % b;
      return rest !== 0 && rest < 0 !== b < 0 ? rest + b : rest + 0;
    }
    case "**":
      return a ** b;
  }
}

function compareChain(first: GuardValue, rest: readonly (readonly [GuardCompareOp, GuardValue])[]): boolean {
  let left = first;
  for (const [op, right] of rest) {
    if (!compare(op, left, right)) return false;
    left = right;
  }
  return true;
}

function compare(op: GuardCompareOp, a: GuardValue, b: GuardValue): boolean {
  if (op === "==" || op === "!=") return equal(a, b) === (op === "==");
  const [x, y] = [number(a), number(b)];
  return op === "<" ? x < y : op === "<=" ? x <= y : op === ">" ? x > y : x >= y;
}

const isNumeric = (value: GuardValue): value is number | boolean =>
  typeof value === "number" || typeof value === "boolean";
const equal = (a: GuardValue, b: GuardValue): boolean =>
  isNumeric(a) && isNumeric(b) ? Number(a) === Number(b) : a === b;

function call(fn: GuardFunction, args: readonly number[]): GuardValue {
  const first = args[0]!;
  switch (fn) {
    case "max":
    case "torch.sym_max":
      return Math.max(...args);
    case "min":
    case "torch.sym_min":
      return Math.min(...args);
    case "abs":
      return Math.abs(first);
    case "round":
      return args.length === 2 ? roundDecimal(first, args[1]!) : roundHalfEven(first);
    case "float":
    case "torch.sym_float":
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
