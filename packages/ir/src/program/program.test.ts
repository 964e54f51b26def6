import { inspect } from "node:util";
import { describe, expect, test } from "vitest";
import { edit } from "../graph/edit.js";
import type { NewNode } from "../graph/editor.js";
import { parseIr } from "../ir-text/parse-program.js";
import { graphText } from "../print-torch/graph-text.js";
import { ref, tuple } from "../values/argument.js";
import { verifyAll } from "../verify.js";
import type { ExportedProgram } from "./program.js";
import { backwardSignature, renameOutputs } from "./signature.js";

const program = parseIr(`sconce-ir 1
program "ATEN" {
  range "s77" [2, 64]
  range "zuf0" [-inf, inf] float
  range "u0" [-inf, inf]
  parameter "w": f32[2]
  buffer "cnt": i64[]
  constant "nb": f32[2]
  input %p_w: PARAMETER "w"
  input %b_cnt: BUFFER "cnt" persistent
  input %b_nb: BUFFER "nb" transient
  input %x: USER_INPUT
  input constant %n = 3: USER_INPUT
  output %add: BUFFER_MUTATION "cnt"
  output %mul: USER_OUTPUT
  output constant %"" = none: USER_OUTPUT
  call "" ((*, *), {}) -> (*, *)
}
graph(%p_w: f32[2], %b_cnt: i64[], %b_nb: f32[2], %x: f32[2], %n: const 3) {
  %add: i64[] = aten.add.Tensor(%b_cnt, 1)
  %mul: f32[2] = aten.mul.Tensor(%x, %p_w)
  %g = get_attr g
  %call: (f32[2]) = higher_order.wrap(%g, %x)
  return (%add, %mul, none)
  graph g(%x: f32[2]) {
    %mul: f32[2] = aten.mul.Tensor(%x, %x)
    return (%mul)
  }
}`);

test("str(program) as PyTorch lays it out", () => {
  expect(String(program)).toBe(`ExportedProgram:
    class GraphModule(torch.nn.Module):
        def forward(self, p_w: "f32[2]", b_cnt: "i64[]", b_nb: "f32[2]", x: "f32[2]", n):
            # No stacktrace found for following nodes
            add: "i64[]" = torch.ops.aten.add.Tensor(b_cnt, 1);  b_cnt = None
            mul: "f32[2]" = torch.ops.aten.mul.Tensor(x, p_w);  p_w = None
            g = self.g
            call = torch.ops.higher_order.wrap(g, x);  g = x = call = None
            return (add, mul, None)
    
        class g(torch.nn.Module):
            def forward(self, x: "f32[2]"):
                # No stacktrace found for following nodes
                mul: "f32[2]" = torch.ops.aten.mul.Tensor(x, x);  x = None
                return (mul,)
    
Graph signature:
    # inputs
    p_w: PARAMETER target='w'
    b_cnt: BUFFER target='cnt' persistent=True
    b_nb: BUFFER target='nb' persistent=False
    x: USER_INPUT
    n: USER_INPUT
    
    # outputs
    add: BUFFER_MUTATION target='cnt'
    mul: USER_OUTPUT
    : USER_OUTPUT
    
Range constraints: {s77: VR[2, 64], zuf0: VR[-oo, oo], u0: VR[-int_oo, int_oo]}
`);
});

test("what PyTorch users ask a program for [S-085]", () => {
  expect(program.namedParameters().map(([name, value]) => [name, value.shape])).toEqual([["w", [2]]]);
  expect(program.namedBuffers().map(([name]) => name)).toEqual(["cnt", "nb"]);
  expect(program.buffers()[0]).toBe(program.stateDict.get("cnt"));
  expect(program.userInputs).toEqual([{ name: "x" }, { value: 3 }]);
  expect(program.userOutputs).toEqual([{ name: "mul" }, { value: null }]);
  expect([...program.inputsToParameters]).toEqual([["p_w", "w"]]);
  expect([...program.inputsToBuffers]).toEqual([
    ["b_cnt", "cnt"],
    ["b_nb", "nb"],
  ]);
  expect([...program.buffersToMutate]).toEqual([["add", "cnt"]]);
  expect([...program.opHistogram()]).toEqual([
    ["aten.add.Tensor", 1],
    ["aten.mul.Tensor", 2],
    ["higher_order.wrap", 1],
  ]);
  expect(program.inSpec?.children.length).toBe(2);
  expect(program.backwardSignature).toBeNull();
});

