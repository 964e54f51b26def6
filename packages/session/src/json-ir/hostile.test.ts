import { isSconceError, type Limits } from "@sconce/errors";
import { jsonIRText, readJsonIR } from "@sconce/formats/json-ir";
import { defaultOperators } from "@sconce/ops";
import { Tensor } from "@sconce/tensor";
import { describe, expect, test } from "vitest";
import { executeIR } from "./execute.js";
import { programFromIR } from "./program.js";

const tensor = (name: string, shape = "[2]", dtype = "float32"): string =>
  `{"name": "${name}", "shape": ${shape}, "dtype": "${dtype}"}`;
const from = (name: string, at = 0, shape = "[2]"): string =>
  `{"name": "${name}", "shape": ${shape}, "dtype": "float32", "producer_node": "${name}", "producer_output_idx": ${at}}`;

const TEXT = `{
  "model_name": "m", "pytorch_version": "2.14",
  "graph_inputs": [${tensor("x")}],
  "graph_outputs": [${tensor("add")}],
  "weights": [${tensor("w")}, ${tensor("c")}],
  "weight_name_mapping": {"p_w": "w", "c_c": "c"},
  "nodes": [
    {"name": "mul", "op_type": "aten.mul.Tensor", "inputs": [${from("x")}, ${tensor("p_w")}], "outputs": [${tensor("mul")}], "attrs": {}},
    {"name": "add", "op_type": "aten.add.Tensor", "inputs": [${from("mul")}, ${tensor("c_c")}], "outputs": [${tensor("add")}], "attrs": {"alpha": 2}}
  ],
  "constants": {"c": {"data": [1.0, 2.5], "dtype": "float32"}}
}`;

const session = { operators: defaultOperators() };

/** What reading a text and building its program throws: the code, and the place. */
function refused(text: string, limits?: Limits): string {
  try {
    programFromIR(readJsonIR(text, { limits }), session);
  } catch (error) {
    if (isSconceError(error)) return `${error.code} ${error.where}`;
    throw error;
  }
  return "nothing is refused";
}

test.each([null, undefined, TEXT, {}, [], JSON.parse(TEXT), new Map()])(
  "values that are not JSON IR are refused: %s",
  async (value) => {
    await expect(executeIR(value as never, [])).rejects.toMatchObject({
      code: "INVALID_ARGUMENT",
      fix: expect.stringContaining("jsonIR.read"),
    });
  },
);

test("the text is valid", async () => {
  expect(refused(TEXT)).toBe("nothing is refused");
  const pair = (a: number, b: number): Tensor => Tensor.from([a, b], { dtype: "float32" });
  const [out] = await executeIR(readJsonIR(TEXT), [pair(1, 2)], { weights: { w: pair(3, 4) } });
  expect(out!.toArray()).toEqual([5, 13]);
});

