import { type Argument, isRef, isTuple, kindOf, type Node } from "@sconce/ir";

/**
 * A text that is equal for equal calls: same operator, same arguments. Ints, floats, strings and references never
 * collide. `rename` gives the name that stands for a referenced node.
 */
export function callKey(node: Node, rename: (name: string) => string = (name) => name): string {
  let key = node.target;
  for (const arg of node.args) key += `|${argumentKey(arg, rename)}`;
  const names = Object.keys(node.kwargs);
  if (names.length > 0) for (const name of names.sort()) key += `|${name}=${argumentKey(node.kwargs[name]!, rename)}`;
  return key;
}

function argumentKey(value: Argument, rename: (name: string) => string): string {
  if (isRef(value)) return `%${rename(value.name)}`;
  if (Array.isArray(value)) return `[${(value as readonly Argument[]).map((item) => argumentKey(item, rename)).join(",")}]`;
  if (isTuple(value)) return `(${value.items.map((item) => argumentKey(item, rename)).join(",")})`;
  if (typeof value === "string") return JSON.stringify(value);
  if (typeof value === "number") return Object.is(value, -0) ? "-0" : String(value);
  if (typeof value === "bigint") return String(value);
  if (kindOf(value) === "float") return `f${argumentKey((value as { value: number }).value, rename)}`;
  return JSON.stringify(value);
}
