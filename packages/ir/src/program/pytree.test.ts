import { isSconceError } from "@sconce/errors";
import { Tensor } from "@sconce/tensor";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  dictSpec,
  LEAF,
  leafCount,
  listSpec,
  parseTreeSpec,
  type TreeSpec,
  treeSpecEquals,
  treeSpecJson,
  treeSpecText,
  tupleSpec,
} from "./pytree.js";
import { flattenTree, recordType, specOf, unflattenTree } from "./pytree-values.js";

const leaf = '{"type": null, "context": null, "children_spec": []}';
const json = (type: string, context: string, ...children: string[]): string =>
  `{"type": "${type}", "context": ${context}, "children_spec": [${children.join(", ")}]}`;

// All as written by PyTorch 2.14.
const TEXTS = {
  tuple: `[1, ${json("builtins.tuple", '"null"', leaf, leaf)}]`,
  dict: `[1, ${json("builtins.dict", String.raw`"[\"b\", \"a\"]"`, leaf, json("builtins.list", '"null"'))}]`,
  ordered: `[1, ${json("collections.OrderedDict", String.raw`"[\"x\"]"`, leaf)}]`,
  namedtuple: `[1, ${json("collections.namedtuple", '"my.P"', leaf, leaf)}]`,
  defaultdict: `[1, ${json("collections.defaultdict", '{"default_factory_module": "builtins", "default_factory_name": "list", "dict_context": ["k"]}', leaf)}]`,
  deque: `[1, ${json("collections.deque", '"3"', leaf)}]`,
  dataclass: `[1, ${json("my.DC", String.raw`"[[\"feature\", \"bias\"], [\"extra\"]]"`, leaf, leaf)}]`,
  custom: `[1, ${json("my.Node", '"tag"', leaf)}]`,
  unicode: `[1, ${json("builtins.dict", String.raw`"[\"\\u00e9\"]"`, leaf)}]`,
};
const spec = (name: keyof typeof TEXTS): TreeSpec => parseTreeSpec(TEXTS[name]);

describe("JSON form", () => {
  test.each(Object.entries(TEXTS))("%s survives reading and writing", (_, text) => {
    expect(treeSpecJson(parseTreeSpec(text))).toBe(text);
  });

  test.each([
    ["not JSON", "[1, "],
    ["no pair", "{}"],
    ["another protocol", `[2, ${leaf}]`],
    ["no object", "[1, 3]"],
    ["a leaf with children", `[1, {"type": null, "context": null, "children_spec": [${leaf}]}]`],
    ["keys and children differ", `[1, ${json("builtins.dict", String.raw`"[\"a\"]"`)}]`],
    ["a context that is not JSON", `[1, ${json("builtins.dict", '"["')}]`],
    [
      "deep nesting",
      `[1, ${'{"type": "builtins.list", "context": "null", "children_spec": ['.repeat(3000)}${"]}".repeat(3000)}]`,
    ],
  ])("%s is refused", (_, text) => {
    expect(() => parseTreeSpec(text)).toThrowError(expect.objectContaining({ code: "BAD_TREE_SPEC" }));
  });
});

test("repr of a tree", () => {
  const point: TreeSpec = { type: "collections.namedtuple", context: "__main__.P", children: [LEAF, LEAF] };
  const tree = tupleSpec([
    tupleSpec([
      LEAF,
      dictSpec([
        ["a", listSpec([LEAF, LEAF])],
        ["b", point],
      ]),
    ]),
    dictSpec([]),
  ]);
  expect(treeSpecText(tree)).toBe(`TreeSpec(tuple, None, [TreeSpec(tuple, None, [*,
    TreeSpec(dict, ['a', 'b'], [TreeSpec(list, None, [*,
        *]),
      TreeSpec(namedtuple, <class '__main__.P'>, [*,
        *])])]),
  TreeSpec(dict, [], [])])`);
  expect(treeSpecText(spec("dataclass"))).toBe("TreeSpec(DC, [['feature', 'bias'], ['extra']], [*,\n  *])");
  expect(treeSpecText(spec("custom"))).toBe("TreeSpec(Node, tag, [*])");
  expect(treeSpecText(spec("defaultdict"))).toBe("TreeSpec(defaultdict, [<class 'list'>, ['k']], [*])");
});

