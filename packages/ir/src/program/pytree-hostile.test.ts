import { isSconceError } from "@sconce/errors";
import { describe, expect, test } from "vitest";
import { flattenTree, parseTreeSpec, treeSpecJson, treeSpecText, unflattenTree } from "../index.js";

const LEAF = { type: null, context: null, children_spec: [] };
const node = (type: unknown, context: unknown, children: unknown = [LEAF]): string =>
  JSON.stringify([1, { type, context, children_spec: children }]);
const nested = (open: string, close: string, depth: number): string =>
  open.repeat(depth) + close.repeat(depth);

describe("tree specifications", () => {
  test.each([
    ["an object as protocol", '[{"toString":1},{}]', "unknown protocol"],
    ["a deeply nested protocol", `[${nested("[", "]", 100_000)},{}]`, "nested more than"],
    [
      "a deeply nested tree",
      `[1,${'{"type":"builtins.list","context":"null","children_spec":['.repeat(600)}${"]}".repeat(600)}]`,
      "nested more than",
    ],
    ["a deeply nested context", node("builtins.dict", nested("[", "]", 100_000)), "nested more than"],
    [
      "an object as the class of a named tuple",
      node("collections.namedtuple", { toString: 1 }),
      "named tuple",
    ],
    ["no context of a defaultdict", node("collections.defaultdict", null, []), "defaultdict"],
    [
      "an object as factory",
      node("collections.defaultdict", { default_factory_name: { toString: 1 } }, []),
      "defaultdict",
    ],
    ["an object as type", node({ toString: 1 }, null), "neither a string nor null"],
    ["a leaf with children", node(null, null), "a leaf has children"],
    ["other keys than children", node("builtins.dict", '["a","b"]'), "2 keys for 1 children"],
    ["not JSON", "[1, {", "not JSON"],
    ["a number", "1", "not a pair"],
  ])("%s is refused", (_, text, message) => {
    expect(() => parseTreeSpec(text)).toThrow(
      expect.objectContaining({ code: "BAD_TREE_SPEC", message: expect.stringContaining(message) }),
    );
  });

  test.each([
    ["keys that are objects", node("builtins.dict", '[{"toString": 1}]')],
    ["keys that are lists", node("builtins.dict", "[[1, [2]]]")],
    ["keys of the prototype", node("builtins.dict", '["__proto__"]')],
    ["a key that is null", node("collections.OrderedDict", "[null]")],
    ["a registered type with odd fields", node("my.Type", '[[{"toString": 1}], []]')],
    ["a registered type with any context", node("my.Type", { toString: 1 })],
    ["a type of the prototype", node("constructor", "null")],
  ])("%s are data like any other", (_, text) => {
    const spec = parseTreeSpec(text);
    treeSpecText(spec);
    expect(treeSpecJson(parseTreeSpec(treeSpecJson(spec)))).toBe(treeSpecJson(spec));
    const value = unflattenTree([1], spec);
    for (const given of [value, { a: 1 }, [1], new Map([[1, 2]]), null]) {
      try {
        flattenTree(given, spec);
      } catch (error) {
        expect(isSconceError(error, "TREE_MISMATCH"), String(error)).toBe(true);
      }
    }
  });

  test("a wide tree is refused by its number of nodes", () => {
    const wide = node("builtins.list", "null", new Array(2000).fill(LEAF));
    expect(() => parseTreeSpec(wide, { limits: { nodes: 1000 } })).toThrow(
      expect.objectContaining({ code: "BUDGET_EXCEEDED" }),
    );
  });
});
