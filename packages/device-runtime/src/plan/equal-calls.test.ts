import { type LoopProgram, lowerCall, printLoops } from "@sconce/codegen";
import { parseGraph } from "@sconce/ir/text";
import { defaultOperators } from "@sconce/ops";
import { expect, test } from "vitest";
import { EqualCalls } from "./equal-calls.js";

const operators = defaultOperators();

/** Lowers calls, and says which of them were like an earlier one. */
function lowered(text: string) {
  const graph = parseGraph(text);
  const equal = new EqualCalls();
  const made: string[] = [];
  const calls = graph
    .nodes()
    .filter(({ op, target }) => op === "call_function" && target !== "operator.getitem");
  for (const node of calls) {
    const own = lowerCall(node, graph, { operators });
    const given = equal.loops(node, graph, () => {
      made.push(node.name);
      return own;
    });
    if ("reason" in own) expect(given).toBe(own);
    else expect(printLoops(given as LoopProgram)).toBe(printLoops(own));
  }
  return made;
}

test("equal calls are lowered once, and have their own names", () => {
  const made = lowered(`graph(%x: f32[4, 3], %y: f32[4, 3], %z: f32[4, 4]) {
    %a: f32[4, 3] = aten.add.Tensor(%x, %y)
    %b: f32[4, 3] = aten.add.Tensor(%y, %a)
    %c: f32[4, 3] = aten.add.Tensor(%b, %b)
    %d: f32[4, 3] = aten.add.Tensor(%c, %x, alpha=2)
    %e: f32[4, 4] = aten.add.Tensor(%z, %z)
    %f: (f32[4, 1], i64[4, 1]) = aten.max.dim(%c, 1, true)
    %f0: f32[4, 1] = operator.getitem(%f, 0)
    %g: (f32[4, 1], i64[4, 1]) = aten.max.dim(%d, 1, true)
    %g1: i64[4, 1] = operator.getitem(%g, 1)
    %h: (f32[4, 1], i64[4, 1]) = aten.max.dim(%d, 1, true)
    %h1: i64[4, 1] = operator.getitem(%h, 1)
    return (%e, %f0, %g1, %h1)
  }`);
  expect(made).toEqual(["a", "c", "d", "e", "f", "g"]);
});

test("calls differ by numbers that JSON does not have", () => {
  const made = lowered(`graph(%x: f32[4]) {
    %a: f32[4] = aten.add.Tensor(%x, inf)
    %b: f32[4] = aten.add.Tensor(%x, -inf)
    %c: f32[4] = aten.add.Tensor(%x, nan)
    %d: f32[4] = aten.add.Tensor(%x, 0.0)
    %e: f32[4] = aten.add.Tensor(%x, -0.0)
    %f: f32[4] = aten.add.Tensor(%x, 0)
    %g: f32[4] = aten.add.Tensor(%c, inf)
    return (%a, %b, %c, %d, %e, %f, %g)
  }`);
  expect(made).toEqual(["a", "b", "c", "d", "e", "f"]);
});

test("calls without loops give their own reasons", () => {
  const made = lowered(`graph(%x: f32[4]) {
    %a: i64[u0, 1] = aten.nonzero.default(%x)
    %b: i64[u1, 1] = aten.nonzero.default(%x)
    return (%a, %b)
  }`);
  expect(made).toEqual(["a", "b"]);
});
