import { describe, expect, test } from "vitest";
import {
  attributeKey,
  flattenTree,
  flattenValue,
  flattenWithPaths,
  keyPathText,
  parseTreeSpec,
  pythonTuple,
  registerConstant,
  registerDataclass,
  registerNamedTuple,
  registerPytreeNode,
  treeSpecEquals,
  treeSpecJson,
  treeSpecText,
  unflattenTree,
} from "../index.js";

class Point {
  constructor(
    readonly f: unknown,
    readonly p: unknown = null,
  ) {}
}
registerDataclass(Point, { fields: ["f", "p"], serializedTypeName: "corpus.Input" });

class Pair {
  constructor(
    readonly left: unknown,
    readonly right: unknown,
  ) {}
}
registerNamedTuple(Pair, { fields: ["left", "right"], serializedTypeName: "pytree_classes.Pair" });

class CustomNode {
  constructor(
    readonly first: unknown,
    readonly second: unknown,
    readonly tag: string,
  ) {}
}
registerPytreeNode(CustomNode, {
  flatten: ({ first, second, tag }) => [[first, second], tag] as const,
  unflatten: ([first, second], tag) => new CustomNode(first, second, tag),
  flattenWithKeys: ({ first, second, tag }) =>
    [
      [
        [attributeKey("first"), first],
        [attributeKey("second"), second],
      ],
      tag,
    ] as const,
  serializedTypeName: "pytree_classes.CustomNode",
  toDumpableContext: (tag) => tag,
  fromDumpableContext: (text) => text,
});

class Config {
  constructor(readonly norm: number) {}
  equals(other: Config): boolean {
    return this.norm === other.norm;
  }
  toString(): string {
    return `C(${this.norm})`;
  }
}
registerConstant(Config);

class Unnamed {
  constructor(readonly f: unknown) {}
}
registerDataclass(Unnamed, { fields: ["f"] });

const leaf = '{"type": null, "context": null, "children_spec": []}';
const json = (type: string, context: string, ...children: string[]): string =>
  `{"type": "${type}", "context": ${context}, "children_spec": [${children.join(", ")}]}`;
const specOfValue = (value: unknown): string => treeSpecJson(flattenValue(value).spec);
const paths = (value: unknown): string[] =>
  flattenWithPaths(value).leaves.map(({ path }) => keyPathText(path));

// All texts as PyTorch 2.14 writes them.
describe("specifications of values", () => {
  test.each<[string, unknown, string]>([
    ["an array is a list", [1, 2], json("builtins.list", '"null"', leaf, leaf)],
    ["a tuple", pythonTuple(1, 2), json("builtins.tuple", '"null"', leaf, leaf)],
    ["an object is a dict", { b: 1, a: 2 }, json("builtins.dict", String.raw`"[\"b\", \"a\"]"`, leaf, leaf)],
    [
      "a Map of strings is an OrderedDict",
      new Map([["x", 1]]),
      json("collections.OrderedDict", String.raw`"[\"x\"]"`, leaf),
    ],
    ["a Map of numbers is a dict", new Map([[1, 1]]), json("builtins.dict", '"[1]"', leaf)],
    ["a dataclass", new Point(1, 2), json("corpus.Input", String.raw`"[[\"f\", \"p\"], []]"`, leaf, leaf)],
    [
      "a dataclass with a null field",
      new Point(1),
      json("corpus.Input", String.raw`"[[\"f\"], [\"p\"]]"`, leaf),
    ],
    ["a named tuple", new Pair(1, 2), json("collections.namedtuple", '"pytree_classes.Pair"', leaf, leaf)],
    [
      "a registered class",
      new CustomNode(1, 2, "tag"),
      json("pytree_classes.CustomNode", '"tag"', leaf, leaf),
    ],
    ["null is a leaf", null, leaf],
    ["an instance of another class is a leaf", new Date(0), leaf],
  ])("%s", (_, value, text) => {
    expect(specOfValue(value)).toBe(`[1, ${text}]`);
    const { leaves, spec } = flattenValue(value);
    const back = unflattenTree(leaves, spec);
    expect(back).toEqual(value);
    expect(specOfValue(back)).toBe(specOfValue(value));
    const read = parseTreeSpec(treeSpecJson(spec));
    expect(treeSpecEquals(read, spec)).toBe(true);
    expect(unflattenTree(leaves, read)).toEqual(value);
    expect(flattenTree(value, read)).toEqual(leaves);
  });

  test("paths of leaves are those of keystr", () => {
    const value = [
      pythonTuple(1, { "k'1": 2 }),
      new Point(3, [4]),
      new Pair(5, 6),
      new CustomNode(7, { a: 8 }, ""),
      new Map<unknown, unknown>([[9, 10]]),
    ];
    expect(paths(value)).toEqual([
      "[0][0]",
      `[0][1]["k'1"]`,
      "[1].f",
      "[1].p[0]",
      "[2].left",
      "[2].right",
      "[3].first",
      "[3].second['a']",
      "[4][9]",
    ]);
    expect(paths(1)).toEqual([""]);
  });

  test("a tuple is a frozen array", () => {
    const [a, b] = pythonTuple(1, "x");
    expect([a, b]).toEqual([1, "x"]);
    expect(Object.isFrozen(pythonTuple(1))).toBe(true);
  });

  test("a value that contains itself is refused", () => {
    const loop: unknown[] = [];
    loop.push(loop);
    expect(() => flattenValue(loop)).toThrow(expect.objectContaining({ code: "TREE_DEPTH" }));
  });
});

