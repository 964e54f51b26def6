import { parseGraph } from "@sconce/ir/text";
import { defaultOperators } from "@sconce/ops";
import { describe, expect, test } from "vitest";
import { loopsOf, textOf } from "../programs.fixture.js";
import { whyNotLowered } from "./lower.js";

describe("calls without a rule", () => {
  test("are their decompositions, fused with the rest and known by the call's name", () => {
    const text = textOf(`graph(%x: f32[4]) {
      %a: f32[4] = aten.neg.default(%x)
      %b: f32[4] = aten.mish.default(%a)
      return (%b,)
    }`);
    expect(text).toMatchInlineSnapshot(`
      "input b0: f32[4]  # x

      nest 0 -> b1: f32[4]  # a, b
        for i0 < 4
          (neg(b0[i0]) * tanh(((neg(b0[i0]) * 1) > 20) ? neg(b0[i0]) : (log1p(exp(neg(b0[i0]) * 1)) / 1)))

      output b1: f32[4]
      "
    `);
  });

  test("with several results give each under its own name", () => {
    const { outputs, buffers } = loopsOf(`graph(%x: f32[4, 6]) {
      %a: (f32[4, 2], f32[4, 4]) = aten.tensor_split.indices(%x, [2], 1)
      %b: f32[4, 2] = operator.getitem(%a, 0)
      %c: f32[4, 4] = operator.getitem(%a, 1)
      return (%b, %c)
    }`);
    expect(outputs.map((output) => output.kind === "buffer" && buffers[output.buffer]!.node)).toEqual([
      "b",
      "c",
    ]);
  });
});

describe("why a call does not lower to loops", () => {
  const graph = parseGraph(`graph(%x: f32[4], %m: b8[4]) {
    %a: i64[u0, 1] = aten.nonzero.default(%x)
    %b: f32[4] = aten.relu_.default(%x)
    %c: f32[4] = aten.rand_like.default(%x)
    %d: f32[u1] = aten.index.Tensor(%x, [%m])
    %e: f32[4] = aten.lgamma.default(%x)
    %z: c64[4] = aten.mul.Tensor(%x, complex(0.0, 2.0))
    %f: c64[4] = aten.exp.default(%z)
    %g: f32[4] = aten.exp.default(%x)
    return (%a, %b, %c, %d, %e, %f, %g)
  }`);
  test.each([
    ["a", "aten.nonzero.default returns a data-dependent shape"],
    ["b", "aten.relu_.default writes to its argument: functionalize the program first"],
    ["c", "aten.rand_like.default draws random numbers"],
    ["d", "indexing by a mask returns a data-dependent shape"],
    ["e", "no loops are known for aten.lgamma.default"],
    ["f", "aten.exp.default of complex64 is not lowered to loops"],
    ["g", undefined],
  ])("%s", (name, reason) => {
    expect(whyNotLowered(graph.node(name), graph, { operators: defaultOperators() })).toBe(reason);
  });
});
