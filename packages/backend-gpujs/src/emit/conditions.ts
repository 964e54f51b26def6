/** @file Scalars of dtype bool as conditions. */
import { COMPARE, type CompareFn, type Index, type Scalar } from "@sconce/codegen";
import type { SourceWriter } from "./source-writer.js";

const OPERATORS: Readonly<Record<CompareFn, string>> = {
  eq: "==",
  ne: "!=",
  lt: "<",
  le: "<=",
  gt: ">",
  ge: ">=",
};
const COMPARISONS: ReadonlySet<string> = new Set(COMPARE);
const LOGIC: ReadonlySet<string> = new Set(["and", "or", "xor", "not", "isnan", "isinf"]);
/** Whether a function gives a truth value rather than a number that is 0 or 1. */
export const isLogic = (fn: string): boolean => COMPARISONS.has(fn) || LOGIC.has(fn);

/** The expression of a bool as a condition. */
export function conditionSource(scalar: Scalar, writer: SourceWriter): string {
  switch (scalar.kind) {
    case "constant":
      return scalar.value ? "(1 > 0)" : "(0 > 1)";
    case "cast":
      if (scalar.value.dtype === "bool") return writer.condition(scalar.value);
      return writer.dialect.hasOwnFunctions
        ? writer.own("f_truth", writer.local(writer.number(scalar.value)))
        : `(${writer.number(scalar.value)} != 0)`;
    case "call":
      return callCondition(scalar, writer);
    default:
      return `(${writer.number(scalar)} > 0.5)`;
  }
}

function callCondition(scalar: Extract<Scalar, { kind: "call" }>, writer: SourceWriter): string {
  const { fn, args } = scalar;
  const [a, b] = args as [Scalar, Scalar];
  if (COMPARISONS.has(fn)) return comparison(fn as CompareFn, a, b, writer);
  switch (fn) {
    case "and":
      return `(${writer.condition(a)} && ${writer.condition(b)})`;
    case "or":
      return `(${writer.condition(a)} || ${writer.condition(b)})`;
    case "xor":
      return `(${writer.local(writer.number(a))} != ${writer.local(writer.number(b))})`;
    case "not":
      return `(!${writer.condition(a)})`;
    case "isnan": {
      if (writer.dialect.hasOwnFunctions) return writer.own("f_isnan", writer.local(writer.number(a)));
      const x = writer.local(writer.number(a));
      // Neither half is a comparison that compilers take for granted.
      return `(!(${x} >= 0 || ${x} < 0))`;
    }
    case "isinf":
      if (writer.dialect.hasOwnFunctions) return writer.own("f_isinf", writer.local(writer.number(a)));
      return `(Math.abs(${writer.number(a)}) > 3.4028234663852886e38)`;
    default:
      return `(${writer.number(scalar)} > 0.5)`;
  }
}

function comparison(fn: CompareFn, a: Scalar, b: Scalar, writer: SourceWriter): string {
  const [left, right] = [indexOf(a), indexOf(b)];
  const operator = OPERATORS[fn];
  // Indices are compared as integers: floats would end at 2^24.
  if (left !== undefined && right !== undefined)
    return `(${indexText(left, writer)} ${operator} ${indexText(right, writer)})`;
  // In shaders, NaN may compare as not unequal to itself.
  if (fn === "ne" && writer.dialect.hasOwnFunctions) return `(!(${writer.number(a)} == ${writer.number(b)}))`;
  return `(${writer.number(a)} ${operator} ${writer.number(b)})`;
}
/** The index or whole number that a scalar is. */
function indexOf(scalar: Scalar): Index | number | undefined {
  if (scalar.kind === "index") return scalar.index;
  return scalar.kind === "constant" && scalar.dtype === "int64" ? Number(scalar.value) : undefined;
}
const indexText = (index: Index | number, writer: SourceWriter): string =>
  typeof index === "number" ? (index < 0 ? `(0 - ${-index})` : String(index)) : writer.index(index);
