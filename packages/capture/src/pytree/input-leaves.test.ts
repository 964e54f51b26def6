import { readFileSync } from "node:fs";
import {
  attributeKey,
  flattenValue,
  keyPathText,
  parseTreeSpec,
  pythonTuple,
  registerDataclass,
  registerNamedTuple,
  registerPytreeNode,
  treeSpecEquals,
} from "@sconce/ir";
import { type AnyFunction, functionParameters } from "@sconce/source-check";
import { Tensor } from "@sconce/tensor";
import { describe, expect, test } from "vitest";
import { flattenInputs } from "./input-leaves.js";
import { requireInputLeaf, requireOutputLeaf } from "./leaf-kinds.js";
import { placeholderNames } from "./placeholder-names.js";

class Input {
  constructor(
    readonly f: unknown,
    readonly p: unknown,
  ) {}
}
registerDataclass(Input, { fields: ["f", "p"], serializedTypeName: "corpus.Input" });
class Pair {
  constructor(
    readonly left: unknown,
    readonly right: unknown,
  ) {}
}
registerNamedTuple(Pair, { fields: ["left", "right"], serializedTypeName: "corpus.Pair" });
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
  serializedTypeName: "corpus.CustomNode",
  toDumpableContext: (tag) => tag,
  fromDumpableContext: (text) => text,
});

const t = (): unknown => Tensor.from([1, 2]);

interface Case {
  readonly forward: AnyFunction;
  readonly args: readonly unknown[];
  readonly kwargs?: Readonly<Record<string, unknown>>;
  readonly result: unknown;
}

/** The programs of the corpus with what their models take and give. */
const CORPUS: Readonly<Record<string, Case>> = {
  tree_nested: {
    forward: (items, table, ...rest) => [items, table, rest],
    args: [[t(), pythonTuple(t(), { k: t() })], { b: t(), a: t() }, t(), t()],
    kwargs: { scale: { s: t() }, opts: 7 },
    result: { total: t(), parts: [t(), pythonTuple(t(), 7)], none: null },
  },
  tree_dict_order: { forward: (d) => d, args: [{ b: t(), a: t() }], result: { z: t(), y: t() } },
  tree_ordered_dict: {
    forward: (d) => d,
    args: [
      new Map([
        ["x", t()],
        ["y", t()],
      ]),
    ],
    result: new Map([
      ["second", t()],
      ["first", t()],
    ]),
  },
  tree_keyword_order: {
    forward: (a, { b, c, d }) => [a, b, c, d],
    args: [t()],
    kwargs: { d: t(), b: t(), c: t() },
    result: pythonTuple(t(), t()),
  },
  tree_leaf_types: {
    forward: (x, i, f, b, s, n) => [x, i, f, b, s, n],
    args: [t(), 3, 0.5, true, "yes", null],
    result: pythonTuple(t(), 3, 0.5, true),
  },
  tree_string_output: {
    forward: (x, s) => [x, s],
    args: [t(), "text"],
    result: pythonTuple(t(), "text"),
  },
  tree_namedtuple: {
    forward: (pair) => pair,
    args: [new Pair(t(), t())],
    result: new Pair(t(), t()),
  },
  tree_custom_node: {
    forward: (c) => c,
    args: [new CustomNode(t(), t(), "tag")],
    result: new CustomNode(t(), t(), "tag!"),
  },
  pm_dataclass: { forward: (x) => x, args: [new Input(t(), t())], result: t() },
};

describe("programs of the corpus", () => {
  test.each(Object.keys(CORPUS))("%s has PyTorch's specifications and names", (name) => {
    const { forward, args, kwargs, result } = CORPUS[name]!;
    const file = new URL(`../../../testing/fixtures/programs/${name}/case.json`, import.meta.url);
    const json = JSON.parse(readFileSync(file, "utf8")) as {
      readonly in_spec: unknown;
      readonly out_spec: unknown;
      readonly program: { readonly signature: { readonly inputs: readonly { readonly name: string }[] } };
    };
    const inputs = flattenInputs(functionParameters(forward), args, kwargs);
    const isSame = (spec: typeof inputs.spec, text: unknown): boolean =>
      treeSpecEquals(spec, parseTreeSpec(typeof text === "string" ? text : JSON.stringify(text)));
    expect(isSame(inputs.spec, json.in_spec)).toBe(true);
    expect(isSame(flattenValue(result).spec, json.out_spec)).toBe(true);
    expect(placeholderNames(inputs.names, []).user).toEqual(
      json.program.signature.inputs.map((input) => input.name),
    );
  });
});

const namesOf = (
  forward: AnyFunction,
  args: unknown[],
  kwargs?: Record<string, unknown>,
): readonly string[] =>
  placeholderNames(flattenInputs(functionParameters(forward), args, kwargs).names, []).user;