describe("values", () => {
  const ordered: TreeSpec = { type: "collections.OrderedDict", context: ["a", "b"], children: [LEAF, LEAF] };
  const registry = new Map([["my.P", recordType("my.P", ["px", "py"])]]);

  test.each<[string, TreeSpec, unknown, unknown[]]>([
    ["a tuple", spec("tuple"), [1, 2], [1, 2]],
    ["a dict in another order", spec("dict"), { a: [], b: 3 }, [3]],
    [
      "a dict as Map",
      spec("dict"),
      new Map<string, unknown>([
        ["a", []],
        ["b", 3],
      ]),
      [3],
    ],
    ["an OrderedDict", spec("ordered"), new Map([["x", 7]]), [7]],
    ["a namedtuple as array", spec("namedtuple"), [1, 2], [1, 2]],
    ["a dataclass", spec("dataclass"), { feature: 1, bias: 2 }, [1, 2]],
    ["null is a leaf", listSpec([LEAF]), [null], [null]],
  ])("%s", (_, tree, value, leaves) => expect(flattenTree(value, tree)).toEqual(leaves));

  // What each value looks like to PyTorch 2.14, from its messages.
  test.each<[string, TreeSpec, unknown, string]>([
    [
      "an absent field is set",
      spec("dataclass"),
      { feature: 1, bias: 2, extra: 3 },
      "[['feature', 'bias', 'extra'], []]",
    ],
    ["a field is None", spec("dataclass"), { feature: 1, bias: null }, "[['feature'], ['bias', 'extra']]"],
    ["a field is missing", spec("dataclass"), { bias: 1 }, "[['bias'], ['feature', 'extra']]"],
    [
      "an unknown field",
      spec("dataclass"),
      { feature: 1, bias: 2, z: 3 },
      "[['feature', 'bias', 'z'], ['extra']]",
    ],
    [
      "an unknown field that is None",
      spec("dataclass"),
      { feature: 1, bias: 2, z: null },
      "[['feature', 'bias', 'z'], ['extra']]",
    ],
    [
      "a Map for a dataclass",
      spec("dataclass"),
      new Map([
        ["feature", 1],
        ["bias", 2],
      ]),
      "TreeSpec(OrderedDict, ['feature', 'bias']",
    ],
    [
      "a tensor for a dataclass",
      spec("dataclass"),
      Tensor.empty([1], "float32"),
      "inputs with tree spec of: \n*.",
    ],
    [
      "an OrderedDict in another order",
      ordered,
      new Map([
        ["b", 1],
        ["a", 2],
      ]),
      "TreeSpec(OrderedDict, ['b', 'a']",
    ],
    [
      "an OrderedDict as object in another order",
      ordered,
      { b: 1, a: 2 },
      "TreeSpec(OrderedDict, ['b', 'a']",
    ],
    ["an OrderedDict with another key", ordered, { a: 1, c: 2 }, "TreeSpec(OrderedDict, ['a', 'c']"],
    [
      "a defaultdict with another key",
      spec("defaultdict"),
      { j: 1 },
      "TreeSpec(defaultdict, [<class 'list'>, ['j']]",
    ],
    ["a dict with another key", spec("dict"), { a: [], c: 1 }, "TreeSpec(dict, ['a', 'c']"],
  ])("%s is another structure", (_, tree, value, text) => {
    expect(() => flattenTree(value, tree)).toThrowError(expect.objectContaining({ code: "TREE_MISMATCH" }));
    expect(() => flattenTree(value, tree)).toThrow(text);
  });

  test("None for a field that was None at export", () => {
    expect(flattenTree({ feature: 1, bias: 2, extra: null }, spec("dataclass"))).toEqual([1, 2]);
    expect(flattenTree({ feature: 1, bias: 2, extra: undefined }, spec("dataclass"))).toEqual([1, 2]);
  });

  test("objects cannot order integer keys, so an OrderedDict takes them in any", () => {
    const tree = { ...ordered, context: ["10", "9"] };
    expect(flattenTree({ "10": "a", "9": "b" }, tree)).toEqual(["a", "b"]);
  });

  test("registered types", () => {
    expect(flattenTree({ px: 1, py: 2 }, spec("namedtuple"), registry)).toEqual([1, 2]);
    expect(unflattenTree([1, 2], spec("namedtuple"), registry)).toEqual({ px: 1, py: 2 });
    expect(unflattenTree([1, 2], spec("namedtuple"))).toEqual([1, 2]);
  });

  test("a key named __proto__ is a key", () => {
    const tree = dictSpec([["__proto__", LEAF]]);
    const value = unflattenTree([1], tree) as object;
    expect(Object.hasOwn(value, "__proto__")).toBe(true);
    expect(flattenTree(value, tree)).toEqual([1]);
  });

  test("a mismatch names both structures in PyTorch's words", () => {
    const expected = tupleSpec([tupleSpec([LEAF]), dictSpec([])]);
    try {
      flattenTree([[1, [2]], {}], expected);
      expect.unreachable();
    } catch (error) {
      expect(isSconceError(error, "TREE_MISMATCH")).toBe(true);
      expect((error as Error).message).toBe(`Trying to flatten user inputs with exported input tree spec: 
TreeSpec(tuple, None, [TreeSpec(tuple, None, [*]),
  TreeSpec(dict, [], [])])
but actually got inputs with tree spec of: 
TreeSpec(tuple, None, [TreeSpec(tuple, None, [*,
    TreeSpec(list, None, [*])]),
  TreeSpec(dict, [], [])]).
Please check that the inputs have the same number and type of args and kwargs as the ones you used when tracing.`);
    }
  });

  test("any tree of values comes back from its leaves", () => {
    const { tree } = fc.letrec<{ tree: unknown }>((tie) => ({
      tree: fc.oneof(
        { maxDepth: 4 },
        fc.integer(),
        fc.array(tie("tree"), { maxLength: 3 }),
        fc.dictionary(fc.string(), tie("tree"), { maxKeys: 3, noNullPrototype: true }),
      ),
    }));
    fc.assert(
      fc.property(tree, (value) => {
        const own = specOf(value);
        const leaves = flattenTree(value, own);
        expect(leaves.length).toBe(leafCount(own));
        expect(unflattenTree(leaves, own)).toEqual(value);
        expect(treeSpecEquals(parseTreeSpec(treeSpecJson(own)), own)).toBe(true);
      }),
    );
  });
});
