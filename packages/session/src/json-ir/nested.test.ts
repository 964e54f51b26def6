import { isSconceError } from "@sconce/errors";
import { type JsonIR, type JsonIRGraph, jsonIRText, readJsonIR } from "@sconce/formats/json-ir";
import { type Graph, GraphBuilder, ref, tuple } from "@sconce/ir";
import { defaultOperators } from "@sconce/ops";
import { Tensor } from "@sconce/tensor";
import { describe, expect, test } from "vitest";
import { executeIR } from "./execute.js";
import { extractIR } from "./extract.js";
import { programFromIR } from "./program.js";

const session = { operators: defaultOperators() };
const tensor = (name: string, shape = "[2]", dtype = "float32"): string =>
  `{"name": "${name}", "shape": ${shape}, "dtype": "${dtype}"}`;
const from = (name: string, shape = "[2]", dtype = "float32"): string =>
  tensor(name, shape, dtype).replace("}", `, "producer_node": "${name}"}`);
const node = (name: string, op: string, inputs: string, outputs: string, attrs = ""): string =>
  `{"name": "${name}", "op_type": "${op}", "inputs": [${inputs}], "outputs": [${outputs}], "attrs": {${attrs}}}`;
const read = (name: string, target = name): string => node(name, "get_attr", "", "", `"target": "${target}"`);
const graph = (inputs: string, outputs: string, nodes: string, more = ""): string =>
  `{"graph_inputs": [${inputs}], "graph_outputs": [${outputs}], "nodes": [${nodes}]${more}}`;
const unary = (op: string, more = ""): string =>
  graph(tensor("a"), tensor("r"), node("r", `aten.${op}.default`, from("a"), tensor("r")), more);

/** Two conds: the second takes one of the graphs of the first, too. */
const cond = (name: string, yes: string, no: string, input: string): string =>
  node(
    name,
    "higher_order.cond",
    `${from("p", "[]", "bool")}, ${from(input)}`,
    tensor(`${name}_0`),
    `"args": [{"input": 0}, {"node": "${yes}"}, {"node": "${no}"}, [{"input": 1}]]`,
  );
const item = (name: string, source: string): string =>
  node(
    name,
    "operator.getitem",
    tensor(`${source}_0`).replace("}", `, "producer_node": "${source}"}`),
    tensor(name),
    '"index": 0',
  );
const TEXT = `{
  "graph_inputs": [${tensor("p", "[]", "bool")}, ${tensor("x")}],
  "graph_outputs": [${tensor("second")}],
  "weights": [],
  "nodes": [${read("yes")}, ${read("no")}, ${cond("c", "yes", "no", "x")}, ${item("first", "c")},
    ${cond("d", "no", "no", "first")}, ${item("second", "d")}],
  "subgraphs": {"yes": ${unary("neg")}, "no": ${unary("sin")}}
}`;

/** What reading a text and building its program throws: the code, and the place. */
function refused(text: string): string {
  try {
    programFromIR(readJsonIR(text), session);
  } catch (error) {
    if (isSconceError(error)) return `${error.code} ${error.where}`;
    throw error;
  }
  return "nothing is refused";
}

test("nested graphs run, and a graph that several calls take stands once", async () => {
  const ir = readJsonIR(TEXT);
  const x = Tensor.from([0.5, 1], { dtype: "float32" });
  const run = async (truth: boolean): Promise<unknown> =>
    (await executeIR(ir, [Tensor.from(truth), x]))[0]!.toArray();
  const sin = (value: number): number => Math.fround(Math.sin(value));
  expect(await run(true)).toEqual([sin(-0.5), sin(-1)]);
  expect(await run(false)).toEqual([sin(sin(0.5)), sin(sin(1))]);
  const text = jsonIRText(extractIR(programFromIR(ir, session)));
  expect(text.match(/aten\.sin\.default/g)).toHaveLength(1);
  expect(jsonIRText(extractIR(programFromIR(readJsonIR(text), session)))).toBe(text);
});