// Names as PyTorch 2.14 gives them for the same Python functions.
describe("names of placeholders", () => {
  test("fields, rest arguments, keywords and collisions", () => {
    expect(namesOf((_d, ...args) => args, [{ f: 1 }, 2, [3]], { kw: 4, "z-1": 5, D_F: 6 })).toEqual([
      "_d_f",
      "args_0",
      "args_1_0",
      "kw",
      "z_1",
      "d_f",
    ]);
    expect(namesOf((d) => d, [{ f: 1 }], { D_F: 6 })).toEqual(["d_f", "d_f_1"]);
  });

  test("a number at the end of a wanted name is part of it", () => {
    expect(namesOf((X, Y_1, mul, y) => [X, Y_1, mul, y], [1, 2, 3, { "1": 4, "1 ": 5 }])).toEqual([
      "x",
      "y_1",
      "mul",
      "y_1_1",
      "y_1_",
    ]);
  });

  test.each<[string, AnyFunction, unknown[], string[]]>([
    ["a default", (x, y = 3) => [x, y], [1, 2], ["x", "y"]],
    ["an argument that is not passed", (x, y = 3) => [x, y], [1], ["x"]],
    [
      "a pattern",
      (x, { scale, opts }) => [x, scale, opts],
      [1, { scale: 2, opts: [3] }],
      ["x", "scale", "opts_0"],
    ],
    ["more arguments than parameters", (x) => x, [1, 2], ["x", "args_1"]],
    ["a keyword of Python", (from, lambda) => [from, lambda], [1, 2], ["from_1", "lambda_1"]],
    ["other letters", ($x, été) => [$x, été], [1, 2], ["_x", "_t_"]],
    ["a bound function", ((x: unknown) => x).bind(null), [1, [2]], ["args_0", "args_1_0"]],
    ["a number as the first letter", ({ a }) => a, [{ "1": 2 }], ["_1"]],
  ])("%s", (_, forward, args, names) => {
    expect(namesOf(forward, args)).toEqual(names);
  });

  test("methods, getters of objects and private fields have parameters", () => {
    class Net {
      #scale = 1;
      forward(x: number, { mask: _mask } = { mask: 0 }): number {
        return x * this.#scale;
      }
      async *["computed" + 1](y: number, ...z: number[]): AsyncGenerator<number> {
        yield y + z.length;
      }
    }
    expect(functionParameters(Net.prototype.forward)).toEqual([
      { name: "x", isRest: false, hasDefault: false },
      { name: undefined, isRest: false, hasDefault: true, keywords: ["mask"] },
    ]);
    const computed = (Net.prototype as unknown as Record<string, AnyFunction>)["computed1"]!;
    expect(functionParameters(computed)).toEqual([
      { name: "y", isRest: false, hasDefault: false },
      { name: "z", isRest: true, hasDefault: false },
    ]);
    expect(functionParameters(Math.max)).toBeUndefined();
  });

  test("state follows the inputs of the user, other nodes follow both", () => {
    const { user, lifted, others } = placeholderNames(
      ["x", "mul", "p_w"],
      [
        { kind: "PARAMETER", target: "w" },
        { kind: "PARAMETER", target: "Blk.a-b.weight" },
        { kind: "BUFFER", target: "MyBuf" },
        { kind: "CONSTANT_TENSOR", target: "K" },
        { kind: "CUSTOM_OBJ", target: "self_o" },
        { kind: "TOKEN", target: null },
        { kind: "TOKEN", target: null },
      ],
    );
    expect(user).toEqual(["x", "mul", "p_w"]);
    expect(lifted).toEqual(["p_w_1", "p_blk_a_b_weight", "b_mybuf", "c_k", "obj_o", "token", "token_1"]);
    expect(["mul", "mul_1", "add"].map((name) => others.rename(name))).toEqual(["mul_1", "mul_2", "add"]);
  });

  test("paths lead from the call to the leaf", () => {
    const { leaves } = flattenInputs(undefined, [[1, { k: 2 }]], { s: 3 });
    expect(leaves.map(({ path }) => keyPathText(path))).toEqual(["[0][0][0]", "[0][0][1]['k']", "[1]['s']"]);
  });
});

describe("leaves", () => {
  test.each([
    ["a tensor", t()],
    ["a number", 3],
    ["a bigint", 2n ** 63n],
    ["a string", "s"],
    ["null", null],
  ])("%s is taken and given", (_, leaf) => {
    expect(requireInputLeaf(leaf, "args[0]")).toBe(leaf);
    expect(requireOutputLeaf(leaf)).toBe(leaf);
  });

  class Foo {}
  test.each<[unknown, string]>([
    [new Foo(), "Foo"],
    [new Set([1]), "Set"],
    [() => 1, "function"],
    [Foo, "type"],
    [new Float32Array(2), "Float32Array"],
    [Symbol("x"), "symbol"],
    [{ kind: "complex", re: 0, im: 1 }, "complex"],
  ])("%s is refused in PyTorch's words", (leaf, name) => {
    expect(() => requireInputLeaf(leaf, "args[1]")).toThrow(
      expect.objectContaining({
        code: "UNSUPPORTED_INPUT",
        where: "args[1]",
        message: `Unsupported input type <class '${name}'>. Export only supports pytree containers of basic types (Tensor, int, float, ...) as input. To register a custom dataclass, use torch.export.register_dataclass. To register a custom container type, use torch.utils._pytree.register_pytree_node. To register a constant input, use torch.utils._pytree.register_constant`,
      }),
    );
    expect(() => requireOutputLeaf(leaf)).toThrow(
      `Found <class '${name}'> in output, which is not a known type. If this type holds tensors, you need to register a pytree for it.`,
    );
  });
});