describe("calls with registered classes", () => {
  test("instances and objects with the fields are taken", () => {
    const { spec } = flattenValue([new Point(1, 2), new Pair(3, 4), new CustomNode(5, 6, "t")]);
    expect(flattenTree([{ f: 1, p: 2 }, { left: 3, right: 4 }, new CustomNode(5, 6, "t")], spec)).toEqual([
      1, 2, 3, 4, 5, 6,
    ]);
  });

  test.each<[string, unknown, unknown, string]>([
    ["a field that was null", new Point(1), new Point(1, 2), "TreeSpec(Input, [['f', 'p'], []], [*,\n  *])"],
    ["another context", new CustomNode(1, 2, "a"), new CustomNode(1, 2, "b"), "TreeSpec(CustomNode, b, [*"],
    [
      "another class",
      new CustomNode(1, 2, "a"),
      { first: 1, second: 2 },
      "TreeSpec(dict, ['first', 'second']",
    ],
    ["another constant", new Config(3), new Config(4), "TreeSpec(Config, ConstantNode(value=C(4)), [])"],
  ])("%s is another structure", (_, exported, given, text) => {
    const { spec } = flattenValue(exported);
    expect(() => flattenTree(given, spec)).toThrow(
      expect.objectContaining({ code: "TREE_MISMATCH", message: expect.stringContaining(text) }),
    );
  });

  test("an equal constant fits, and comes back", () => {
    const constant = new Config(3);
    const { leaves, spec } = flattenValue([1, constant]);
    expect(leaves).toEqual([1]);
    expect(treeSpecText(spec)).toBe(
      "TreeSpec(list, None, [*,\n  TreeSpec(Config, ConstantNode(value=C(3)), [])])",
    );
    expect(flattenTree([2, new Config(3)], spec)).toEqual([2]);
    expect(unflattenTree([2], spec)).toEqual([2, constant]);
  });

  test.each([
    ["a constant", new Config(3), "Config"],
    ["a dataclass without a name", new Unnamed(1), "Unnamed"],
  ])("%s cannot be saved", (_, value, name) => {
    const { spec } = flattenValue(value);
    expect(() => treeSpecJson(spec)).toThrow(
      expect.objectContaining({
        code: "TREE_NOT_SERIALIZABLE",
        message: `No registered serialization name for <class '${name}'> found. Please update your _register_pytree_node call with a \`serialized_type_name\` kwarg.`,
      }),
    );
    expect(unflattenTree(flattenValue(value).leaves, spec)).toEqual(value);
  });

  test("a context that is not JSON stays in memory and cannot be saved", () => {
    class Odd {
      constructor(readonly context: unknown) {}
    }
    registerPytreeNode(Odd, {
      flatten: ({ context }) => [[], context] as const,
      unflatten: (_, context) => new Odd(context),
      serializedTypeName: "test.Odd",
    });
    const key = Symbol("key");
    const { spec } = flattenValue(new Odd(key));
    expect(unflattenTree([], spec)).toEqual(new Odd(key));
    expect(flattenTree(new Odd(key), spec)).toEqual([]);
    expect(() => flattenTree(new Odd(Symbol("other")), spec)).toThrow("Trying to flatten user inputs");
    expect(() => flattenTree(new Odd({}), spec)).toThrow("Trying to flatten user inputs");
    expect(treeSpecEquals(flattenValue(new Odd({})).spec, spec)).toBe(false);
    expect(() => treeSpecJson(spec)).toThrow("Unable to serialize context.");
  });
});