describe("faults have a code and a path", () => {
  test.each([
    ['"graph_inputs"', '"inputs"', "JSON_IR_FIELD JSON IR"],
    ['"shape": [2]', '"shape": [-2]', "JSON_IR_TYPE JSON IR graph_inputs[0].shape[0]"],
    ['"shape": [2]', '"shape": [2.0]', "JSON_IR_TYPE JSON IR graph_inputs[0].shape[0]"],
    ['"shape": [2]', '"shape": ["s77"]', "JSON_IR_GRAPH graph_inputs[0]"],
    ['"shape": [2]', '"shape": ["s77 +"]', expect.stringMatching(/^SYM_\w+ JSON IR graph_inputs\[0\]/)],
    [
      '"shape": [2]',
      '"shape": ["process.exit()"]',
      expect.stringMatching(/^SYM_\w+ JSON IR graph_inputs\[0\]/),
    ],
    ['"shape": [2]', '"shape": ["s77 > 1"]', "JSON_IR_TYPE JSON IR graph_inputs[0].shape[0]"],
    ['"shape": [2]', '"shape": [true]', "JSON_IR_TYPE JSON IR graph_inputs[0].shape[0]"],
    ['"attrs": {}', '"attrs": {"alpha": {"node": "x"}}', "JSON_IR_GRAPH nodes[0].attrs.alpha"],
    ['"alpha": 2', '"alpha": {"node": "mul"}', "JSON_IR_GRAPH nodes[1].attrs.alpha"],
    ['"alpha": 2', '"alpha": {"node": "absent"}', "JSON_IR_GRAPH nodes[1].attrs.alpha"],
    ['"alpha": 2', '"alpha": {"node": 3}', "JSON_IR_TYPE JSON IR nodes[1].attrs.alpha.node"],
    ['"op_type": "aten.mul.Tensor"', '"op_type": "operator.mul"', "JSON_IR_GRAPH nodes[0].attrs"],
    ['"shape": [2]', '"shape": [9007199254740991, 9]', "JSON_IR_TYPE JSON IR graph_inputs[0]"],
    ['"shape": [2]', `"shape": [${"1,".repeat(64)}1]`, "JSON_IR_TYPE JSON IR graph_inputs[0].shape"],
    ['"dtype": "float32"', '"dtype": "float31"', "JSON_IR_TYPE JSON IR graph_inputs[0].dtype"],
    ['"dtype": "float32"', '"dtype": "__proto__"', "JSON_IR_TYPE JSON IR graph_inputs[0].dtype"],
    ['"attrs": {}', '"attrs": {"alpha": {}}', "JSON_IR_TYPE JSON IR nodes[0].attrs.alpha"],
    ['"attrs": {}', '"attrs": {"__proto__": 1}', "JSON_IR_GRAPH nodes[0].attrs.__proto__"],
    ['"attrs": {}', '"attrs": {"other": 1}', "JSON_IR_GRAPH nodes[0].inputs"],
    ['"alpha": 2', '"alpha": "two"', "JSON_IR_GRAPH nodes[1].attrs.alpha"],
    ['"alpha": 2', '"alpha": [2]', "JSON_IR_GRAPH nodes[1].attrs.alpha"],
    ['"alpha": 2', '"_tensor_arguments": 1', "JSON_IR_GRAPH nodes[1].attrs._tensor_arguments"],
    ['"alpha": 2', '"_tensor_arguments": [["self", 7]]', "JSON_IR_GRAPH nodes[1].attrs._tensor_arguments"],
    ['"op_type": "aten.mul.Tensor"', '"op_type": "os.system"', "JSON_IR_GRAPH nodes[0].op_type"],
    ['"op_type": "aten.mul.Tensor"', '"op_type": "constructor"', "JSON_IR_GRAPH nodes[0].op_type"],
    ['"op_type": "aten.mul.Tensor"', '"op_type": "operator.getitem"', "JSON_IR_GRAPH nodes[0].inputs"],
    ['"op_type": "aten.mul.Tensor"', '"op_type": "aten.split.Tensor"', "JSON_IR_GRAPH nodes[0].inputs"],
    ['"producer_node": "mul"', '"producer_node": "add"', "JSON_IR_GRAPH nodes[1].inputs[0]"],
    ['"producer_node": "mul"', '"producer_node": "toString"', "JSON_IR_GRAPH nodes[1].inputs[0]"],
    [from("mul"), from("mul", 1), "JSON_IR_GRAPH nodes[1].inputs[0]"],
    [from("mul"), from("mul", 0, "[3]"), "JSON_IR_GRAPH nodes[1].inputs[0]"],
    ['"name": "mul", "op', '"name": "x", "op', "JSON_IR_GRAPH nodes[0].name"],
    ['"name": "mul", "op', '"name": "output", "op', "JSON_IR_GRAPH nodes[0].name"],
    ['"name": "mul", "op', '"name": "", "op', "JSON_IR_GRAPH nodes[0].name"],
    [`"outputs": [${tensor("mul")}]`, '"outputs": []', "JSON_IR_GRAPH nodes[1].inputs[0]"],
    [
      `"outputs": [${tensor("mul")}]`,
      `"outputs": [${tensor("mul", "[2, 1]")}]`,
      "JSON_IR_GRAPH nodes[1].inputs[0]",
    ],
    [
      `"graph_outputs": [${tensor("add")}]`,
      `"graph_outputs": [${tensor("a")}]`,
      "JSON_IR_GRAPH graph_outputs[0]",
    ],
    [
      `"graph_outputs": [${tensor("add")}]`,
      `"graph_outputs": [${tensor("add", "[3]")}]`,
      "JSON_IR_GRAPH graph_outputs[0]",
    ],
    ['"p_w": "w"', '"p_w": "v"', 'JSON_IR_GRAPH weight_name_mapping["p_w"]'],
    ['"p_w": "w"', '"p_w": "w", "p_w": "c"', expect.stringMatching(/^JSON_DUPLICATE_KEY JSON IR, character/)],
    ['"data": [1.0, 2.5]', '"data": [1.0]', 'JSON_IR_GRAPH constants["c"]'],
    ['"data": [1.0, 2.5]', '"data": [[1.0], 2.5]', "JSON_IR_TYPE JSON IR constants.c.data[1]"],
    ['"data": [1.0, 2.5]', '"data": [1.0, "x"]', "JSON_IR_TYPE JSON IR constants.c.data[1]"],
    ['"constants": {"c"', '"constants": {"d"', 'JSON_IR_GRAPH constants["d"]'],
    [
      '[1.0, 2.5], "dtype": "float32"',
      '[300, 1], "dtype": "uint8"',
      "JSON_IR_TYPE JSON IR constants.c.data[0]",
    ],
    ['[1.0, 2.5], "dtype": "float32"', '[1, 1], "dtype": "complex64"', "JSON_IR_TYPE JSON IR constants.c"],
    ['"model_name": "m"', '"format": "sconce-json"', "JSON_IR_TYPE JSON IR"],
    ["}}\n}", "}}", expect.stringMatching(/^JSON_SYNTAX JSON IR, character/)],
  ])("%s -> %s", (part, replacement, want) => {
    expect(TEXT).toContain(part);
    expect(refused(TEXT.replace(part, () => replacement))).toEqual(want);
  });

  test("types that the operators contradict name the node", () => {
    const wrong = TEXT.replaceAll('"name": "add", "shape": [2]', '"name": "add", "shape": [3]');
    expect(refused(wrong)).toBe('JSON_IR_GRAPH node "add"');
  });
});

