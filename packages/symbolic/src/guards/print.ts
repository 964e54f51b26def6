import type { GuardNode, GuardSource } from "./ast.js";

/** Python's binding strengths. */
const LEVEL = {
  test: 1,
  or: 2,
  and: 3,
  not: 4,
  compare: 5,
  bits: 6,
  sum: 10,
  product: 11,
  factor: 12,
  power: 13,
  atom: 15,
};

/**
 * Returns a guard's text as Python's `ast.unparse` normalizes it, with inputs by the caller's
 * names: `-1 + x.size()[0] >= 2`. This is the text of `Guard failed: ...`.
 */
export function printGuard(guard: GuardNode): string {
  return print(guard, LEVEL.test);
}

/** Returns the source's own text: `x.size()[0]`, `d['k'][0]`. */
export function printSource(source: GuardSource): string {
  const path = source.path
    .map((key) => (typeof key === "object" ? `.${key.attribute}` : `[${printKey(key)}]`))
    .join("");
  const property = source.property === undefined ? "" : `.${source.property}()`;
  return `${source.root}${path}${property}${source.index === undefined ? "" : `[${source.index}]`}`;
}

const printKey = (key: string | number): string => (typeof key === "number" ? String(key) : printString(key));
const printString = (text: string): string => (text.includes("'") ? `"${text}"` : `'${text}'`);

const wrap = (text: string, own: number, needed: number): string => (needed > own ? `(${text})` : text);

function print(guard: GuardNode, needed: number): string {
  switch (guard.kind) {
    case "source":
      return printSource(guard);
    case "number":
      return guard.exact === undefined ? printNumber(guard.value, guard.float) : String(guard.exact);
    case "constant":
      return printConstant(guard.value);
    case "call":
      return `${guard.fn}(${guard.args.map((arg) => print(arg, LEVEL.test)).join(", ")})`;
    case "unary": {
      const own = guard.op === "not" ? LEVEL.not : LEVEL.factor;
      return wrap(`${guard.op === "not" ? "not " : guard.op}${print(guard.operand, own)}`, own, needed);
    }
    case "binary":
      return printBinary(guard, needed);
    case "compare": {
      const rest = guard.rest.map(([op, right]) => ` ${op} ${print(right, LEVEL.bits)}`);
      return wrap(print(guard.first, LEVEL.bits) + rest.join(""), LEVEL.compare, needed);
    }
    case "bool": {
      // Each further operand is asked for one level more, and so gains parentheses, as Python does
      // it.
      const own = guard.op === "or" ? LEVEL.or : LEVEL.and;
      const values = guard.values.map((value, i) => print(value, own + 1 + i));
      return wrap(values.join(` ${guard.op} `), own, needed);
    }
    case "conditional": {
      const [then, test] = [print(guard.then, LEVEL.test + 1), print(guard.test, LEVEL.test + 1)];
      return wrap(`${then} if ${test} else ${print(guard.otherwise, LEVEL.test)}`, LEVEL.test, needed);
    }
  }
}

function printBinary(guard: Extract<GuardNode, { kind: "binary" }>, needed: number): string {
  const own =
    guard.op === "**" ? LEVEL.power : guard.op === "+" || guard.op === "-" ? LEVEL.sum : LEVEL.product;
  const [left, right] = guard.op === "**" ? [own + 1, own] : [own, own + 1];
  return wrap(`${print(guard.left, left)} ${guard.op} ${print(guard.right, right)}`, own, needed);
}

function printConstant(value: string | boolean | null): string {
  if (value === null) return "None";
  return typeof value === "boolean" ? (value ? "True" : "False") : printString(value);
}

function printNumber(value: number, float: boolean): string {
  if (!Number.isFinite(value)) return "math.inf";
  return float ? printPythonFloat(value) : BigInt(value).toString();
}

/** Returns a finite float as Python's `repr` writes it. */
export function printPythonFloat(value: number): string {
  const magnitude = Math.abs(value);
  if (magnitude !== 0 && (magnitude >= 1e16 || magnitude < 1e-4)) {
    return value.toExponential().replace(/e([+-])(\d)$/, "e$10$2");
  }
  return Number.isInteger(value) ? `${value}.0` : String(value);
}
