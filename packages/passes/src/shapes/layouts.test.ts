import type { FakeTensor } from "@sconce/ir";
import { defaultOperators } from "@sconce/ops";
import { describe, expect, test } from "vitest";
import { programOf } from "../programs.fixture.js";
import { callProblems, checkRecorded, verifyCalls } from "./call-problems.js";
import { propagateShapes } from "./propagate.js";
import { withRuleLayouts } from "./rule-layouts.js";

const operators = defaultOperators();
const problems = (text: string): string[] =>
  callProblems(programOf(text), operators).map(({ code, message }) => `${code} ${message}`);
const graph = (body: string, inputs = "%x: f32[4, 2]"): string =>
  `graph(${inputs}) {\n${body}\n  return (%y)\n}`;

describe("recorded layouts that calls do not give", () => {
  test.each<[string, string]>([
    ["%y: f32[4, 2]{1, 4} = aten.neg.default(%x)", "records strides [1, 4] and offset 0, the call gives"],
    ["%y: f32[4, 2]{0, 0} = aten.neg.default(%x)", "the call gives strides [2, 1] and offset 0"],
    ["%y: f32[4, 2]@8 = aten.neg.default(%x)", "strides [2, 1] and offset 8"],
    ["%y: f32[2, 4]{1, 3} = aten.permute.default(%x, [1, 0])", "the call gives strides [1, 2] and offset 0"],
    ["%y: f32[2]@3 = aten.select.int(%x, 0, 1)", "the call gives strides [1] and offset 2"],
  ])("%s", (body, message) => {
    expect(problems(graph(body))).toEqual([expect.stringMatching(/^CALL_VALUE node y records /)]);
    expect(problems(graph(body))[0]).toContain(message);
  });

  test("of symbolic sizes", () => {
    const text = graph("%y: f32[s0, 2]{3, 1} = aten.neg.default(%x)", "%x: f32[s0, 2]");
    expect(problems(text)[0]).toContain("records strides [3, 1] and offset 0, the call gives strides [2, 1]");
  });

  test("of a nested graph", () => {
    const text = `graph(%p: b8[], %x: f32[2]) {
  %t = get_attr t
  %f = get_attr f
  %c: (f32[2]) = higher_order.cond(%p, %t, %f, (%x))
  %r: f32[2] = operator.getitem(%c, 0)
  return (%r)
  graph t(%a: f32[2]) {
    %y: f32[2]{5} = aten.sin.default(%a)
    return (%y)
  }
  graph f(%a: f32[2]) {
    %z: f32[2] = aten.cos.default(%a)
    return (%z)
  }
}`;
    expect(callProblems(programOf(text), operators)).toMatchObject([{ node: "y", graph: "t" }]);
  });

  test("are what propagate-shapes corrects", () => {
    const program = programOf(
      graph("%a: f32[4, 2]{0, 7}@3 = aten.neg.default(%x)\n%y: f32[4, 2]{7, 1} = aten.abs.default(%a)"),
    );
    expect(verifyCalls(program, { operators })).not.toEqual([]);
    const next = propagateShapes(program, operators);
    expect(verifyCalls(next, { operators })).toEqual([]);
    const { strides, storageOffset } = next.graph.node("y").meta.val as FakeTensor;
    expect([strides, storageOffset]).toEqual([[2, 1], 0]);
  });
});

describe("layouts that are not a problem", () => {
  test.each([
    ["that no text states", "%y: f32[2, 4] = aten.permute.default(%x, [1, 0])"],
    [
      "offset 0 of a part",
      "%t: (f32[2, 2], f32[2, 2]) = aten.split.Tensor(%x, 2)\n%y: f32[2, 2] = operator.getitem(%t, 1)",
    ],
    ["of a single element", "%y: f32[1, 2]{7, 1} = aten.slice.Tensor(%x, 0, 0, 1)"],
    ["without elements", "%y: f32[0, 2]{9, 5} = aten.slice.Tensor(%x, 0, 0, 0)"],
  ])("%s", (_, body) => expect(problems(graph(body))).toEqual([]));

  test("an order that the kernel of a convolution chooses, but no gaps", () => {
    const conv = (strides: string): string =>
      graph(
        `%y: f32[2, 4, 2, 2]${strides} = aten.convolution.default(%x, %w, none, [1], [0], [1], false, [0], 1)`,
        "%x: f32[2, 3, 4, 4], %w: f32[4, 3, 3, 3]",
      );
    expect(problems(conv("{16, 1, 8, 4}"))).toEqual([]);
    expect(problems(conv("{16, 1, 8, 5}"))[0]).toContain("records strides");
  });
});

test("layouts by the rules follow from state and calls, and leave row-major results", () => {
  const text = graph(
    "%t: f32[2, 4] = aten.permute.default(%x, [1, 0])\n%a: f32[2, 4] = aten.neg.default(%t)\n%y: f32[2, 4] = aten.abs.default(%a)",
  );
  const program = programOf(text);
  expect(checkRecorded(program, operators).hasOtherLayouts).toBe(true);
  const laid = withRuleLayouts(program, operators);
  const strides = (name: string): unknown => (laid.graph.node(name).meta.val as FakeTensor).strides;
  expect(["t", "a", "y"].map(strides)).toEqual([
    [1, 2],
    [1, 2],
    [4, 1],
  ]);
});
