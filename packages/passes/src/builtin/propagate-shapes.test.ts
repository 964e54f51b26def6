import type { ExportedProgram, FakeTensor } from "@sconce/ir";
import { describe, expect, test } from "vitest";
import { parsePipeline } from "../manager/pipeline.js";
import type { PassCall } from "../pass/pass.js";
import { context, programOf, run, textOf } from "../programs.fixture.js";
import { propagateShapes } from "../shapes/propagate.js";
import { shapePropagation as pass } from "./propagate-shapes.js";

const dynamic = (body: string, ranges = "s7 in [2, 16]"): ExportedProgram => {
  const program = programOf(`graph(%x: f32[s7, 3]) {\n${body}\n}`);
  const rangeConstraints = new Map(
    ranges.split(";").map((text) => {
      const [, name, min, max] = /(\w+) in \[(-?\d+), (\d+)\]/.exec(text)!;
      return [name!, { min: Number(min), max: Number(max) }] as const;
    }),
  );
  return program.with({ rangeConstraints, symbolHints: new Map([["s7", 5]]) });
};
const DOUBLED = `%c: f32[2*s7, 3] = aten.cat.default([%x, %x])
  %n: int(s7) = aten.sym_size.int(%x, 0)
  %m: int(2*s7) = operator.mul(%n, 2)
  %v: f32[3, 2*s7] = aten.view.default(%c, [3, %m])
  return (%v)`;

describe("propagate-shapes", () => {
  test("specializes to the value of a symbol", () => {
    const result = run(pass, dynamic(DOUBLED), { sizes: ["s7=4"] });
    expect(textOf(result)).toMatchInlineSnapshot(`
      "graph(%x: f32[4, 3]) {
        %c: f32[8, 3] = aten.cat.default([%x, %x])
        %n: int(4) = aten.sym_size.int(%x, 0)
        %m: int(8) = operator.mul(%n, 2)
        %v: f32[3, 8] = aten.view.default(%c, [3, %m])
        return (%v)
      }"
    `);
    expect([result.rangeConstraints.size, result.symbolHints.size]).toEqual([0, 0]);
  });

  test("specializes to the shape of an input", () => {
    const result = run(pass, dynamic(DOUBLED), { sizes: ["x=4x3"] });
    expect((result.graph.node("v").meta.val as FakeTensor).shape).toEqual([3, 8]);
    expect((result.graph.node("v").meta.val as FakeTensor).strides).toEqual([8, 1]);
  });

  test("gives the same program back when nothing more is known", () => {
    const program = dynamic(DOUBLED);
    expect(run(pass, program)).toBe(program);
    const once = run(pass, program, { sizes: ["s7=4"] });
    expect(run(pass, once)).toBe(once);
  });

  test("fills in what is missing, bodies of control flow included", () => {
    const program = programOf(`graph(%x: f32[2, 3]) {
      %body = get_attr body
      %w: (f32[3, 2]) = higher_order.wrap_with_set_grad_enabled(false, %body, %x)
      %a: f32[3, 2] = operator.getitem(%w, 0)
      %b = aten.sum.dim_IntList(%a, [0])
      return (%b)
      graph body(%z) { %t = aten.t.default(%z) return (%t,) }
    }`);
    const result = run(pass, program);
    const shape = (val: unknown): unknown => (val as FakeTensor).shape;
    expect(shape(result.graph.node("b").meta.val)).toEqual([2]);
    expect(shape(result.graph.subgraphs.get("body")!.node("t").meta.val)).toEqual([3, 2]);
  });

  test("a size that is computed as a number becomes one everywhere", () => {
    const program = dynamic(`%k: f32[4, 3] = aten.full.default([4, 3], 0.0)
      %n: f32[s7, 3] = aten.neg.default(%x)
      %y: f32[s7, 3] = aten.relu.default(%k)
      return (%n, %y)`);
    const result = run(pass, program);
    expect((result.graph.node("x").meta.val as FakeTensor).shape).toEqual([4, 3]);
    expect((result.graph.node("n").meta.val as FakeTensor).shape).toEqual([4, 3]);
  });

  test("an assertion narrows a range", () => {
    const program = dynamic(
      `%n: int(s7) = aten.sym_size.int(%x, 0)
      %le: bool(s7 <= 9) = operator.le(%n, 9)
      %a = aten._assert_scalar.default(%le, "small")
      return (%x)`,
    );
    expect(run(pass, program).rangeConstraints.get("s7")).toEqual({ min: 2, max: 9 });
  });

  test.each([
    ["a size out of its range", DOUBLED, ["s7=40"], "the size s7 must be in [2, 16], not 40"],
    ["a symbol that is not there", DOUBLED, ["s9=4"], 'the program\'s inputs have no size "s9"'],
    ["an input that is not there", DOUBLED, ["q=4x3"], 'the program has no input tensor "q"'],
    ["a fixed size", DOUBLED, ["x=4x5"], "x.shape[1] is 3, which cannot be 5"],
    ["two values of one symbol", DOUBLED, ["s7=4", "x=5x3"], "x.shape[0] is s7, which cannot be 5"],
    [
      "a recorded size that a call does not give",
      "%a: f32[s7, 4] = aten.neg.default(%x)\nreturn (%a)",
      [],
      "the size 4 is recorded, the call gives 3",
    ],
    [
      "another dtype",
      "%a: f16[s7, 3] = aten.neg.default(%x)\nreturn (%a)",
      [],
      "the dtype float16 is recorded, the call gives float32",
    ],
    [
      "a call that refuses its inputs",
      "%k: f32[5] = aten.full.default([5], 1.0)\n%a: f32[s7, 3] = aten.add.Tensor(%x, %k)\nreturn (%a)",
      [],
      "aten.add.Tensor rejects its inputs:",
    ],
  ])("contradiction: %s", (_, body, sizes, message) => {
    expect(() => run(pass, dynamic(body), { sizes })).toThrowError(
      expect.objectContaining({ code: "SHAPE_CONTRADICTION", message: expect.stringContaining(message) }),
    );
  });

  test("refuses sizes that it cannot read", () => {
    expect(() => run(pass, dynamic(DOUBLED), { sizes: ["x:3"] })).toThrowError(
      expect.objectContaining({ code: "PASS_OPTION" }),
    );
  });

  test("one-dimensional and scalar inputs by their shapes", () => {
    const program = programOf(
      "graph(%x: f32[s7], %y: f32[]) { %a: f32[s7] = aten.add.Tensor(%x, %y) return (%a) }",
    );
    const result = propagateShapes(program, context.operators, { inputs: { x: [6], y: [] } });
    expect((result.graph.node("a").meta.val as FakeTensor).shape).toEqual([6]);
    expect(textOf(run(pass, program, { sizes: ["x=[6]", "y="] }))).toBe(textOf(result));
    const calls = parsePipeline("propagate-shapes{sizes=[s7=6,x=[6]]}", new Map([[pass.name, pass]]));
    expect(textOf(run(pass, program, (calls[0] as PassCall).options))).toBe(textOf(result));
  });
});
