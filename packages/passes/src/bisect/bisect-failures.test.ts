import { type ExportedProgram, edit, type Graph } from "@sconce/ir";
import { printIr } from "@sconce/ir/text";
import { describe, expect, test } from "vitest";
import { rulePass } from "../builtin/rule-pass.js";
import { mapSubgraphs } from "../graphs/subgraphs.js";
import { definePass, type Pass, type PassContext, repeat } from "../pass/pass.js";
import { context, graphOf, programOf } from "../programs.fixture.js";
import { defineRule, type Rule } from "../rewrite/rule.js";
import { bisect, type Culprit } from "./bisect.js";

const owned: PassContext = { ...context, ownerOf: () => "mine" };
const rule = (name: string, match: string, replace: string | Rule["replace"]): Rule =>
  defineRule({ name, doc: "-", match, replace: replace as string });
const passOf = (name: string, run: Pass["run"]): Pass => definePass({ name, doc: "-", run });

function culpritOf(program: ExportedProgram, passes: Parameters<typeof bisect>[1]): Culprit {
  const { culprit } = bisect(program, passes, owned);
  expect(culprit).toBeDefined();
  return culprit!;
}
const reproducedGraph = ({ reproducer }: Culprit): string => printIr(reproducer.program.graph).trim();

const COND = programOf(`graph(%p: b8[], %x: f32[3]) {
  %exp: f32[3] = aten.exp.default(%x)
  %true_graph_0 = get_attr true_graph_0
  %false_graph_0 = get_attr false_graph_0
  %cond: (f32[3]) = higher_order.cond(%p, %true_graph_0, %false_graph_0, (%exp))
  %getitem: f32[3] = operator.getitem(%cond, 0)
  return (%getitem)
  graph true_graph_0(%a: f32[3]) {
    %sin: f32[3] = aten.sin.default(%a)
    %neg: f32[3] = aten.neg.default(%sin)
    %relu: f32[3] = aten.relu.default(%neg)
    %cos: f32[3] = aten.cos.default(%relu)
    return (%cos)
  }
  graph false_graph_0(%a: f32[3]) {
    %tan: f32[3] = aten.tan.default(%a)
    return (%tan)
  }
}`);

describe("failures inside of nested graphs", () => {
  test("a wrong rewrite names the branch, and the branch becomes the program", () => {
    const rules = rulePass({
      name: "rules",
      doc: "-",
      rules: [
        rule("right", "aten.tan.default($x)", "aten.div.Tensor(aten.sin.default($x), aten.cos.default($x))"),
        rule("wrong", "aten.relu.default($x)", "aten.abs.default($x)"),
      ],
    });
    const culprit = culpritOf(COND, [rules]);
    expect(culprit).toMatchObject({ pass: "rules", plugin: "mine", kind: "numbers", graph: "true_graph_0" });
    expect(culprit.rewrite).toMatchObject({
      rule: "wrong",
      plugin: "mine",
      node: "relu",
      graph: "true_graph_0",
    });
    expect(reproducedGraph(culprit)).toBe(`graph(%neg: f32[3]) {
  %relu: f32[3] = aten.relu.default(%neg)
  return (%relu)
}`);
  });

  test("a pass that throws because of a branch", () => {
    const pass = passOf("no-tan", (p) => {
      const visit = (graph: Graph): void => {
        if (graph.nodes().some(({ target }) => target === "aten.tan.default")) throw new TypeError("no tan");
        for (const inner of graph.subgraphs.values()) visit(inner);
      };
      visit(p.graph);
      return p;
    });
    const culprit = culpritOf(COND, [pass]);
    expect([culprit.kind, culprit.graph]).toEqual(["error", "false_graph_0"]);
    expect(reproducedGraph(culprit)).toContain("aten.tan.default");
    expect(culprit.reproducer.program.graph.size).toBe(3);
  });

  test("a pass that only fails at the call of the branches: these are made small in their place", () => {
    const pass = passOf("only-cond", (p) => {
      if (p.graph.find("cond") === undefined) return p;
      const graph = mapSubgraphs(p.graph, (inner) =>
        edit(inner, (e) => {
          if (inner.find("relu") !== undefined) e.replaceNode("relu", { target: "aten.abs.default" });
        }),
      );
      return p.with({ graph });
    });
    const culprit = culpritOf(COND, [pass]);
    expect([culprit.kind, culprit.graph]).toEqual(["numbers", ""]);
    const inner = culprit.reproducer.program.graph.subgraphs.get("true_graph_0")!;
    expect(inner.nodes().map(({ name }) => name)).toEqual(["a", "relu", "output"]);
  });
});

describe("what never converges is a failure of its own kind", () => {
  const program = programOf(`graph(%x: f32[2]) {
  %sin: f32[2] = aten.sin.default(%x)
  %relu: f32[2] = aten.relu.default(%sin)
  %cos: f32[2] = aten.cos.default(%relu)
  return (%cos)
}`);
  const there = rule("there", "aten.relu.default($x)", "aten.clamp_min.default($x, 0)");
  const back = rule("back", "aten.clamp_min.default($x, 0)", "aten.relu.default($x)");

  test("rules of one pass: the first rewrite of the cycle", () => {
    const culprit = culpritOf(program, [rulePass({ name: "rules", doc: "-", rules: [there, back] })]);
    expect(culprit).toMatchObject({
      kind: "diverges",
      pass: "rules",
      plugin: "mine",
      rewrite: { rule: "there", plugin: "mine", node: "relu", graph: "", number: 1 },
    });
    expect(reproducedGraph(culprit)).toBe(`graph(%sin: f32[2]) {
  %relu: f32[2] = aten.relu.default(%sin)
  return ()
}`);
  });

  test("passes of a repetition: only those that it takes, and the rewrite that is undone", () => {
    const idle = passOf("idle", (p) => p);
    const culprit = culpritOf(program, [
      idle,
      repeat([
        idle,
        rulePass({ name: "there", doc: "-", rules: [there] }),
        idle,
        rulePass({ name: "back", doc: "-", rules: [back] }),
      ]),
    ]);
    expect(culprit).toMatchObject({
      kind: "diverges",
      pass: "there",
      plugin: "mine",
      call: "repeat(there,back)",
      rewrite: { rule: "there", node: "relu" },
    });
    expect(culprit.reproducer.program.graph.size).toBe(3);
  });

  test("a pass that never gives the same object back", () => {
    const other = passOf("other", (p) => p.with({ graph: graphOf(p.graph.nodes(), p.graph.subgraphs) }));
    const culprit = culpritOf(program, [repeat([other])]);
    expect(culprit).toMatchObject({ kind: "diverges", pass: "other", plugin: "mine", rewrite: undefined });
    expect(culprit.error.message).toContain("gives another object for the same program");
  });
});

test("rewrites that the driver refused are reported with the step", () => {
  const program = programOf("graph(%x: f32[2]) { %a: f32[2] = aten.mul.Tensor(%x, 1) return (%a) }");
  const same = passOf("same", (p) => p);
  const one = rulePass({ name: "one", doc: "-", rules: [rule("times-one", "aten.mul.Tensor($x, 1)", "$x")] });
  const { culprit, refused } = bisect(program, [same, one], owned);
  expect(culprit).toBeUndefined();
  expect(refused).toEqual([
    {
      pass: "one",
      step: 1,
      rule: "times-one",
      plugin: "mine",
      node: "a",
      graph: "",
      kind: "aliasing",
      reason: "an output would be the input %x itself",
    },
  ]);
});