test("a version with the same parts is the same program", () => {
  expect(program.with({ graph: program.graph, dialect: "ATEN" })).toBe(program);
  expect(program.with({ dialect: "TRAINING" }).graph).toBe(program.graph);
  expect(() => program.with({ state: new Map() } as never)).toThrow('a program has no part "state"');
});

describe("a graph with another node in place of an output", () => {
  const call = (target: string, input: string): NewNode => ({
    op: "call_function",
    target,
    args: [ref(input)],
    meta: program.graph.node("mul").meta,
  });
  const outputs = (other: ExportedProgram): readonly string[] =>
    other.graphSignature.outputSpecs.map(({ kind, arg }) => `${kind} ${arg.name}`);

  test("is named in the signature, user outputs and mutations alike", () => {
    const next = program.with({
      graph: edit(program.graph, (e) => {
        e.replaceAllUses("mul", e.insertAfter("mul", call("aten.relu.default", "x")));
        e.replaceAllUses("add", e.insertAfter("add", call("aten.neg.default", "add")));
        e.remove("mul");
      }),
    });
    expect(outputs(next)).toEqual([
      "BUFFER_MUTATION neg_default",
      "USER_OUTPUT relu_default",
      "USER_OUTPUT ",
    ]);
    expect(verifyAll(next)).toEqual([]);
  });

  test("a wrapper of two nodes keeps what it wraps", () => {
    const graph = edit(program.graph, (e) => {
      const inner = e.insertAfter("mul", call("aten.neg.default", "mul"));
      e.replaceAllUses("mul", e.insertAfter(inner.name, call("aten.abs.default", inner.name)));
    });
    expect(graph.node("neg_default").args).toEqual([ref("mul")]);
    const next = program.with({ graph });
    expect(outputs(next)[1]).toBe("USER_OUTPUT abs_default");
    expect(verifyAll(next)).toEqual([]);
  });

  test("outputs that trade places, or a signature that is given, are not followed", () => {
    const traded = edit(program.graph, (e) => e.setOutput(tuple([ref("mul"), ref("add"), null])));
    expect(program.with({ graph: traded }).graphSignature).toBe(program.graphSignature);
    const other = edit(program.graph, (e) => e.setOutput(tuple([ref("add"), ref("x"), null])));
    const { graphSignature } = program;
    expect(program.with({ graph: other, graphSignature }).graphSignature).toBe(graphSignature);
  });
});

test("signatures follow renamed outputs and name the backward part [S-139]", () => {
  const signature = renameOutputs(program.graphSignature, new Map([["mul", "mul_1"]]));
  expect(signature.outputSpecs[1]!.arg.name).toBe("mul_1");
  expect(renameOutputs(signature, new Map([["nothing", "x"]]))).toBe(signature);
  const joint = {
    inputSpecs: [],
    outputSpecs: [
      { kind: "LOSS_OUTPUT", arg: { kind: "tensor", name: "loss" }, target: null },
      { kind: "GRADIENT_TO_PARAMETER", arg: { kind: "tensor", name: "g" }, target: "w" },
    ],
  } as const;
  expect(backwardSignature(joint)).toEqual({
    lossOutput: "loss",
    gradientsToParameters: new Map([["g", "w"]]),
    gradientsToUserInputs: new Map(),
  });
});

test("console.log shows programs and graphs as PyTorch prints them", () => {
  expect(inspect(program)).toBe(String(program));
  expect(inspect(program.graph)).toBe(graphText(program.graph));
  expect(inspect({ graph: program.graph })).toContain("graph():");
});
