/**
 * @file Passes and rules that are wrong, each in its own way: `bisect` names pass, rule and plugin.
 */
import { type ExportedProgram, edit, ref } from "@sconce/ir";
import { Tensor } from "@sconce/tensor";
import { describe, expect, test } from "vitest";
import { bisect } from "../bisect/bisect.js";
import { mapSubgraphs } from "../graphs/subgraphs.js";
import { repeat } from "../pass/pass.js";
import { graphOf, programOf } from "../programs.fixture.js";
import type { Rule } from "../rewrite/rule.js";
import {
  around,
  BRANCHES,
  back,
  doubleNegation,
  edited,
  INTS,
  idle,
  owned,
  type PlantedBug,
  pass,
  RELU,
  rule,
  rules,
  there,
  WEIGHTS,
  WRITES,
  WRITES_INPUT,
} from "./planted.fixture.js";

const wrongRule = (
  name: string,
  program: ExportedProgram,
  match: string,
  replace: string | Rule["replace"],
): PlantedBug => ({
  name,
  program,
  passes: [idle, rules("bad", doubleNegation, rule("wrong", match, replace))],
  kind: "numbers",
  rule: "wrong",
});

const plantedBugs: readonly PlantedBug[] = [
  wrongRule("another function", RELU, "aten.relu.default($x)", "aten.abs.default($x)"),
  wrongRule(
    "an upper bound is lost",
    around("aten.clamp.default($, 0, 6)"),
    "aten.clamp.default($x, 0, 6)",
    "aten.relu.default($x)",
  ),
  wrongRule(
    "the sign of remainders",
    around("aten.remainder.Scalar($, 3)", INTS),
    "aten.remainder.Scalar($x, $n)",
    "aten.fmod.Scalar($x, $n)",
  ),
  wrongRule(
    "x - x is not 0 for NaN and infinity",
    around("aten.sub.Tensor($, $)"),
    "aten.sub.Tensor($x, $x)",
    "aten.zeros_like.default($x)",
  ),
  wrongRule(
    "hardtanh is not relu",
    around("aten.hardtanh.default($, 0.0, 6.0)"),
    "aten.hardtanh.default($x, 0.0, 6.0)",
    "aten.relu.default($x)",
  ),
  wrongRule(
    "operands of a difference change places",
    around("aten.sub.Tensor($, 2)"),
    "aten.sub.Tensor($x, 2)",
    "aten.rsub.Scalar($x, 2)",
  ),
  wrongRule(
    "a literal is off by one",
    around("aten.add.Tensor($, 1)"),
    "aten.add.Tensor($x, 1)",
    "aten.add.Tensor($x, 2)",
  ),
  wrongRule(
    "alpha is forgotten",
    around("aten.add.Tensor($, $, alpha=2)"),
    "aten.add.Tensor($x, $y, alpha=2)",
    "aten.add.Tensor($x, $y)",
  ),
  wrongRule(
    "sqrt of a square drops the sign",
    programOf(`graph(%x: f32[6]) {
  %sq: f32[6] = aten.mul.Tensor(%x, %x)
  %v: f32[6] = aten.sqrt.default(%sq)
  %after: f32[6] = aten.exp.default(%v)
  return (%after)
}`),
    "aten.sqrt.default(aten.mul.Tensor($x, $x))",
    "aten.mul.Tensor($x, 1)",
  ),
  {
    name: "a call is retargeted by a pass without rules",
    program: RELU,
    passes: [
      idle,
      edited("bad", (e) => e.graph.has("v") && e.replaceNode("v", { target: "aten.tanh.default" })),
    ],
    kind: "numbers",
  },
  {
    name: "a result is another value",
    program: RELU,
    passes: [
      edited(
        "bad",
        (e) =>
          e.graph.has("after") && e.graph.has("before") && e.replaceNode("after", { args: [ref("before")] }),
      ),
    ],
    kind: "numbers",
  },
  {
    name: "a write to a buffer is dropped",
    program: WRITES,
    passes: [edited("bad", (e) => e.graph.has("add_") && e.remove("add_"))],
    kind: "numbers",
  },
  {
    name: "a write to an input is dropped",
    program: WRITES_INPUT,
    passes: [
      edited("bad", (e) => {
        if (!e.graph.has("mul_")) return;
        e.replaceNode("mul_", { target: "aten.mul.Tensor" });
        if (e.graph.has("sin")) e.replaceNode("sin", { args: [ref("mul_")] });
      }),
    ],
    kind: "numbers",
  },
  {
    name: "a rule is wrong in a branch",
    program: BRANCHES,
    passes: [
      rules("bad", doubleNegation, rule("wrong", "aten.tanh.default($x)", "aten.sigmoid.default($x)")),
    ],
    kind: "numbers",
    rule: "wrong",
    graph: "no",
  },
  {
    name: "a pass changes a branch",
    program: BRANCHES,
    passes: [
      pass("bad", (p) =>
        p.with({
          graph: mapSubgraphs(p.graph, (inner) =>
            edit(inner, (e) => inner.has("relu") && e.replaceNode("relu", { target: "aten.abs.default" })),
          ),
        }),
      ),
    ],
    kind: "numbers",
  },
  {
    name: "a weight is replaced by another",
    program: WEIGHTS,
    passes: [
      pass("bad", (p) =>
        p.stateDict.has("w") ? p.with({ stateDict: new Map([["w", Tensor.empty([2, 2], "float32")]]) }) : p,
      ),
    ],
    kind: "numbers",
  },
  {
    name: "the values of a weight are written over",
    program: WEIGHTS,
    passes: [
      pass("bad", (p) => {
        p.stateDict.get("w")?.storage.bytes.fill(0);
        return p;
      }),
    ],
    kind: "written",
  },
  {
    name: "a result of another dtype",
    program: RELU,
    passes: [
      edited("bad", (e) => {
        if (!e.graph.has("v")) return;
        e.replaceNode("v", {
          target: "aten._to_copy.default",
          kwargs: { dtype: { kind: "dtype", value: "float64" } as never },
        });
      }),
    ],
    kind: "invalid",
  },
  {
    name: "an operator that does not exist",
    program: RELU,
    passes: [edited("bad", (e) => e.graph.has("v") && e.replaceNode("v", { target: "aten.relu.nothing" }))],
    kind: "invalid",
  },
  {
    name: "metadata is lost",
    program: RELU,
    passes: [edited("bad", (e) => e.graph.has("v") && e.setMeta("v", {}))],
    kind: "invalid",
  },
  {
    name: "an input is renamed",
    program: RELU,
    passes: [
      pass("bad", (p) =>
        p.graph.has("v")
          ? programOf("graph(%z: f32[6]) { %v: f32[6] = aten.relu.default(%z) return (%v) }")
          : p,
      ),
    ],
    kind: "invalid",
  },
  {
    name: "a promise that is not kept",
    program: RELU,
    passes: [pass("bad", (p) => (p.graph.has("v") ? p.with({ dialect: "MINE" }) : p), { ensures: "ATEN" })],
    kind: "invalid",
  },
  {
    name: "a pass throws",
    program: RELU,
    passes: [
      pass("bad", (p) => {
        if (p.opHistogram().has("aten.relu.default")) throw new RangeError("no relu");
        return p;
      }),
    ],
    kind: "error",
  },
  {
    name: "a pass returns nothing",
    program: RELU,
    passes: [pass("bad", () => undefined as never)],
    kind: "error",
  },
  {
    name: "a pass returns a promise",
    program: RELU,
    passes: [pass("bad", (p) => Promise.resolve(p) as never)],
    kind: "error",
  },
  {
    name: "a rule throws",
    program: RELU,
    passes: [
      rules(
        "bad",
        doubleNegation,
        rule("wrong", "aten.relu.default($x)", () => {
          throw new TypeError("boo");
        }),
      ),
    ],
    kind: "error",
    rule: "wrong",
  },
  {
    name: "a rule gives nothing",
    program: RELU,
    passes: [
      rules(
        "bad",
        doubleNegation,
        rule("wrong", "aten.relu.default($x)", () => undefined as never),
      ),
    ],
    kind: "error",
    rule: "wrong",
  },
  {
    name: "a guard forgets to answer",
    program: RELU,
    passes: [
      rules(
        "bad",
        rule("wrong", "aten.relu.default($x)", "aten.clamp_min.default($x, 0)", { where: () => undefined }),
      ),
    ],
    kind: "error",
  },
  {
    name: "rules undo each other",
    program: RELU,
    passes: [rules("bad", doubleNegation, there, back)],
    kind: "diverges",
    rule: "there",
  },
  {
    name: "a rule feeds itself",
    program: RELU,
    passes: [
      rules("bad", rule("wrong", "aten.relu.default($x)", "aten.relu.default(aten.relu.default($x))")),
    ],
    kind: "diverges",
    rule: "wrong",
  },
  {
    name: "passes of a repetition undo each other",
    program: RELU,
    passes: [repeat([idle, rules("bad", there), rules("other", back)])],
    kind: "diverges",
    rule: "there",
  },
  {
    name: "a repetition gets another object each time",
    program: RELU,
    passes: [repeat([pass("bad", (p) => p.with({ graph: graphOf(p.graph.nodes(), p.graph.subgraphs) }))])],
    kind: "diverges",
  },
];

describe("what is wrong is attributed to its pass, rule and plugin, and shrunk", () => {
  test.each(plantedBugs)("$name", ({ program, passes, kind, pass = "bad", rule, graph }) => {
    const { culprit } = bisect(program, passes, owned);
    expect(culprit).toMatchObject({ kind, pass, plugin: "mine" });
    if (rule !== undefined) expect(culprit!.rewrite).toMatchObject({ rule, plugin: "mine" });
    if (graph !== undefined) expect(culprit!.rewrite).toMatchObject({ graph });
    expect(culprit!.reproducer.program.graph.size).toBeLessThanOrEqual(program.graph.size);
    expect(culprit!.error.message).toContain(`"${pass}" of plugin "mine"`);
  });
});
