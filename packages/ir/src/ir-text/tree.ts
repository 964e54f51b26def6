/** @file Tree specifications in IR text: `((*, [*]), {"k": *})`. */
import { parsePlainJson } from "@sconce/errors";
import {
  contextProblem,
  dictKeys,
  dictSpec,
  LEAF,
  listSpec,
  pythonJson,
  type TreeSpec,
  tupleSpec,
} from "../program/pytree.js";
import type { Cursor } from "./cursor.js";

/** Returns a tree specification; types without separate brackets by name and context. */
export function treeText(spec: TreeSpec): string {
  const children = spec.children.map(treeText);
  switch (spec.type) {
    case null:
      return "*";
    case "builtins.tuple":
      return `(${children.join(", ")})`;
    case "builtins.list":
      return `[${children.join(", ")}]`;
    case "builtins.dict": {
      const keys = dictKeys(spec)!;
      if (keys.every((key) => typeof key === "string")) {
        return `{${keys.map((key, i) => `${JSON.stringify(key)}: ${children[i]}`).join(", ")}}`;
      }
    }
  }
  const context = spec.serialized === undefined ? "" : ` as ${JSON.stringify(spec.serialized)}`;
  return `${JSON.stringify(spec.type)} ${JSON.stringify(pythonJson(spec.context))}${context} (${children.join(", ")})`;
}

export function parseTree(cursor: Cursor): TreeSpec {
  return cursor.nested(() => {
    if (cursor.accept("*")) return LEAF;
    if (cursor.accept("(")) return tupleSpec(cursor.list(")", () => parseTree(cursor)));
    if (cursor.accept("[")) return listSpec(cursor.list("]", () => parseTree(cursor)));
    if (cursor.accept("{")) return dictSpec(cursor.list("}", () => parseEntry(cursor)));
    return parseNamed(cursor);
  });
}

function parseEntry(cursor: Cursor): readonly [string, TreeSpec] {
  const key = cursor.string();
  cursor.expect(":");
  return [key, parseTree(cursor)];
}

function parseNamed(cursor: Cursor): TreeSpec {
  const type = cursor.string();
  const start = cursor.at;
  const context = parsePlainJson(cursor.string(), {
    budget: cursor.budget,
    fail: (message) => cursor.fail(`the context of a tree cannot be read: ${message}`, start),
  });
  const serialized = cursor.acceptWord("as") ? { serialized: cursor.string() } : {};
  cursor.expect("(");
  const children = cursor.list(")", () => parseTree(cursor));
  const spec: TreeSpec = Object.freeze({ type, context, children: Object.freeze(children), ...serialized });
  const problem = contextProblem(spec);
  if (problem !== undefined) throw cursor.fail(problem, start);
  return spec;
}