describe("faults of nested graphs have a code and a path", () => {
  test.each([
    ['"subgraphs": {', '"graphs": {', "JSON_IR_GRAPH nodes[0].attrs.target"],
    ['"subgraphs": {', '"subgraphs": [{}], "other": {', "JSON_IR_TYPE JSON IR subgraphs"],
    ['"subgraphs": {', '"subgraphs": {"more": 5, ', "JSON_IR_TYPE JSON IR subgraphs.more"],
    ['"subgraphs": {', `"subgraphs": {"more": ${unary("cos")}, `, 'JSON_IR_GRAPH subgraphs["more"]'],
    ['"subgraphs": {"yes"', '"subgraphs": {"no"', expect.stringMatching(/^JSON_DUPLICATE_KEY /)],
    [read("yes"), read("yes", "x"), "JSON_IR_GRAPH nodes[0].attrs.target"],
    [read("yes"), read("yes").replace('"target": "yes"', ""), "JSON_IR_GRAPH nodes[0]"],
    [read("yes"), read("x", "yes"), "JSON_IR_GRAPH nodes[0].name"],
    [read("yes"), `${read("yes")}, ${read("yes")}`, "JSON_IR_GRAPH nodes[1].name"],
    ['{"node": "yes"}', '{"node": "x"}', "JSON_IR_GRAPH nodes[2].attrs.args[1]"],
    ['{"node": "yes"}', '{"node": "toString"}', "JSON_IR_GRAPH nodes[2].attrs.args[1]"],
    ['{"node": "yes"}', '{"input": 1}', 'JSON_IR_GRAPH node "c"'],
    ['{"node": "yes"}', '{"graph": "yes"}', "JSON_IR_TYPE JSON IR nodes[2].attrs.args[1]"],
    ['{"node": "yes"}', '{"__proto__": "yes"}', "JSON_IR_TYPE JSON IR nodes[2].attrs.args[1]"],
    ['{"input": 1}', '{"input": 2}', "JSON_IR_GRAPH nodes[2].attrs.args[3]"],
    ['{"input": 1}', '{"input": -1}', "JSON_IR_TYPE JSON IR nodes[2].attrs.args[3][0].input"],
    ['[{"input": 1}]', "[]", "JSON_IR_GRAPH nodes[2].inputs"],
    ['[{"input": 1}]', '[{"input": 1}, {"input": 1}]', 'JSON_IR_GRAPH node "c"'],
    ['[{"input": 1}]', '[{"input": 0}, {"input": 1}]', "SHAPE_CONTRADICTION a"],
    ['"args": [', '"other": 1, "args": [', "JSON_IR_GRAPH nodes[2].attrs"],
    ['"args": [', '"kwargs": [], "args": [', "JSON_IR_GRAPH nodes[2].attrs"],
    ['"args": [', '"kwargs": {"dict": {"__proto__": 1}}, "args": [', "JSON_IR_GRAPH nodes[2].attrs.kwargs"],
    ['"args": [', '"kwargs": {"dict": {"k": 1}}, "args": [', 'JSON_IR_GRAPH node "c"'],
    ['"args": [', '"arguments": [', "JSON_IR_GRAPH nodes[2].attrs"],
    ['"higher_order.cond"', '"higher_order.condition"', "JSON_IR_GRAPH nodes[2].op_type"],
    ['"higher_order.cond"', '"higher_order.map_impl"', 'JSON_IR_GRAPH node "c"'],
    ["aten.neg.default", "aten.max.default", 'JSON_IR_GRAPH node "r"'],
    ["aten.neg.default", "os.system", 'JSON_IR_GRAPH subgraphs["yes"].nodes[0].op_type'],
    [from("a"), from("x"), 'JSON_IR_GRAPH subgraphs["yes"].nodes[0].inputs[0]'],
    [tensor("a"), tensor("a", "[3]"), 'JSON_IR_GRAPH subgraphs["yes"].nodes[0].inputs[0]'],
    [tensor("a"), tensor("a", '["s0"]'), 'JSON_IR_GRAPH subgraphs["yes"].graph_inputs[0]'],
    [tensor("a"), `${tensor("a")}, ${tensor("a")}`, 'JSON_IR_GRAPH subgraphs["yes"].graph_inputs[1]'],
    [tensor("a"), `${tensor("a")}, ${tensor("b")}`, 'JSON_IR_GRAPH node "c"'],
    [
      `"graph_outputs": [${tensor("r")}]`,
      `"graph_outputs": [${tensor("q")}]`,
      'JSON_IR_GRAPH subgraphs["yes"].graph_outputs[0]',
    ],
    [`"graph_outputs": [${tensor("r")}]`, '"graph_outputs": []', 'JSON_IR_GRAPH node "c"'],
    [tensor("c_0"), tensor("c_0", "[3]"), "JSON_IR_GRAPH nodes[3].outputs"],
  ])("%s -> %s", (part, replacement, want) => {
    expect(TEXT).toContain(part);
    expect(refused(TEXT.replace(part, () => replacement))).toEqual(want);
  });

  test.each([
    ['{"node": "r"}', "nothing is refused"],
    ['{"tuple": [{"node": "r"}]}', "nothing is refused"],
    ['[{"node": "r"}]', "nothing is refused"],
    ['[{"node": "a"}]', 'JSON_IR_GRAPH subgraphs["yes"].graph_outputs'],
    ['[{"node": "r"}, {"node": "r"}]', 'JSON_IR_GRAPH subgraphs["yes"].graph_outputs'],
    ['[{"node": "r"}, null]', 'JSON_IR_GRAPH node "c"'],
    ['{"input": 0}', 'JSON_IR_GRAPH subgraphs["yes"].result'],
    ['{"node": "no"}', 'JSON_IR_GRAPH subgraphs["yes"].result'],
    ['{"dtype": "torch.float31"}', "JSON_IR_TYPE JSON IR subgraphs.yes.result.dtype"],
  ])("the result %s", (result, want) => {
    expect(refused(TEXT.replace(unary("neg"), () => unary("neg", `, "result": ${result}`)))).toBe(want);
  });

  test("every shorter text is refused", () => {
    for (let length = 0; length < TEXT.length; length += 7)
      expect(refused(TEXT.slice(0, length))).toMatch(/^JSON_SYNTAX /);
  });
});

