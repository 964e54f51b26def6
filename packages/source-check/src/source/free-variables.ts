import type { AnyNode } from "acorn";
import { type AnyFunction, parseFunction } from "./parse-function.js";
import { isNode } from "./syntax-node.js";

/**
 * Returns the names that a function uses and does not declare, `this` of an arrow function among
 * them; empty where the engine has no source.
 */
export function freeVariables(fn: AnyFunction): string[] {
  const parsed = parseFunction(fn);
  if (parsed === null) return [];
  const used = new Set<string>();
  const declared = new Set<string>(["arguments"]);
  collect(parsed.node, used, declared, parsed.node.type === "ArrowFunctionExpression");
  return [...used].filter((name) => !declared.has(name));
}

/** Collects names; a name that any part declares counts as declared. */
function collect(node: AnyNode, used: Set<string>, declared: Set<string>, ownThis: boolean): void {
  if (node.type === "ThisExpression" && ownThis) used.add("this");
  if (node.type === "Identifier") used.add(node.name);
  for (const [key, value] of Object.entries(node) as [string, unknown][]) {
    if ((key === "property" || key === "key") && !(node as { computed?: boolean }).computed) continue;
    const inner = node.type === "FunctionDeclaration" || node.type === "FunctionExpression" ? false : ownThis;
    for (const item of Array.isArray(value) ? (value as unknown[]) : [value]) {
      if (!isNode(item)) continue;
      if (isPattern(node, key)) declare(item, declared);
      collect(item, used, declared, inner);
    }
  }
}

const isPattern = ({ type }: AnyNode, key: string): boolean =>
  key === "params" || key === "param" || (key === "id" && type !== "MemberExpression");

/** Takes the names that a pattern declares. */
function declare(node: AnyNode, declared: Set<string>): void {
  if (node.type === "Identifier") declared.add(node.name);
  else if (node.type === "AssignmentPattern") declare(node.left, declared);
  else if (node.type === "RestElement") declare(node.argument, declared);
  else if (node.type === "ArrayPattern") {
    for (const item of node.elements) if (item !== null) declare(item, declared);
  } else if (node.type === "ObjectPattern")
    for (const item of node.properties) declare(item.type === "Property" ? item.value : item, declared);
}
