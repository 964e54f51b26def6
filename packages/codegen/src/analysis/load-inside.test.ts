import { parseGraph } from "@sconce/ir/text";
import { defaultOperators } from "@sconce/ops";
import { expect, test } from "vitest";
import { whyNotLowered } from "../lower/lower.js";

const operators = defaultOperators();

/** Why the first call of a graph has no loops. */
function whyNot(parameters: string, type: string, call: string): string | undefined {
  const graph = parseGraph(`graph(${parameters}) {\n  %z: ${type} = ${call}\n  return (%z)\n}`);
  return whyNotLowered(graph.node("z"), graph, { operators });
}

test.each([
  ["%x: f32[2, 3, 8, 9]", "f32[2, 3, 4, 5]", "aten.avg_pool2d.default(%x, [3, 3], [2, 2], [1, 1])"],
  [
    "%x: f32[2, 4, 8, 9], %w: f32[6, 2, 3, 2]",
    "f32[2, 6, 4, 6]",
    "aten.convolution.default(%x, %w, none, [2, 2], [1, 2], [1, 2], false, [0, 0], 2)",
  ],
  [
    "%x: f32[1, 4, 3, 5], %w: f32[4, 2, 3, 2]",
    "f32[1, 2, 5, 10]",
    "aten.convolution.default(%x, %w, none, [2, 2], [1, 0], [1, 1], true, [0, 0], 1)",
  ],
  ["%x: f32[3, 4]", "f32[5, 8]", "aten.constant_pad_nd.default(%x, [1, 3, 2, 0], 1.0)"],
  ["%x: f32[2, 3, 10]", "f32[2, 3, 5]", "aten._adaptive_avg_pool2d.default(%x, [3, 5])"],
  ["%x: f32[6], %y: f32[4]", "f32[10]", "aten.cat.default([%x, %y], 0)"],
])("windows, pads and joins of %s stay inside", (parameters, type, call) => {
  expect(whyNot(parameters, type, call)).toBeUndefined();
});

test.each([
  ["a longer result", "%x: f32[4]", "f32[5]", "aten.neg.default(%x)", "x"],
  ["a shorter operand", "%x: f32[4], %y: f32[3]", "f32[4]", "aten.add.Tensor(%x, %y)", "y"],
  [
    "another batch",
    "%x: f32[1, 2, 6, 6], %w: f32[3, 2, 3, 3]",
    "f32[2, 3, 6, 6]",
    "aten.convolution.default(%x, %w, none, [1, 1], [1, 1], [1, 1], false, [0, 0], 1)",
    "x",
  ],
  [
    "fewer sources than places",
    "%x: f32[4, 4], %i: i64[5], %s: f32[4, 2]",
    "f32[4, 4]",
    'aten.index_reduce.default(%x, 1, %i, %s, "amax")',
    "s",
  ],
])("%s may be read outside", (_, parameters, type, call, name) => {
  expect(whyNot(parameters, type, call)).toBe(`it may read outside of %${name}`);
});
