import type { ExportedProgram } from "@sconce/ir";
import { describe, expect, test } from "vitest";
import { programOf, run, textOf } from "../programs.fixture.js";
import type { Fusion } from "../regions/fuse.js";
import { fuse as pass } from "./fuse-regions.js";
import { inline } from "./submodules.js";

const INPUTS = "%x: f32[2, 2], %y: f32[2, 2], %p_w: f32[2, 2], %p_b: f32[2, 2]";
const graphOf = (body: string): ExportedProgram => programOf(`graph(${INPUTS}) {\n${body}\n}`);

/** Each region as its kind and operators: `matmul: mm, relu`. */
const regionsOf = ({ graph }: ExportedProgram): string[] => {
  const seen = new Map<string, string>();
  for (const { meta } of graph.nodes()) {
    const fusion = meta.custom?.["fusion"] as Fusion | undefined;
    if (fusion !== undefined) seen.set(fusion.region, `${fusion.kind}: ${fusion.calls.join(", ")}`);
  }
  return [...seen.values()];
};

const CHAIN = `
  %m: f32[2, 2] = aten.mm.default(%x, %p_w)
  %a: f32[2, 2] = aten.add.Tensor(%m, %p_b)
  %s: f32[2, 2] = aten.sigmoid.default(%a)
  %g: f32[2, 2] = aten.mul.Tensor(%a, %s)
  %r: f32[2, 2] = aten.add.Tensor(%g, %y)
  %t: f32[2, 2]{1, 2} = aten.permute.default(%r, [1, 0])
  return (%t, %r)`;

describe("fuse-regions", () => {
  test("a matrix product, bias, activation and residual sum are one region", () => {
    const program = graphOf(CHAIN);
    const after = run(pass, program);
    expect(textOf(after)).toMatchInlineSnapshot(`
      "graph(%x: f32[2, 2], %y: f32[2, 2], %p_w: f32[2, 2], %p_b: f32[2, 2]) {
        %fused_0_body = get_attr fused_0
        %invoke_subgraph: (f32[2, 2]) = higher_order.invoke_subgraph(%fused_0_body, "fused_0", %x, %p_w, %p_b, %y)
        %r: f32[2, 2] = operator.getitem(%invoke_subgraph, 0)
        %t: f32[2, 2]{1, 2} = aten.permute.default(%r, [1, 0])
        return (%t, %r)

        graph fused_0(%x: f32[2, 2], %p_w: f32[2, 2], %p_b: f32[2, 2], %y: f32[2, 2]) {
          %m: f32[2, 2] = aten.mm.default(%x, %p_w)
          %a: f32[2, 2] = aten.add.Tensor(%m, %p_b)
          %s: f32[2, 2] = aten.sigmoid.default(%a)
          %g: f32[2, 2] = aten.mul.Tensor(%a, %s)
          %r: f32[2, 2] = aten.add.Tensor(%g, %y)
          return (%r)
        }
      }"
    `);
    expect(after.graph.node("invoke_subgraph").meta.custom).toEqual({
      fusion: { region: "fused_0", kind: "matmul", calls: ["mm", "add", "sigmoid", "mul", "add"] },
    });
    expect(run(pass, after)).toBe(after);
    expect(textOf(run(inline, after))).toBe(textOf(program));
  });

  test("without outlining, nodes are tagged", () => {
    const program = graphOf(CHAIN);
    const after = run(pass, program, { outline: false });
    expect(textOf(after)).toBe(textOf(program));
    expect(regionsOf(after)).toEqual(["matmul: mm, add, sigmoid, mul, add"]);
    expect(after.graph.node("t").meta.custom).toBeUndefined();
    expect(run(pass, after, { outline: false })).toBe(after);
  });

  test.each<[name: string, body: string, regions: string[]]>([
    [
      "a value that others read ends a region",
      `%m: f32[2, 2] = aten.mm.default(%x, %p_w)
       %r: f32[2, 2] = aten.relu.default(%m)
       %e: f32[2, 2] = aten.exp.default(%r)
       %n: f32[2, 2] = aten.neg.default(%e)
       return (%r, %n)`,
      ["matmul: mm, relu", "pointwise: exp, neg"],
    ],
    [
      "of two products, the later one takes the sum",
      `%m: f32[2, 2] = aten.mm.default(%x, %p_w)
       %k: f32[2, 2] = aten.mm.default(%y, %p_w)
       %a: f32[2, 2] = aten.add.Tensor(%m, %k)
       return (%a)`,
      ["matmul: mm, add"],
    ],
    [
      "what a product reads is not in its region",
      `%r: f32[2, 2] = aten.relu.default(%x)
       %m: f32[2, 2] = aten.mm.default(%r, %p_w)
       %a: f32[2, 2] = aten.add.Tensor(%m, %r)
       return (%a)`,
      ["matmul: mm, add"],
    ],
    [
      "a path around by way of something else",
      `%m: f32[2, 2] = aten.mm.default(%x, %p_w)
       %s: f32[2, 2] = aten.cumsum.default(%m, 0)
       %a: f32[2, 2] = aten.add.Tensor(%m, %s)
       %e: f32[2, 2] = aten.exp.default(%a)
       return (%e)`,
      ["pointwise: add, exp"],
    ],
    [
      "random numbers keep their place",
      `%e: f32[2, 2] = aten.exp.default(%x)
       %d: f32[2, 2] = aten.bernoulli.default(%e)
       %n: f32[2, 2] = aten.neg.default(%d)
       %o: f32[2, 2] = aten.abs.default(%n)
       return (%o)`,
      ["pointwise: neg, abs"],
    ],
  ])("%s", (_, body, regions) => {
    expect(regionsOf(run(pass, graphOf(body)))).toEqual(regions);
    expect(regionsOf(run(pass, graphOf(body), { outline: false }))).toEqual(regions);
  });

  test.each([
    ["a call alone", "%m: f32[2, 2] = aten.mm.default(%x, %p_w)\nreturn (%m)"],
    [
      "other sizes",
      `%r: f32[2, 2] = aten.relu.default(%x)
       %s: f32[2, 1]{1, 1} = aten.sum.dim_IntList(%r, [1], true)
       %e: f32[2, 1]{1, 1} = aten.exp.default(%s)
       %a: f32[2, 2] = aten.add.Tensor(%y, %e)
       return (%a)`,
    ],
    ["a view", "%t: f32[2, 2]{1, 2} = aten.permute.default(%x, [1, 0])\nreturn (%t)"],
  ])("leaves alone: %s", (_, body) => {
    const program = graphOf(body);
    expect(run(pass, program)).toBe(program);
    expect(run(pass, program, { outline: false })).toBe(program);
  });

  test("pointwise regions are an option", () => {
    const program = graphOf(
      "%e: f32[2, 2] = aten.exp.default(%x)\n%n: f32[2, 2] = aten.neg.default(%e)\nreturn (%n)",
    );
    expect(run(pass, program, { pointwise: false })).toBe(program);
    expect(regionsOf(run(pass, program))).toEqual(["pointwise: exp, neg"]);
  });
});