const DYNAMIC = `{
  "graph_inputs": [${tensor("x", '["s0", 3]')}, ${tensor("n", "[]", "int64").replace("}", ', "scalar": "s1"}')}],
  "graph_outputs": [${tensor("view", '["3*s0"]')}, ${tensor("size", "[]", "int64").replace("}", ', "scalar": "s0"}')}],
  "weights": [${tensor("b")}], "weight_name_mapping": {"b_b": "b"},
  "nodes": [
    {"name": "size", "op_type": "aten.sym_size.int", "inputs": [${from("x", 0, '["s0", 3]')}],
     "outputs": [{"name": "size", "shape": [], "dtype": "int64", "scalar": "s0"}], "attrs": {"dim": 0}},
    {"name": "mul", "op_type": "operator.mul", "inputs": [],
     "outputs": [{"name": "mul", "shape": [], "dtype": "int64", "scalar": "3*s0"}], "attrs": {"args": [{"node": "size"}, 3]}},
    {"name": "view", "op_type": "aten.view.default", "inputs": [${from("x", 0, '["s0", 3]')}],
     "outputs": [${tensor("view", '["3*s0"]')}], "attrs": {"size": [{"node": "mul"}]}},
    {"name": "add", "op_type": "aten.add.Tensor", "inputs": [${tensor("b_b")}],
     "outputs": [${tensor("add")}], "attrs": {"other": 1}}
  ],
  "symbols": {"s0": {"min": 2, "max": 9, "hint": 4}, "s1": {}},
  "mutations": [{"name": "add", "shape": [2], "dtype": "float32", "kind": "BUFFER_MUTATION", "target": "b"}]
}`;