describe("registration", () => {
  class Plain {
    a = 1;
  }

  test("a dataclass again takes the new options", () => {
    class Twice {
      a = 1;
      b = 2;
    }
    registerDataclass(Twice, { fields: ["a"] });
    registerDataclass(Twice, { fields: ["b"], create: () => new Twice() });
    expect(flattenValue(new Twice()).leaves).toEqual([2]);
  });

  test("a name of another class goes to the newer one", () => {
    const named = [1, 2].map((version) => {
      class Versioned {
        a: unknown = version;
      }
      registerDataclass(Versioned, { fields: ["a"], serializedTypeName: "test.Versioned" });
      return new Versioned();
    });
    const { spec } = flattenValue(named[0]);
    expect(unflattenTree([3], spec)).toEqual(Object.assign(named[1]!, { a: 3 }));
    expect(unflattenTree([3], spec)).toBeInstanceOf(named[1]!.constructor);
    expect(flattenTree(named[0], spec)).toEqual([1]);
  });

  test.each<[string, () => void, string]>([
    [
      "a dataclass without fields",
      () => registerDataclass(Plain, {} as never),
      "field_names must be specified with a list of all fields used to initialize <class 'Plain'>, as it is not a dataclass.",
    ],
    [
      "a node twice",
      () =>
        registerPytreeNode(CustomNode, {
          flatten: () => [[], null] as const,
          unflatten: () => null as never,
        }),
      "<class 'CustomNode'> is already registered as pytree node.",
    ],
    [
      "a constant without equals",
      () => registerConstant(Plain),
      "register_constant(cls) expects `cls` to have a non-default `__eq__` implementation.",
    ],
    [
      "one of two functions for the context",
      () =>
        registerPytreeNode(Plain, {
          flatten: () => [[], null] as const,
          unflatten: () => new Plain(),
          toDumpableContext: () => "",
        }),
      "Both to_dumpable_context and from_dumpable_context for <class 'Plain'> must be None or registered.",
    ],
  ])("%s is refused", (_, register, message) => {
    expect(register).toThrow(expect.objectContaining({ code: "PYTREE_REGISTRATION", message }));
  });

  test("paths need flattenWithKeys, leaves do not", () => {
    class NoKeys {
      constructor(readonly a: unknown) {}
    }
    registerPytreeNode(NoKeys, {
      flatten: ({ a }) => [[a], null] as const,
      unflatten: ([a]) => new NoKeys(a),
    });
    expect(flattenValue(new NoKeys(1)).leaves).toEqual([1]);
    expect(() => flattenWithPaths(new NoKeys(1))).toThrow(
      expect.objectContaining({
        code: "PYTREE_KEYS",
        message:
          "Did not find a flatten_with_keys_fn for type: <class 'NoKeys'>. Please pass a flatten_with_keys_fn argument to register_pytree_node.",
      }),
    );
  });
});
