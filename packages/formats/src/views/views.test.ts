import { parseIr } from "@sconce/ir";
import { expect, test } from "vitest";
import { dotText } from "./dot.js";
import { jsonText } from "./json.js";
import { mermaidText } from "./mermaid.js";

const program = parseIr(`program "ATEN" {
  range "s77" [2, inf]
  parameter "w": f32[2]
  input %p_w: PARAMETER "w"
  input %x: USER_INPUT
  input constant %k = 1.0: USER_INPUT
  output %a: USER_OUTPUT
}
graph(%p_w: f32[2], %x: f32[s77]) {
  %body = get_attr body
  %a: f32[s77] = aten.add.Tensor(%x, %p_w, alpha=2)
  return (%a)

  graph body(%y: f32[2]) {
    return (%y)
  }
}`);

test("Mermaid [S-151]", () => {
  expect(mermaidText(program)).toBe(`flowchart TD
  gn0[("p_w<br/>f32[2]")]
  gn1(["x<br/>f32[s77]"])
  gn2[["body<br/>body"]]
  gn3["a<br/>aten.add.Tensor<br/>f32[s77]"]
  gn4(["output"])
  gn1 --> gn3
  gn0 --> gn3
  gn3 --> gn4
  subgraph gg0["body"]
    gg0n0(["y<br/>f32[2]"])
    gg0n1(["output"])
    gg0n0 --> gg0n1
  end
`);
});

test("DOT", () => {
  expect(dotText(program)).toBe(`digraph program {
  node [shape=box fontname=monospace]
  gn0 [label="p_w\\nf32[2]" shape=cylinder]
  gn1 [label="x\\nf32[s77]" shape=ellipse]
  gn2 [label="body\\nbody" shape=component]
  gn3 [label="a\\naten.add.Tensor\\nf32[s77]" shape=box]
  gn4 [label="output" shape=ellipse]
  gn1 -> gn3
  gn0 -> gn3
  gn3 -> gn4
  subgraph cluster_gg0 {
    label="body"
    gg0n0 [label="y\\nf32[2]" shape=ellipse]
    gg0n1 [label="output" shape=ellipse]
    gg0n0 -> gg0n1
  }
}
`);
});

test("names of a file are text, never markup", () => {
  const hostile = parseIr(`program "ATEN" { }
graph(%"x\\"];<script>#": f32[2]) {
  return (%"x\\"];<script>#")
}`);
  expect(mermaidText(hostile)).toContain('gn0(["x#34;]#59;#60;script#62;#35;<br/>f32[2]"])');
  expect(dotText(hostile)).toContain('gn0 [label="x\\"];<script>#\\nf32[2]" shape=ellipse]');
});

test("JSON holds everything but the values of tensors", () => {
  expect(JSON.parse(jsonText(program))).toMatchObject({
    format: "sconce-json",
    dialect: "ATEN",
    ranges: { s77: [2, "Infinity"] },
    parameters: ["w"],
    state: { w: { dtype: "float32", shape: [2] } },
    inputs: [
      { kind: "PARAMETER", target: "w", arg: { kind: "tensor", name: "p_w" } },
      { kind: "USER_INPUT" },
      { arg: { kind: "constant", name: "k", value: { float: 1 } } },
    ],
    outputs: [{ kind: "USER_OUTPUT" }],
    graph: {
      nodes: [
        { name: "p_w", op: "placeholder", type: "f32[2]" },
        { name: "x", type: "f32[s77]" },
        { name: "body", op: "get_attr" },
        { name: "a", args: [{ node: "x" }, { node: "p_w" }], kwargs: { alpha: 2 } },
        { name: "output", args: [{ tuple: [{ node: "a" }] }] },
      ],
      graphs: { body: { nodes: [{ name: "y" }, { name: "output" }] } },
    },
  });
});

test("values that JSON does not distinguish have their kind", () => {
  const values =
    '1, 1.0, 0.5, inf, -0.0, 9223372036854775807, [1], (1), complex(1.0, nan), float32, device(cuda:0), layout(strided), format(channels_last), op(aten.add_.Tensor), {"k": none}';
  const { graph } = JSON.parse(
    jsonText(parseIr(`program "ATEN" { }\ngraph(%x) { %a = aten.f.default(${values}) return (%a) }`)),
  ) as { graph: { nodes: { args: unknown[] }[] } };
  expect(graph.nodes[1]!.args).toEqual([
    1,
    { float: 1 },
    { float: 0.5 },
    { float: "Infinity" },
    { float: "-0" },
    { int: "9223372036854775807" },
    [1],
    { tuple: [1] },
    { complex: [1, "NaN"] },
    { dtype: "float32" },
    { device: "cuda:0" },
    { layout: "strided" },
    { memory_format: "channels_last" },
    { operator: "aten.add_.Tensor" },
    { dict: [["k", null]] },
  ]);
});
