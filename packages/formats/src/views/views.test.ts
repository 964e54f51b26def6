import { ExportedProgram, edit, GraphBuilder, ref, tuple } from "@sconce/ir";
import { parseIr } from "@sconce/ir/text";
import { describe, expect, test } from "vitest";
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

test("Mermaid: state with dotted arrows, nested graphs framed [S-151]", () => {
  expect(mermaidText(program)).toBe(`flowchart TD
    input_x[/"Input: x<br/>s77"/]
    op_body{{"body"}}
    op_a["add.Tensor<br/>s77"]
    input_x -->|"s77"| op_a
    w_p_w[/"p_w<br/>2"/]
    w_p_w -.->|"2"| op_a
    output_0[\\"Output<br/>s77"/]
    op_a --> output_0
    subgraph g0["body"]
        g0_input_y[/"Input: y<br/>2"/]
        g0_output_0[\\"Output<br/>2"/]
        g0_input_y --> g0_output_0
    end
`);
});

test("DOT has the same boxes and arrows", () => {
  expect(dotText(program)).toBe(`digraph program {
  node [shape=box fontname=monospace]
  input_x [label="Input: x\\ns77" shape=parallelogram]
  op_body [label="body" shape=component]
  op_a [label="add.Tensor\\ns77" shape=box]
  input_x -> op_a [label="s77"]
  w_p_w [label="p_w\\n2" shape=parallelogram]
  w_p_w -> op_a [label="2" style=dotted]
  output_0 [label="Output\\ns77" shape=invtrapezium]
  op_a -> output_0
  subgraph cluster_g0 {
    label="body"
    g0_input_y [label="Input: y\\n2" shape=parallelogram]
    g0_output_0 [label="Output\\n2" shape=invtrapezium]
    g0_input_y -> g0_output_0
  }
}
`);
});

describe("modules", () => {
  const stacks: Readonly<Record<string, readonly string[]>> = {
    a: ["block", "block.fc"],
    b: ["block"],
    c: [],
    d: ["block@1"],
  };
  const flat = parseIr(`program "ATEN" {
  parameter "block.w": f32[2]
  input %p_w: PARAMETER "block.w"
  input %x: USER_INPUT
  output %d: USER_OUTPUT
}
graph(%p_w: f32[2], %x: f32[2]) {
  %a: f32[2] = aten.mul.Tensor(%x, %p_w)
  %b: f32[2] = aten.relu.default(%a)
  %c: f32[2] = aten.add.Tensor(%b, %b)
  %d: f32[2] = aten.mul.Tensor(%c, %c)
  return (%d)
}`);
  const graph = edit(flat.graph, (e) => {
    for (const [name, paths] of Object.entries(stacks)) {
      const stack = paths.map((key) => [key, key.replace("@1", ""), "models.Block"] as const);
      e.setMeta(name, { ...flat.graph.node(name).meta, nnModuleStack: [["", "", "models.Net"], ...stack] });
    }
  });
  const model = flat.with({ graph });

  test("are folded at a depth, with their state inside [S-151]", () => {
    expect(mermaidText(model, { fold: 1 })).toBe(`flowchart TD
    input_x[/"Input: x<br/>2"/]
    mod_block[["block<br/>Block<br/>2 calls, 1 weight"]]
    input_x -->|"2"| mod_block
    op_c["add.Tensor<br/>2"]
    mod_block -->|"2"| op_c
    mod_block_1[["block<br/>Block<br/>1 call"]]
    op_c -->|"2"| mod_block_1
    output_0[\\"Output<br/>2"/]
    mod_block_1 --> output_0
`);
    expect(mermaidText(model, { fold: 2 })).toContain(
      'mod_block_fc[["block.fc<br/>Block<br/>1 call, 1 weight"]]',
    );
  });

  test("have frames, one in another [S-151]", () => {
    expect(mermaidText(model, { modules: true })).toBe(`flowchart TD
    input_x[/"Input: x<br/>2"/]
    subgraph frame_block["block (Block)"]
        subgraph frame_block_fc["block.fc (Block)"]
            op_a["mul.Tensor<br/>2"]
        end
        op_b["relu<br/>2"]
    end
    w_p_w[/"p_w<br/>2"/]
    op_c["add.Tensor<br/>2"]
    subgraph frame_block_1["block (Block)"]
        op_d["mul.Tensor<br/>2"]
    end
    output_0[\\"Output<br/>2"/]
    input_x -->|"2"| op_a
    w_p_w -.->|"2"| op_a
    op_a -->|"2"| op_b
    op_b -->|"2"| op_c
    op_c -->|"2"| op_d
    op_d --> output_0
`);
    const both = mermaidText(model, { fold: 2, modules: true });
    expect(both).toContain('subgraph frame_block["block (Block)"]\n        mod_block_fc[[');
  });

  test.each([0, 1.5, Number.NaN])("the depth %s is refused", (fold) => {
    expect(() => dotText(model, { fold })).toThrow(expect.objectContaining({ code: "DIAGRAM_DEPTH" }));
  });
});

describe("names of a file are text, never markup", () => {
  const named = (name: string) =>
    new ExportedProgram({
      ...program,
      graph: new GraphBuilder({ unknownTargets: "allow" })
        .addAll([
          { name, op: "placeholder", target: name, args: [], kwargs: {}, meta: program.graph.node("x").meta },
          { name: `${name}b`, op: "call_function", target: name, args: [ref(name)], kwargs: {}, meta: {} },
          {
            name: "output",
            op: "output",
            target: "output",
            args: [tuple([ref(`${name}b`)])],
            kwargs: {},
            meta: {},
          },
        ])
        .build(),
    });
  const NAME = '"];<script>#&`|{}\\\n\u202e\u001b[2J\u3164';

  test("in Mermaid they are entities, and nothing invisible is left", () => {
    const lines = mermaidText(named(NAME)).trimEnd().split("\n");
    expect(lines).toHaveLength(6);
    expect(lines[1]).toContain(
      '[/"Input: #34;]#59;#60;script#62;#35;#38;#96;#124;#123;#125;#92;#92;n#92;u202e#92;x1b[2J#92;u3164<br/>s77"/]',
    );
    for (const line of lines) expect(line).toMatch(/^[\x20-\x7e]*$/);
    for (const line of lines.slice(1)) expect(line).toMatch(/^ {4}[A-Za-z0-9_]+(?:[[{]|-->| -->)/);
  });

  test("in DOT they are inside of quotes", () => {
    const lines = dotText(named(NAME)).trimEnd().split("\n");
    expect(lines).toHaveLength(8);
    expect(lines[2]).toContain(
      '[label="Input: \\"];<script>#&`|{}\\\\\\\\n\\\\u202e\\\\x1b[2J\\\\u3164\\ns77"',
    );
    for (const line of lines) expect(line).toMatch(/^[\x20-\x7e]*$/);
  });

  test("names that differ in such characters only have different boxes", () => {
    const ids = mermaidText(named("a b")).match(/(?:input|op)_\w+(?=\[)/g);
    expect(new Set(ids).size).toBe(2);
  });
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
