/**
 * @file Texts of arguments and nested graphs that are equal exactly when these are equal up to
 * names.
 */
import { type Argument, type Graph, isRef, itemsOf, type Node } from "@sconce/ir";

/** The text that a reference has in a key. */
export type NameKey = (name: string) => string;

export function argumentKey(argument: Argument | undefined, nameKey: NameKey): string {
  if (argument === null || argument === undefined) return "None";
  if (typeof argument === "bigint") return `i${argument}`;
  if (typeof argument === "number")
    return Number.isInteger(argument) && !Object.is(argument, -0)
      ? `i${argument}`
      : `f${numberText(argument)}`;
  if (typeof argument === "string") return JSON.stringify(argument);
  if (typeof argument === "boolean") return String(argument);
  if (isRef(argument)) return `%${nameKey(argument.name)}`;
  const items = itemsOf(argument);
  if (items !== undefined) return `[${items.map((item) => argumentKey(item, nameKey)).join(",")}]`;
  return taggedKey(argument as unknown as Readonly<Record<string, unknown>>, nameKey);
}

function taggedKey(value: Readonly<Record<string, unknown>>, nameKey: NameKey): string {
  if (value["kind"] === "float") return `f${numberText(value["value"] as number)}`;
  if (value["kind"] === "dict") {
    const entries = value["entries"] as readonly (readonly [string, Argument])[];
    return `{${entries.map(([key, item]) => `${key}:${argumentKey(item, nameKey)}`).join(",")}}`;
  }
  return JSON.stringify(value, (_, part: unknown) =>
    typeof part === "bigint" ? `i${part}` : typeof part === "number" ? numberText(part) : part,
  );
}

/** Returns a number as text, with the sign of -0. */
export const numberText = (value: number): string => (Object.is(value, -0) ? "-0" : String(value));

/** Returns the text of a call, in which lists and tuples are alike: its target and arguments. */
export function callKey({ target, args, kwargs }: Node, nameKey: NameKey): string {
  const named = Object.keys(kwargs)
    .sort()
    .map((key) => `${key}=${argumentKey(kwargs[key], nameKey)}`);
  return `${target}(${[...args.map((arg) => argumentKey(arg, nameKey)), ...named].join(",")}`;
}

const known = new WeakMap<Graph, string>();

/** Returns the text of a graph up to names. */
export function graphKey(graph: Graph): string {
  const seen = known.get(graph);
  if (seen !== undefined) return seen;
  const position = new Map<string, number>();
  const at: NameKey = (name) => String(position.get(name));
  const lines = graph.nodes().map((node, i) => {
    position.set(node.name, i);
    if (node.op === "placeholder") return "in";
    if (node.op === "output") return `out ${argumentKey(node.args[0] ?? null, at)}`;
    if (node.op === "call_function") return callKey(node, at);
    const nested = graph.subgraphs.get(node.target);
    return nested === undefined ? node.target : `graph{${graphKey(nested)}}`;
  });
  const key = lines.join(";");
  known.set(graph, key);
  return key;
}
