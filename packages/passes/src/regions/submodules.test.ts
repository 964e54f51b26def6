import { diffGraphs, edit } from "@sconce/ir";
import { verify } from "@sconce/ir/verify";
import { describe, expect, test } from "vitest";
import { deadCodeElimination } from "../builtin/dce.js";
import { extract, inline, split } from "../builtin/submodules.js";
import { context, programOf, run, textOf } from "../programs.fixture.js";
import { extractSubmodule, inModule } from "./extract.js";
import { regionProgram } from "./region-program.js";
import { splitBy } from "./split.js";

const CHAIN = `graph(%p_w: f32[2, 2], %x: f32[2, 2]) {
  %a: f32[2, 2] = aten.mm.default(%x, %p_w)
  %b: f32[2, 2] = aten.relu.default(%a)
  %c: f32[2, 2] = aten.mul.Tensor(%b, %a)
  return (%c)
}`;

describe("extract-submodule", () => {
  test("moves the chosen nodes into a nested graph", () => {
    const program = programOf(CHAIN);
    const result = run(extract, program, { nodes: ["a", "b"], name: "block" });
    expect(textOf(result)).toMatchInlineSnapshot(`
      "graph(%p_w: f32[2, 2], %x: f32[2, 2]) {
        %block_body = get_attr block
        %invoke_subgraph: (f32[2, 2], f32[2, 2]) = higher_order.invoke_subgraph(%block_body, "block", %x, %p_w)
        %a: f32[2, 2] = operator.getitem(%invoke_subgraph, 0)
        %b: f32[2, 2] = operator.getitem(%invoke_subgraph, 1)
        %c: f32[2, 2] = aten.mul.Tensor(%b, %a)
        return (%c)

        graph block(%x: f32[2, 2], %p_w: f32[2, 2]) {
          %a: f32[2, 2] = aten.mm.default(%x, %p_w)
          %b: f32[2, 2] = aten.relu.default(%a)
          return (%a, %b)
        }
      }"
    `);
    expect(verify(result, { operators: context.operators })).toEqual([]);
  });

  test("shares what comes before and after the nested graph with the version before", () => {
    const calls = Array.from(
      { length: 2000 },
      (_, i) => `%n${i}: f32[2] = aten.neg.default(%${i ? `n${i - 1}` : "x"})`,
    );
    const program = programOf(`graph(%x: f32[2]) {\n  ${calls.join("\n  ")}\n  return (%n1999)\n}`);
    const { region } = extractSubmodule(program, ({ name }) => /^n100[0-9]$/.test(name), context.operators);
    expect(region!.outputs).toEqual(["n1009"]);
    const after = run(extract, program, {
      nodes: Array.from({ length: 10 }, (_, i) => `n${1000 + i}`),
    }).graph;
    const changed = diffGraphs(program.graph, after).patches.filter(({ path }) => path[0] === "pages");
    expect(changed.map(({ path }) => path)).toEqual([["pages", 3]]);
  });

  test("by module path, submodules included", () => {
    const paths: Record<string, string> = { a: "layers.1.attn", b: "layers.1", c: "layers.10" };
    const plain = programOf(CHAIN);
    const graph = edit(plain.graph, (e) => {
      for (const [name, path] of Object.entries(paths)) {
        const { meta } = e.node(name);
        e.setMeta(name, {
          ...meta,
          nnModuleStack: [
            ["root", "", "m.Net"],
            ["k", path, "m.Block"],
          ],
        });
      }
    });
    const program = plain.with({ graph });
    const { region } = extractSubmodule(program, inModule("layers.1"), context.operators);
    expect(region!.graph.nodes().map(({ name }) => name)).toEqual(["x", "p_w", "a", "b", "output"]);
    expect(run(extract, program, { module: "layers.1" }).graph.subgraphs.size).toBe(1);
    expect(() => run(extract, program, { module: "layers.2" })).toThrowError(
      expect.objectContaining({
        code: "PASS_OPTION",
        fix: expect.stringContaining('did you mean "layers.1"'),
      }),
    );
  });

  test("gives the same program back when nothing is chosen", () => {
    const program = programOf(CHAIN);
    expect(run(extract, program)).toBe(program);
  });

  test("names the node that makes a selection not convex", () => {
    expect(() => run(extract, programOf(CHAIN), { nodes: ["a", "c"] })).toThrowError(
      expect.objectContaining({
        code: "NOT_CONVEX",
        message: 'the selected "c" needs "b", which is not selected and comes after other selected nodes',
        fix: 'select "b" as well, or extract fewer nodes',
      }),
    );
  });

  test("refuses unknown names and effects", () => {
    expect(() => run(extract, programOf(CHAIN), { nodes: ["zz"] })).toThrow(/nodes names zz,/);
    const random = programOf("graph(%x: f32[2]) { %r: f32[2] = aten.rand_like.default(%x) return (%r) }");
    expect(() => run(extract, random, { nodes: ["r"] })).toThrowError(
      expect.objectContaining({ code: "REGION_EFFECT" }),
    );
  });

  test("a region as a separate program keeps parameters what they are", () => {
    const program = programOf(CHAIN);
    const { region } = extractSubmodule(program, ({ name }) => name === "a", context.operators);
    const own = regionProgram(program, region!);
    expect(verify(own, { operators: context.operators })).toEqual([]);
    expect(own.graphSignature.inputSpecs.map(({ kind, target }) => [kind, target])).toEqual([
      ["USER_INPUT", null],
      ["PARAMETER", "w"],
    ]);
    expect([...own.stateDict.keys()]).toEqual(["w"]);
  });
});

