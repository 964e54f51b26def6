import type { Argument, Node, OpSchema } from "@sconce/ir";
import { HIDDEN_WRITES } from "@sconce/ops";

/**
 * Returns what a call gives for a parameter of its schema: by position, by keyword, or the default.
 */
export function argumentOf(node: Node, schema: OpSchema, name: string): Argument | undefined {
  const at = schema.args.findIndex((parameter) => parameter.name === name);
  const parameter = schema.args[at];
  if (parameter === undefined) return undefined;
  const given = !parameter.kwargOnly && at < node.args.length ? node.args[at] : node.kwargs[name];
  return given ?? parameter.defaultValue ?? null;
}

/**
 * Parameters that a call writes to, with what it gives for them; those that it leaves out are not
 * written.
 */
export function writtenArguments(node: Node, schema: OpSchema): (readonly [name: string, value: Argument])[] {
  return schema.args
    .filter((parameter) => parameter.alias?.write)
    .map(({ name }) => [name, argumentOf(node, schema, name) ?? null] as const)
    .filter(([, value]) => value !== null);
}

/** Returns what a call writes to behind its schema's back. */
export function hiddenWrites(node: Node, schema: OpSchema): (readonly [name: string, value: Argument])[] {
  const hidden = HIDDEN_WRITES[node.target];
  if (hidden === undefined) return [];
  if (hidden.flag !== undefined && argumentOf(node, schema, hidden.flag) === false) return [];
  return hidden.written
    .map((name) => [name, argumentOf(node, schema, name) ?? null] as const)
    .filter(([, value]) => value !== null);
}
