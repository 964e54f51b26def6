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
    ['"shape": [2]', '"shape": ["s77"]', "JSON_IR_TYPE JSON IR graph_inputs[0].shape[0]"],
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