describe("inline-submodule", () => {
  test("undoes it", () => {
    const program = programOf(CHAIN);
    const there = run(extract, program, { nodes: ["b"] });
    expect(textOf(run(inline, there))).toBe(textOf(program));
    expect(() => run(inline, there, { names: ["submodul_0"] })).toThrow(
      "names submodul_0, which is not a nested graph of the program",
    );
    expect(run(inline, program)).toBe(program);
  });

  test("names that are taken outside make way; results that only pass through are renamed", () => {
    const program = programOf(`graph(%x: f32[2]) {
      %b = get_attr body
      %t: f32[2] = aten.neg.default(%x)
      %call: (f32[2], f32[2]) = higher_order.invoke_subgraph(%b, "body", %t)
      %y: f32[2] = operator.getitem(%call, 0)
      %z: f32[2] = operator.getitem(%call, 1)
      return (%y, %z)
      graph body(%q: f32[2]) {
        %t: f32[2] = aten.exp.default(%q)
        %u: f32[2] = aten.sin.default(%t)
        return (%u, %q)
      }
    }`);
    const result = run(inline, program);
    expect(textOf(result)).toMatchInlineSnapshot(`
      "graph(%x: f32[2]) {
        %t: f32[2] = aten.neg.default(%x)
        %t_1: f32[2] = aten.exp.default(%t)
        %y: f32[2] = aten.sin.default(%t_1)
        return (%y, %t)
      }"
    `);
    expect(result.graphSignature.outputSpecs.map(({ arg }) => arg.name)).toEqual(["y", "t"]);
  });
});

describe("split-by", () => {
  test("cuts before the chosen nodes", () => {
    const result = run(split, programOf(CHAIN), { targets: ["aten.relu.default"] });
    expect(textOf(result)).toMatchInlineSnapshot(`
      "graph(%p_w: f32[2, 2], %x: f32[2, 2]) {
        %part_0_body = get_attr part_0
        %invoke_subgraph: (f32[2, 2]) = higher_order.invoke_subgraph(%part_0_body, "part_0", %x, %p_w)
        %a: f32[2, 2] = operator.getitem(%invoke_subgraph, 0)
        %part_1_body = get_attr part_1
        %invoke_subgraph_1: (f32[2, 2]) = higher_order.invoke_subgraph(%part_1_body, "part_1", %a)
        %c: f32[2, 2] = operator.getitem(%invoke_subgraph_1, 0)
        return (%c)

        graph part_0(%x: f32[2, 2], %p_w: f32[2, 2]) {
          %a: f32[2, 2] = aten.mm.default(%x, %p_w)
          return (%a)
        }

        graph part_1(%a: f32[2, 2]) {
          %b: f32[2, 2] = aten.relu.default(%a)
          %c: f32[2, 2] = aten.mul.Tensor(%b, %a)
          return (%c)
        }
      }"
    `);
    expect(verify(result, { operators: context.operators })).toEqual([]);
  });

  test("effects go along in their place, and dead code elimination keeps the parts that have some", () => {
    const program = programOf(`graph(%x: f32[2]) {
      %a: f32[2] = aten.neg.default(%x)
      %s = aten._assert_scalar.default(true, "no")
      %r: f32[2] = aten.relu.default(%a)
      return (%r)
    }`);
    const cut = run(split, program, { nodes: ["s", "r"] });
    const clean = run(deadCodeElimination, cut);
    expect(clean.graph.subgraphs.get("part_1")!.has("s")).toBe(true);
    expect(textOf(run(inline, clean))).toBe(textOf(program));
  });

  test("one part is the program itself", () => {
    const program = programOf(CHAIN);
    expect(run(split, program, { nodes: ["a"] })).toBe(program);
  });

  test("parts are programs that name what they take and give", () => {
    const { parts } = splitBy(programOf(CHAIN), ({ name }) => name === "b", context.operators);
    expect(parts.map(({ inputs, outputs }) => [inputs, outputs])).toEqual([
      [["x", "p_w"], ["a"]],
      [["a"], ["c"]],
    ]);
    for (const part of parts) expect(verify(part.program(), { operators: context.operators })).toEqual([]);
  });
});
