import type { Backend } from "@sconce/ir";
import { topologyOf } from "@sconce/ir/topology";
import { verify } from "@sconce/ir/verify";
import { describe, expect, test } from "vitest";
import { context, programOf, textOf } from "../programs.fixture.js";
import { inlineSubmodule } from "./inline.js";
import { partition } from "./partition.js";

/** Takes the operators that it names. */
const backendOf = (...targets: string[]): Backend => ({
  name: "toy",
  supports: ({ target }) => targets.includes(target) || { reason: `toy has no ${target}` },
  compile: () => Promise.reject(new Error("not needed")),
});
const toy = backendOf("aten.add.Tensor", "aten.mul.Tensor", "aten.split.Tensor");
const graphOf = (body: string): string => `graph(%x: f32[2], %y: f32[2]) {\n${body}\n}`;
const regionsOf = (body: string, options = {}): string[][] =>
  partition(programOf(graphOf(body)), toy, context.operators, options).regions.map(({ graph }) =>
    graph
      .nodes()
      .filter((node) => node.op === "call_function")
      .map((node) => node.name),
  );

function randomNumbers(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

function randomGraph(random: (below: number) => number, size: number): string {
  const names = ["x", "y"];
  const lines = Array.from({ length: size }, (_, i) => {
    const [a, b] = [names[random(names.length)]!, names[random(names.length)]!];
    const target = random(2) === 0 ? "aten.add.Tensor" : "aten.maximum.default";
    names.push(`n${i}`);
    return `%n${i}: f32[2] = ${target}(%${a}, %${b})`;
  });
  return graphOf(`${lines.join("\n")}\nreturn (${names.map((name) => `%${name}`).join(", ")})`);
}

describe("partition", () => {
  test("leaves what it made alone", () => {
    const all: Backend = { ...toy, supports: () => true };
    const program = programOf(graphOf("%a: f32[2] = aten.add.Tensor(%x, %y)\nreturn (%a)"));
    const once = partition(program, all, context.operators).program;
    expect(once).not.toBe(program);
    expect(partition(once, all, context.operators).program).toBe(once);
  });

  test("makes nested graphs of what the backend supports", () => {
    const program = programOf(
      graphOf(`
      %a: f32[2] = aten.add.Tensor(%x, %y)
      %b: f32[2] = aten.mul.Tensor(%a, %a)
      %c: f32[2] = aten.relu.default(%b)
      %d: f32[2] = aten.add.Tensor(%c, %a)
      return (%d)`),
    );
    const result = partition(program, toy, context.operators);
    expect(textOf(result.program)).toMatchInlineSnapshot(`
      "graph(%x: f32[2], %y: f32[2]) {
        %toy_0_body = get_attr toy_0
        %invoke_subgraph: (f32[2], f32[2]) = higher_order.invoke_subgraph(%toy_0_body, "toy_0", %x, %y)
        %a: f32[2] = operator.getitem(%invoke_subgraph, 0)
        %b: f32[2] = operator.getitem(%invoke_subgraph, 1)
        %c: f32[2] = aten.relu.default(%b)
        %toy_1_body = get_attr toy_1
        %invoke_subgraph_1: (f32[2]) = higher_order.invoke_subgraph(%toy_1_body, "toy_1", %c, %a)
        %d: f32[2] = operator.getitem(%invoke_subgraph_1, 0)
        return (%d)

        graph toy_0(%x: f32[2], %y: f32[2]) {
          %a: f32[2] = aten.add.Tensor(%x, %y)
          %b: f32[2] = aten.mul.Tensor(%a, %a)
          return (%a, %b)
        }

        graph toy_1(%c: f32[2], %a: f32[2]) {
          %d: f32[2] = aten.add.Tensor(%c, %a)
          return (%d)
        }
      }"
    `);
    expect(result.left).toEqual([
      { node: "c", target: "aten.relu.default", reason: "toy has no aten.relu.default" },
    ]);
    expect(
      inlineSubmodule(result.program)
        .graph.nodes()
        .map(({ name, args }) => [name, args]),
    ).toEqual(program.graph.nodes().map(({ name, args }) => [name, args]));
  });

  test("nodes between which a path leaves never share a region; all others do", () => {
    expect(
      regionsOf(`
      %a: f32[2] = aten.add.Tensor(%x, %y)
      %r: f32[2] = aten.relu.default(%a)
      %b: f32[2] = aten.mul.Tensor(%r, %a)
      %c: f32[2] = aten.mul.Tensor(%a, %y)
      %d: f32[2] = aten.add.Tensor(%y, %y)
      return (%b, %c, %d)`),
    ).toEqual([["a", "c", "d"], ["b"]]);
  });

  test("results of one call stay with it", () => {
    expect(
      regionsOf(`
      %s: (f32[1], f32[1]) = aten.split.Tensor(%x, 1)
      %g: f32[1] = operator.getitem(%s, 0)
      %h: f32[1] = operator.getitem(%s, 1)
      %r: f32[1] = aten.relu.default(%g)
      %a: f32[1] = aten.add.Tensor(%r, %h)
      return (%a)`),
    ).toEqual([["s", "g", "h"], ["a"]]);
  });

  test("effects and random numbers stay outside and in order", () => {
    const random = backendOf("aten.rand_like.default", "aten.add.Tensor");
    const program = programOf(
      graphOf(`
      %r: f32[2] = aten.rand_like.default(%x)
      %a: f32[2] = aten.add.Tensor(%r, %x)
      %q: f32[2] = aten.rand_like.default(%a)
      %s: f32[2] = aten.rand_like.default(%y)
      %b: f32[2] = aten.add.Tensor(%q, %s)
      return (%b)`),
    );
    const result = partition(program, random, context.operators);
    const calls = result.program.graph.nodes().map((node) => node.name);
    expect(calls.filter((name) => ["r", "q", "s"].includes(name))).toEqual(["r", "q", "s"]);
    expect(result.left.map(({ reason }) => reason)).toEqual(
      new Array(3).fill("it draws random numbers or has an effect, so it must run in program order"),
    );
  });

  test("asks for what lies in bodies, and takes bodies along", () => {
    const withBody = backendOf("higher_order.wrap_with_set_grad_enabled", "aten.add.Tensor");
    const text = (inner: string): string => `graph(%x: f32[2]) {
      %body = get_attr body
      %w: (f32[2]) = higher_order.wrap_with_set_grad_enabled(false, %body, %x)
      %a: f32[2] = operator.getitem(%w, 0)
      return (%a)
      graph body(%z: f32[2]) { %i: f32[2] = ${inner} return (%i,) }
    }`;
    const taken = partition(programOf(text("aten.add.Tensor(%z, %z)")), withBody, context.operators);
    expect([...taken.program.graph.subgraphs.keys()]).toEqual(["toy_0"]);
    expect([...taken.regions[0]!.graph.subgraphs.keys()]).toEqual(["body"]);
    const refused = partition(programOf(text("aten.relu.default(%z)")), withBody, context.operators);
    expect(refused.left[0]!.reason).toBe('"i" in "body": toy has no aten.relu.default');
  });

  test("min-size leaves small regions, and says so", () => {
    const body = "%a: f32[2] = aten.add.Tensor(%x, %y)\nreturn (%a)";
    const program = programOf(graphOf(body));
    expect(regionsOf(body, { minSize: 1 })).toEqual([["a"]]);
    const result = partition(program, toy, context.operators, { minSize: 2 });
    expect(result.program).toBe(program);
    expect(result.left[0]!.reason).toBe("its region has 1 call, fewer than 2");
  });

  test("regions are convex, and no two could be one, in random graphs", () => {
    const random = randomNumbers(7);
    for (let round = 0; round < 150; round++) {
      const program = programOf(randomGraph(random, 14));
      const { regions, program: result } = partition(program, toy, context.operators);
      expect(verify(result, { operators: context.operators })).toEqual([]);
      const topology = topologyOf(program.graph);
      const members = regions.map(({ graph }) =>
        graph.nodes().flatMap(({ op, name }) => (op === "call_function" ? [name] : [])),
      );
      members.forEach((own, i) => {
        expect(topology.isConvex(own)).toBe(true);
        for (const other of members.slice(i + 1)) expect(topology.isConvex([...own, ...other])).toBe(false);
      });
      expect(textOf(inlineSubmodule(result)).split("\n").sort()).toEqual(textOf(program).split("\n").sort());
    }
  });

  test("refuses programs that write", () => {
    const program = programOf(graphOf("%a: f32[2] = aten.add_.Tensor(%x, 1)\nreturn (%a)"), "TRAINING");
    expect(() => partition(program, toy, context.operators)).toThrow(/partition needs a functional program/);
  });
});