describe("dynamic sizes, scalars and writes", () => {
  test("are read, and run", async () => {
    expect(refused(DYNAMIC)).toBe("nothing is refused");
    const ir = readJsonIR(DYNAMIC);
    expect(jsonIRText(readJsonIR(jsonIRText(ir)))).toBe(jsonIRText(ir));
    const pair = Tensor.from([1, 2], { dtype: "float32" });
    for (const rows of [2, 5]) {
      const x = Tensor.from(
        Array.from({ length: rows }, () => [1, 2, 3]),
        { dtype: "float32" },
      );
      const [flat, size] = await executeIR(ir, [x, 7], { weights: { b: pair } });
      expect([flat!.shape, size]).toEqual([[3 * rows], rows]);
    }
    const wide = Tensor.from(
      Array.from({ length: 10 }, () => [1, 2, 3]),
      { dtype: "float32" },
    );
    await expect(executeIR(ir, [wide, 7], { weights: { b: pair } })).rejects.toMatchObject({
      code: "INPUT_MISMATCH",
      message: expect.stringContaining("<= 9") as string,
    });
  });

  test.each([
    ['"min": 2', '"min": 20', "JSON_IR_TYPE JSON IR symbols.s0"],
    ['"hint": 4', '"hint": 1', "JSON_IR_TYPE JSON IR symbols.s0"],
    ['"min": 2', '"min": "2"', "JSON_IR_TYPE JSON IR symbols.s0.min"],
    ['"s1": {}', '"s2": {}', "JSON_IR_GRAPH graph_inputs[1]"],
    ['"scalar": "s1"', '"scalar": "s1", "dtype_": 1', "nothing is refused"],
    ['"scalar": "s1"', '"scalar": 1.5', "JSON_IR_TYPE JSON IR graph_inputs[1].scalar"],
    ['"scalar": "s1"', '"scalar": "s1 > 2"', "JSON_IR_TYPE JSON IR graph_inputs[1].scalar"],
    [
      '"shape": [], "dtype": "int64"',
      '"shape": [], "dtype": "int8"',
      "JSON_IR_TYPE JSON IR graph_inputs[1].scalar",
    ],
    [
      '"shape": [], "dtype": "int64"',
      '"shape": [1], "dtype": "int64"',
      "JSON_IR_TYPE JSON IR graph_inputs[1]",
    ],
    ['{"node": "size"}, 3', '{"node": "view"}, 3', "JSON_IR_GRAPH nodes[1].attrs.args[0]"],
    ['{"node": "size"}, 3', '{"node": "x"}, 3', "JSON_IR_GRAPH nodes[1].attrs.args[0]"],
    ['"args": [{"node": "size"}, 3]', '"args": 3', "JSON_IR_GRAPH nodes[1].attrs"],
    ['"scalar": "3*s0"}], "attrs"', '"scalar": "2*s0"}], "attrs"', 'JSON_IR_GRAPH node "mul"'],
    ['"operator.mul"', '"torch.sym_max"', "SHAPE_CONTRADICTION view"],
    ['"kind": "BUFFER_MUTATION"', '"kind": "USER_OUTPUT"', "JSON_IR_TYPE JSON IR mutations[0].kind"],
    ['"kind": "BUFFER_MUTATION"', '"kind": "PARAMETER_MUTATION"', "JSON_IR_GRAPH mutations[0].target"],
    ['"target": "b"', '"target": "x"', "JSON_IR_GRAPH mutations[0].target"],
    [tensor("b"), tensor("b", '["s0"]'), 'JSON_IR_GRAPH weight_name_mapping["b_b"]'],
  ])("%s -> %s", (part, replacement, want) => {
    expect(DYNAMIC).toContain(part);
    expect(refused(DYNAMIC.replace(part, () => replacement))).toBe(want);
  });

  test("expressions take no more work than the text allows", () => {
    const deep = `${"(".repeat(5000)}s0${")".repeat(5000)}`;
    const wide = Array.from({ length: 3000 }, (_, i) => `Mod(s0, ${i + 2})`).join(" + ");
    for (const expression of [deep, wide, "2**2**2**2**2**2**2**s0", `${"9".repeat(5000)}**9999`])
      expect(refused(DYNAMIC.replace('"shape": ["s0", 3]', () => `"shape": ["${expression}", 3]`))).toMatch(
        /^(?:SYM_\w+|BUDGET_EXCEEDED|JSON_IR_\w+) /,
      );
  });
});

test("an output can be one of several results, without a node that takes it", async () => {
  const split = `{"name": "split", "op_type": "aten.split.Tensor", "inputs": [${from("x")}],
    "outputs": [${tensor("split_0", "[1]")}, ${tensor("split_1", "[1]")}], "attrs": {"split_size": 1}}`;
  const text = `{"graph_inputs": [${tensor("x")}], "graph_outputs": [${tensor("split_1", "[1]")}, ${tensor("x")}],
    "weights": [], "nodes": [${split}]}`;
  const outputs = await executeIR(readJsonIR(text), [Tensor.from([1.5, 2.5])]);
  expect(outputs.map((output) => output.toArray())).toEqual([[2.5], [1.5, 2.5]]);
  expect(refused(text.replace("split_1", "split_2"))).toBe("JSON_IR_GRAPH graph_outputs[0]");
});

test.each([
  ["aten.split.Tensor", '"split_size": 1'],
  ["aten.unbind.int", ""],
  ["aten.chunk.default", '"chunks": 90000'],
  ["aten.tensor_split.sections", '"sections": 90000'],
])("%s gives no more tensors than it declares", (target, attrs) => {
  const shape = "[90000]";
  const node = `{"name": "cut", "op_type": "${target}", "inputs": [${from("x", 0, shape)}],
    "outputs": [${tensor("cut_0", "[1]")}], "attrs": {${attrs}}}`;
  const text = `{"graph_inputs": [${tensor("x", shape)}], "graph_outputs": [], "weights": [], "nodes": [${node}]}`;
  expect(refused(text)).toBe('JSON_IR_GRAPH node "cut"');
});

