/** @file What a condition says of the kinds of variables: whether a size is static. */

import type { AnyNode, BinaryExpression, CallExpression } from "acorn";
import { type Interpreter, type Scope, setVariable } from "./interpreter.js";
import { type Kind, PLAIN, SIZE, SYM, TENSOR, UNKNOWN } from "./kinds.js";
import { ownFunctionName } from "./own-functions.js";
import { isSym, ownValues } from "./own-values.js";

/** Returns the possibilities of a value that are symbolic, or that are not. */
function symbolic({ flags, values, objects, reason }: Kind, isSymbolic: boolean): Kind {
  const kept = values.filter((value) => isSym(value) === isSymbolic);
  if (isSymbolic)
    return { flags: flags & (SYM | SIZE | UNKNOWN) ? SYM : 0, values: kept, objects: [], reason: undefined };
  const plain = flags & SIZE ? PLAIN : 0;
  return { flags: (flags & ~(SYM | SIZE)) | plain, values: kept, objects, reason };
}

/** Returns the possibilities of a value that are numbers, or that are not. */
function numeric(kind: Kind, isNumber: boolean): Kind {
  if (!isNumber) {
    const others = kind.values.filter((value) => typeof value !== "number");
    return { ...kind, flags: kind.flags & SIZE ? (kind.flags & ~SIZE) | SYM : kind.flags, values: others };
  }
  const flags = kind.flags & (SIZE | PLAIN | UNKNOWN) ? PLAIN : 0;
  const values = kind.values.filter((value) => typeof value === "number");
  return { flags, values, objects: [], reason: undefined };
}

/** Returns the `typeof` of all possibilities of a value; undefined where they differ. */
export function typeOf({ flags, values, objects }: Kind): string | undefined {
  if (objects.length > 0 || (flags & ~(SYM | TENSOR)) !== 0) return undefined;
  const types = new Set<string>(values.map((value) => typeof value));
  if (flags !== 0) types.add("object");
  return types.size === 1 ? [...types][0] : undefined;
}

/** Returns whether a size is static; undefined where it may be either. */
export function isStaticSize({ flags, values, objects }: Kind): boolean | undefined {
  if (objects.length > 0 || (flags & ~SYM) !== 0) return undefined;
  const outcomes = new Set(values.map((value) => typeof value === "number"));
  if (flags !== 0) outcomes.add(false);
  return outcomes.size === 1 ? [...outcomes][0] : undefined;
}

/** Takes note of what a condition that holds, or does not hold, says of variables. */
export function narrow(test: AnyNode, holds: boolean, scope: Scope, on: Interpreter): void {
  if (test.type === "ParenthesizedExpression") narrow(test.expression, holds, scope, on);
  else if (test.type === "UnaryExpression" && test.operator === "!") narrow(test.argument, !holds, scope, on);
  else if (test.type === "LogicalExpression" && test.operator === (holds ? "&&" : "||"))
    for (const side of [test.left, test.right]) narrow(side, holds, scope, on);
  else if (test.type === "BinaryExpression") narrowByComparison(test, holds, scope, on);
  else if (test.type === "CallExpression") narrowByCall(test, holds, scope, on);
}

function restrict(
  node: AnyNode | undefined,
  scope: Scope,
  on: Interpreter,
  choose: (kind: Kind) => Kind,
): void {
  if (node?.type !== "Identifier") return;
  const variable = scope.find(node.name);
  const kind = variable && on.state?.get(variable);
  if (kind !== undefined) setVariable(on, variable!, choose(kind));
}

function narrowByComparison(test: BinaryExpression, holds: boolean, scope: Scope, on: Interpreter): void {
  const { operator, left, right } = test;
  if (operator === "instanceof" && right.type === "Identifier" && left.type === "Identifier") {
    if (on.evaluate(right, scope).values.some((value) => value === ownValues().SymInt))
      restrict(left, scope, on, (kind) => symbolic(kind, holds));
    return;
  }
  if (!/^[!=]==?$/.test(operator)) return;
  const [type, literal] = left.type === "UnaryExpression" ? [left, right] : [right, left];
  if (type.type !== "UnaryExpression" || type.operator !== "typeof" || literal.type !== "Literal") return;
  const isSame = (operator[0] === "=") === holds;
  if (literal.value === "number") restrict(type.argument, scope, on, (kind) => numeric(kind, isSame));
}

function narrowByCall(
  { callee, arguments: [argument] }: CallExpression,
  holds: boolean,
  scope: Scope,
  on: Interpreter,
): void {
  if (callee.type !== "Identifier" && callee.type !== "MemberExpression") return;
  const names = on.evaluate(callee, scope).values.map(ownFunctionName);
  if (names.includes("isSym")) restrict(argument, scope, on, (kind) => symbolic(kind, holds));
  if (names.includes("sym.isStatic")) restrict(argument, scope, on, (kind) => numeric(kind, holds));
}