describe("the work is bounded by the text", () => {
  const WHOLE = ', "weights": []';

  /** Graphs within each other, each of which calls the next one so many times. */
  function nested(depth: number, calls: number): string {
    const last = `r${calls - 1}`;
    let inner = unary("neg");
    for (let level = 1; level <= depth; level++) {
      const nodes = Array.from({ length: calls }, (_, i) =>
        node(
          `r${i}`,
          "higher_order.invoke_subgraph",
          from(i === 0 ? "a" : `r${i - 1}`),
          tensor(`r${i}`),
          '"args": [{"node": "g"}, "g", {"input": 0}]',
        ),
      );
      const more = level === depth ? WHOLE : `, "result": {"node": "${last}"}`;
      const body = [read("g"), ...nodes].join(", ");
      inner = graph(tensor("a"), tensor(last), body, `${more}, "subgraphs": {"g": ${inner}}`);
    }
    return inner;
  }

  test("graphs nest as deep as control flow does, and no deeper", () => {
    expect(refused(nested(20, 1))).toBe("nothing is refused");
    expect(refused(nested(150, 1))).toMatch(/^(?:JSON_IR_GRAPH|JSON_DEPTH) /);
    expect(refused(nested(5000, 1))).toMatch(/^JSON_DEPTH /);
  });

  test("few calls that make very many are refused", () => {
    expect(refused(nested(6, 2))).toBe("nothing is refused");
    expect(refused(nested(60, 2))).toBe("JSON_IR_GRAPH subgraphs");
  });

  test("counts of results are checked in nested graphs, too", () => {
    const cut = node("cut", "aten.chunk.default", from("a"), tensor("cut_0"), '"chunks": 90000');
    const wide = TEXT.replaceAll("[2]", "[90000]");
    expect(refused(wide)).toBe("nothing is refused");
    expect(
      refused(
        wide.replace(
          '"nodes": [{"name": "r"',
          () => `"nodes": [${cut.replaceAll("[2]", "[90000]")}, {"name": "r"`,
        ),
      ),
    ).toBe('JSON_IR_GRAPH node "cut"');
  });

  test("graphs of programs that repeat each other are written up to a bound", () => {
    const program = programFromIR(readJsonIR(unary("neg", WHOLE)), session);
    let inner = program.graph;
    const { operators } = session;
    const around = (one: Graph): Graph => {
      const builder = new GraphBuilder({ operators });
      const val = inner.node("r").meta.val!;
      builder.placeholder("a", { val });
      for (const name of ["g", "h"]) {
        builder.getAttr(name, name, one);
        builder.call(
          `${name}_r`,
          "higher_order.invoke_subgraph",
          [ref(name), "g", ref("a")],
          {},
          { val: [val] },
        );
      }
      builder.call("r", "operator.getitem", [ref("h_r"), 0], {}, { val });
      builder.output(tuple([ref("r")]), { val: [val] });
      return builder.build();
    };
    for (let level = 0; level < 3; level++) inner = around(inner);
    const text = jsonIRText(extractIR(program.with({ graph: inner })));
    expect(jsonIRText(readJsonIR(text))).toBe(text);
    for (let level = 0; level < 60; level++) inner = around(inner);
    expect(() => jsonIRText(extractIR(program.with({ graph: inner })))).toThrow(
      expect.objectContaining({ code: "JSON_IR_UNSUPPORTED" }),
    );
  });

  test("objects that contain themselves are refused", () => {
    const ir = readJsonIR(TEXT);
    const subgraphs = new Map<string, JsonIRGraph>(ir.subgraphs);
    const yes = { ...subgraphs.get("yes")!, subgraphs };
    subgraphs.set("yes", { ...yes, nodes: [...ir.nodes.slice(0, 1), ...yes.nodes] });
    const cyclic: JsonIR = { ...ir, subgraphs };
    expect(() => programFromIR(cyclic, session)).toThrow(expect.objectContaining({ code: "JSON_IR_GRAPH" }));
    expect(() => jsonIRText(cyclic)).toThrow(expect.objectContaining({ code: "JSON_IR_UNSUPPORTED" }));
  });
});