test.each([
  ["a number", '"scalar": "1"', "[90000]", "{}"],
  ["a dynamic size", '"scalar": "s0"', '["90000*s0"]', '{"s0": {"min": 1, "max": 9, "hint": 2}}'],
])("a cut by a node with %s gives no more tensors than it declares", (_, scalar, shape, symbols) => {
  const n = `{"name": "n", "shape": [], "dtype": "int64", ${scalar}}`;
  const one = `{"name": "one", "op_type": "operator.add", "inputs": [],
    "outputs": [${n.replace('"n"', '"one"')}], "attrs": {"args": [{"node": "n"}, 0]}}`;
  const cut = `{"name": "cut", "op_type": "aten.split.Tensor", "inputs": [${from("x", 0, shape)}],
    "outputs": [${tensor("cut_0", "[1]")}], "attrs": {"split_size": {"node": "one"}}}`;
  const text = `{"graph_inputs": [${tensor("x", shape)}, ${n}], "graph_outputs": [], "weights": [],
    "nodes": [${one}, ${cut}], "symbols": ${symbols}}`;
  expect(() => programFromIR(readJsonIR(text), session)).toThrow(
    "the value is declared as 1 results, and its operator gives 90000",
  );
});

test("a cut of a value whose declared type is wrong gives no more tensors than it declares", () => {
  const zeros = `{"name": "zeros", "op_type": "aten.zeros.default", "inputs": [],
    "outputs": [${tensor("zeros", "[1]")}], "attrs": {"size": [90000]}}`;
  const cut = `{"name": "cut", "op_type": "aten.split.Tensor", "inputs": [${from("zeros", 0, "[1]")}],
    "outputs": [${tensor("cut_0", "[1]")}], "attrs": {"split_size": 1}}`;
  const text = `{"graph_inputs": [], "graph_outputs": [], "weights": [], "nodes": [${zeros}, ${cut}]}`;
  expect(() => programFromIR(readJsonIR(text), session)).toThrow(
    "the value is declared as 1 results, and its operator gives 90000",
  );
});

test("chunks that are fewer than asked for are read", () => {
  const outputs = [2, 2, 1].map((size, i) => tensor(`cut_${i}`, `[${size}]`)).join(", ");
  const node = `{"name": "cut", "op_type": "aten.chunk.default", "inputs": [${from("x", 0, "[5]")}],
    "outputs": [${outputs}], "attrs": {"chunks": 4}}`;
  const text = `{"graph_inputs": [${tensor("x", "[5]")}], "graph_outputs": [], "weights": [], "nodes": [${node}]}`;
  expect(refused(text)).toBe("nothing is refused");
});

test("names of the prototype are plain names", () => {
  for (const name of ["__proto__", "constructor", "toString", "hasOwnProperty"]) {
    const text = TEXT.replaceAll('"w"', `"${name}"`)
      .replaceAll('"mul"', `"${name}_1"`)
      .replaceAll('"p_w"', `"${name}"`);
    const program = programFromIR(readJsonIR(text), session);
    expect([program.stateDict.has(name), program.graph.has(name), program.graph.has(`${name}_1`)]).toEqual([
      true,
      true,
      true,
    ]);
    expect(jsonIRText(readJsonIR(jsonIRText(readJsonIR(text))))).toBe(jsonIRText(readJsonIR(text)));
  }
});

test("only text and bytes are read", () => {
  expect(jsonIRText(readJsonIR(new TextEncoder().encode(TEXT)))).toBe(jsonIRText(readJsonIR(TEXT)));
  for (const value of [undefined, null, 5, {}, [], new ArrayBuffer(4), Promise.resolve("")])
    expect(() => readJsonIR(value as never)).toThrow(expect.objectContaining({ code: "INVALID_ARGUMENT" }));
});

test("reading is bounded by the size of the text", () => {
  expect(refused(`[${"[],".repeat(400_000)}[]]`)).toMatch(/^BUDGET_EXCEEDED /);
  expect(refused("[".repeat(2000))).toMatch(/^JSON_DEPTH /);
  expect(refused(TEXT, { nodes: 20 })).toMatch(/^BUDGET_EXCEEDED /);
});
