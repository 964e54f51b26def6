import { codeText } from "@sconce/ir";
import { verify } from "@sconce/ir/verify";
import { describe, expect, test } from "vitest";
import { context, programOf, run, textOf } from "../programs.fixture.js";
import { functionalize } from "./functionalize.js";

describe("functionalize", () => {
  test("writes through views become values, written buffers leading outputs", () => {
    const program = programOf(
      `graph(%b_m: f32[2, 2], %x: f32[2, 2]) {
        %v: f32[4] = aten.view.default(%b_m, [4])
        %a: f32[4] = aten.add_.Tensor(%v, 1)
        %r: f32[2, 2] = aten.relu.default(%x)
        %y: f32[2, 2] = aten.mul_.Tensor(%r, %b_m)
        return (%y)
      }`,
      "TRAINING",
    );
    const result = run(functionalize, program);
    expect(textOf(result)).toMatchInlineSnapshot(`
      "graph(%b_m: f32[2, 2], %x: f32[2, 2]) {
        %view: f32[4] = aten.view.default(%b_m, [4])
        %add: f32[4] = aten.add.Tensor(%view, 1)
        %view_1: f32[2, 2] = aten.view.default(%add, [2, 2])
        %relu: f32[2, 2] = aten.relu.default(%x)
        %mul: f32[2, 2] = aten.mul.Tensor(%relu, %view_1)
        return (%view_1, %mul)
      }"
    `);
    expect(result.graphSignature.outputSpecs.map(({ kind, target }) => [kind, target])).toEqual([
      ["BUFFER_MUTATION", "m"],
      ["USER_OUTPUT", null],
    ]);
    expect(verify(result, { operators: context.operators })).toEqual([]);
    expect(result.graph.node("relu").meta.origin).toEqual({ pass: "functionalize", from: ["r"] });
  });

  test("decomposes nothing that can stay", () => {
    const program = programOf(
      `graph(%p_w: f32[2, 2], %x: f32[2, 2]) {
        %l: f32[2, 2] = aten.linear.default(%x, %p_w)
        %g: f32[2, 2] = aten.gelu.default(%l)
        %s: f32[2, 2] = aten.softmax.int(%g, 1)
        %y: f32[2, 2] = aten.relu_.default(%s)
        return (%y)
      }`,
      "TRAINING",
    );
    expect([...run(functionalize, program).opHistogram().keys()]).toEqual([
      "aten.linear.default",
      "aten.gelu.default",
      "aten.softmax.int",
      "aten.relu.default",
    ]);
  });

  test("gives a functional program back, the same object in the ATEN dialect", () => {
    const text = "graph(%x: f32[2]) { %a: f32[2] = aten.relu.default(%x) return (%a) }";
    const aten = programOf(text);
    const training = programOf(text, "TRAINING");
    expect(run(functionalize, aten)).toBe(aten);
    expect(run(functionalize, training).graph).toBe(training.graph);
    expect(run(functionalize, training).dialect).toBe("ATEN");
  });

  test("refuses what changes the sizes of an input itself", () => {
    const program = programOf(
      "graph(%x: f32[2, 3]) { %a: f32[3, 2] = aten.t_.default(%x) return (%a) }",
      "TRAINING",
    );
    expect(() => run(functionalize, program)).toThrowError(
      expect.objectContaining({ code: "NOT_FUNCTIONALIZABLE", where: "x" }),
    );
  });

  // As PyTorch 2.14 lowers it: both parts are written before either is read again.
  test("a list that is written is written as one", () => {
    const program = programOf(
      `graph(%x: f32[2, 2]) {
        %c: f32[2, 2] = aten.clone.default(%x)
        %q: (f32[1, 2], f32[1, 2]) = aten.split.Tensor(%c, 1)
        %a: f32[1, 2] = operator.getitem(%q, 0)
        %b: f32[1, 2] = operator.getitem(%q, 1)
        %m = aten._foreach_mul_.Scalar([%a, %b], 2.0)
        %y: f32[2, 2] = aten.cat.default([%a, %b])
        return (%y)
      }`,
      "TRAINING",
    );
    expect(codeText(run(functionalize, program).graph).trim()).toMatchInlineSnapshot(`
      "def forward(self, x):
          clone = torch.ops.aten.clone.default(x);  x = None
          split = torch.ops.aten.split.Tensor(clone, 1)
          getitem = split[0]
          getitem_1 = split[1];  split = None
          _foreach_mul = torch.ops.aten._foreach_mul.Scalar([getitem, getitem_1], 2.0);  getitem = getitem_1 = None
          getitem_2 = _foreach_mul[0]
          getitem_3 = _foreach_mul[1];  _foreach_mul = None
          slice_scatter = torch.ops.aten.slice_scatter.default(clone, getitem_2, 0, 0, 1);  clone = getitem_2 = None
          slice_scatter_1 = torch.ops.aten.slice_scatter.default(slice_scatter, getitem_3, 0, 1, 2);  slice_scatter = getitem_3 = None
          split_1 = torch.ops.aten.split.Tensor(slice_scatter_1, 1)
          getitem_4 = split_1[0];  split_1 = None
          split_2 = torch.ops.aten.split.Tensor(slice_scatter_1, 1);  slice_scatter_1 = None
          getitem_7 = split_2[1];  split_2 = None
          cat = torch.ops.aten.cat.default([getitem_4, getitem_7]);  getitem_4 = getitem_7 = None
          return (cat,)"
    `);
  });
});
