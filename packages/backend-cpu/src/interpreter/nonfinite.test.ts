import type { ExportedProgram } from "@sconce/ir";
import { parseIr } from "@sconce/ir/text";
import { Tensor } from "@sconce/tensor";
import { describe, expect, test } from "vitest";
import { firstNonfinite } from "./backend.js";

const floats = (values: readonly number[], shape: readonly number[] = [values.length]): Tensor =>
  Tensor.from(values, shape, "float32");
const parse = (lines: string, graph: string, tensors?: ReadonlyMap<string, Tensor>): ExportedProgram =>
  parseIr(`sconce-ir 1\nprogram "TRAINING" {\n${lines}\n}\n${graph}`, { tensors });

const STACK =
  '{"stackTrace":"File \\"/home/me/model.py\\", line 9, in forward\\n    x = self.l(x)\\n' +
  'File \\"/usr/lib/python3/dist-packages/torch/nn/modules/linear.py\\", line 134, in forward\\n    return F.linear(x)"}';

/** `exp(log(x) / w)` */
const quotient = parse(
  `parameter "w": f32[3]
input %p_w: PARAMETER "w"
input %x: USER_INPUT
output %exp: USER_OUTPUT
`,
  `graph(%p_w: f32[3], %x: f32[2, 3]) {
  %log: f32[2, 3] = aten.log.default(%x)
  %div: f32[2, 3] = aten.div.Tensor(%log, %p_w) #0
  %exp: f32[2, 3] = aten.exp.default(%div)
  return (%exp)
}
metadata {
  #0 ${STACK}
}`,
  new Map([["w", floats([1, 2, 0])]]),
);

describe("the first node with NaN or infinity", () => {
  test("is named with its line, its inputs and the first element", async () => {
    const report = await firstNonfinite(quotient, [floats([1, 2, 3, 4, 5, 6], [2, 3])]);
    expect(report.sources).toEqual([]);
    expect(report.calls).toBe(2);
    expect(report.first).toMatchObject({
      node: "div",
      target: "aten.div.Tensor",
      path: [],
      line: "File: /home/me/model.py:9 in forward, code: x = self.l(x)",
      result: 0,
      output: {
        dtype: "float32",
        shape: [2, 3],
        nan: 0,
        positiveInfinity: 2,
        negativeInfinity: 0,
        first: { index: [0, 2], value: Number.POSITIVE_INFINITY },
      },
    });
    expect(report.first!.inputs).toMatchObject([
      { name: "log", shape: [2, 3], nan: 0, min: 0, first: undefined },
      { name: "p_w", shape: [3], min: 0, max: 2 },
    ]);
  });

  test("is the first one that has NaN, when only NaN is meant", async () => {
    const x = [floats([1, 1, 1, 0, 1, 1], [2, 3])];
    expect((await firstNonfinite(quotient, x)).first?.node).toBe("log");
    const { first } = await firstNonfinite(quotient, x, { kind: "nan" });
    expect([first?.node, first?.output.first?.index]).toEqual(["div", [0, 2]]);
    expect(first?.inputs[0]).toMatchObject({ name: "log", negativeInfinity: 1, first: undefined });
  });

  test("does not exist when all is finite", async () => {
    const program = quotient.with({ stateDict: new Map([["w", floats([1, 2, 3])]]) });
    expect(await firstNonfinite(program, [floats([1, 2, 3, 4, 5, 6], [2, 3])])).toEqual({
      sources: [],
      first: undefined,
      calls: 3,
    });
  });

  test("inputs and weights that hold such values already are listed", async () => {
    const program = quotient.with({ stateDict: new Map([["w", floats([1, Number.NaN, 3])]]) });
    const report = await firstNonfinite(program, [floats([1, Number.POSITIVE_INFINITY, 3, 4, 5, 6], [2, 3])]);
    expect(report.sources).toMatchObject([
      { kind: "state", name: "w", nan: 1, first: { index: [1], value: Number.NaN } },
      { kind: "input", name: "x", positiveInfinity: 1, first: { index: [0, 1] } },
    ]);
    expect(report.first?.node).toBe("log");
  });

  test("may be in a nested graph", async () => {
    const program = parse(
      "input %p: USER_INPUT\ninput %x: USER_INPUT\noutput %getitem: USER_OUTPUT",
      `graph(%p: b8[], %x: f32[2]) {
  %true_graph_0 = get_attr true_graph_0
  %false_graph_0 = get_attr false_graph_0
  %cond: (f32[2]) = higher_order.cond(%p, %true_graph_0, %false_graph_0, (%x,))
  %getitem: f32[2] = operator.getitem(%cond, 0)
  return (%getitem)

  graph true_graph_0(%x: f32[2]) {
    %neg: f32[2] = aten.neg.default(%x)
    %sqrt: f32[2] = aten.sqrt.default(%neg)
    return (%sqrt)
  }
  graph false_graph_0(%x: f32[2]) {
    %neg: f32[2] = aten.neg.default(%x)
    return (%neg)
  }
}`,
    );
    const truth = (value: boolean): Tensor => Tensor.from([value], [], "bool");
    const { first } = await firstNonfinite(program, [truth(true), floats([0, 1])]);
    expect(first).toMatchObject({ node: "sqrt", path: ["true_graph_0"], output: { first: { index: [1] } } });
    expect((await firstNonfinite(program, [truth(false), floats([0, 1])])).first).toBeUndefined();
  });

  test("in-place operators are reported with what they were given", async () => {
    const program = parse(
      "input %x: USER_INPUT\noutput %log_: USER_OUTPUT",
      `graph(%x: f32[2]) {
  %neg: f32[2] = aten.neg.default(%x)
  %log_: f32[2] = aten.log_.default(%neg)
  return (%log_)
}`,
    );
    const { first } = await firstNonfinite(program, [floats([2, 3])]);
    expect(first).toMatchObject({ node: "log_", output: { nan: 2 } });
    expect(first?.inputs).toMatchObject([{ name: "neg", min: -3, max: -2, nan: 0 }]);
  });

  test("of several results, integers and complex numbers", async () => {
    const program = parse(
      "input %x: USER_INPUT\noutput %c: USER_OUTPUT",
      `graph(%x: f32[2, 2]) {
  %max: (f32[2], i64[2]) = aten.max.dim(%x, 1)
  %values: f32[2] = operator.getitem(%max, 0)
  %c: c64[2] = aten.complex.default(%values, %values)
  return (%c)
}`,
    );
    const { first } = await firstNonfinite(program, [floats([1, 2, 3, 1e38], [2, 2])]);
    expect(first).toBeUndefined();
    const bad = await firstNonfinite(program, [floats([1, 2, 3, Number.POSITIVE_INFINITY], [2, 2])]);
    expect(bad.first).toMatchObject({ node: "max", result: 0, output: { first: { index: [1] } } });
  });

  test("an error of the run before it passes", async () => {
    await expect(firstNonfinite(quotient, [])).rejects.toMatchObject({ code: "INPUT_COUNT" });
  });
});
