/** @file Classes of the checked code: which of them only hold what they are given. */
import type { AnyNode, Class } from "acorn";
import { type AnyFunction, isNative, parseClass } from "../source/parse-function.js";

/**
 * Returns whether making an object of a class, and reading its properties, decides nothing: the
 * constructor assigns names and literals to properties, and there are no getters. Built-in classes
 * count, too.
 */
export function onlyHolds(type: AnyFunction): boolean {
  const parsed = parseClass(type);
  return parsed === null ? isNative(type) : classHolds(parsed.node);
}

const classHolds = ({ superClass, body }: Class): boolean =>
  !superClass &&
  body.body.every((part) => {
    if (part.type === "PropertyDefinition") return part.static || !part.value || isValue(part.value);
    if (part.type !== "MethodDefinition") return part.type === "StaticBlock";
    if (part.kind === "constructor")
      return part.value.params.every(isPlainParameter) && part.value.body.body.every(isAssignment);
    // Calls of methods are reported where they are.
    return part.kind === "method";
  });

/** Returns whether a parameter is a name whose default decides nothing. */
function isPlainParameter(node: AnyNode): boolean {
  if (node.type === "RestElement") return node.argument.type === "Identifier";
  if (node.type === "AssignmentPattern") return node.left.type === "Identifier" && isValue(node.right);
  return node.type === "Identifier";
}

const isAssignment = (node: AnyNode): boolean =>
  node.type === "ExpressionStatement" &&
  node.expression.type === "AssignmentExpression" &&
  node.expression.operator === "=" &&
  isValue(node.expression.left) &&
  isValue(node.expression.right);

function isValue(node: AnyNode): boolean {
  if (node.type === "MemberExpression") return !node.computed && isValue(node.object);
  return node.type === "Identifier" || node.type === "Literal" || node.type === "ThisExpression";
}
