import type { ExportedProgram } from "@sconce/ir";
import { describe, expect, test } from "vitest";
import { context, programOf, textOf } from "../programs.fixture.js";
import { RewriteDiverges } from "./divergence-errors.js";
import { rewriteProgram } from "./rewrite.js";
import { defineRule, type Rule } from "./rule.js";

const { operators } = context;
const rule = (name: string, match: string, replace: string | Rule["replace"]): Rule =>
  defineRule({ name, doc: "-", match, replace: replace as string });
const ownerOf = (): string => "evil";

function failure(text: string, rules: readonly Rule[]): { error: RewriteDiverges; fired: number } {
  let fired = 0;
  try {
    rewriteProgram(programOf(text), rules, { operators, ownerOf, fired: () => void fired++ });
  } catch (error) {
    expect(error).toBeInstanceOf(RewriteDiverges);
    return { error: error as RewriteDiverges, fired };
  }
  throw new Error("the rules converged");
}

const chain = (target: string, length: number, more = ""): ExportedProgram => {
  const lines = Array.from(
    { length },
    (_, i) => `%n${i}: f32[2] = ${target}(${i === 0 ? "%x" : `%n${i - 1}`}${more})`,
  );
  return programOf(`graph(%x: f32[2]) { ${lines.join("\n")} return (%n${length - 1}) }`);
};

const RELU = "graph(%x: f32[2]) { %a: f32[2] = aten.relu.default(%x) return (%a) }";
const there = rule("relu-to-clamp", "aten.relu.default($x)", "aten.clamp_min.default($x, 0)");
const back = rule("clamp-to-relu", "aten.clamp_min.default($x, 0)", "aten.relu.default($x)");
const grow = rule("grow", "aten.relu.default($x)", "aten.relu.default(aten.relu.default($x))");

describe("rules that never converge stop early", () => {
  test("two that undo each other, with the first wrong rewrite and both plugins", () => {
    const { error, fired } = failure(RELU, [there, back]);
    expect(error.message).toBe(
      'rule "relu-to-clamp" of plugin "evil" and rule "clamp-to-relu" of plugin "evil" undo each other at %a: ' +
        "aten.relu.default(%x) is back after 2 rewrites",
    );
    expect(error.cycle).toEqual([
      { rule: "relu-to-clamp", plugin: "evil", node: "a", number: 1 },
      { rule: "clamp-to-relu", plugin: "evil", node: "clamp_min", number: 2 },
    ]);
    expect([error.where, fired <= 5]).toEqual(["a", true]);
  });

  test("one that feeds itself with symbolic sizes that grow, before their expressions do", () => {
    const text = "graph(%x: f32[s0, 4]) { %m: f32[4] = aten.sum.dim_IntList(%x, [0]) return (%m) }";
    const halves = rule("halves", "aten.sum.dim_IntList($x, [0])", (emit, { x }) => {
      const even = emit("aten.slice.Tensor", [x, 0, 0, 2 ** 53 - 1, 2]);
      const rows = emit("aten.sum.dim_IntList", [emit("aten.ones_like.default", [even]), [0]]);
      return emit("aten.mul.Tensor", [emit("aten.mean.dim", [x, [0]]), emit("aten.mul.Tensor", [rows, 2])]);
    });
    const { error, fired } = failure(text, [halves]);
    expect([error.where, error.cycle.map((step) => step.rule), fired < 20]).toEqual(["m", ["halves"], true]);
  });

  test("a right rule before the cycle is not part of it", () => {
    const first = rule("hardtanh", "aten.hardtanh.default($x, 0, 6)", "aten.relu.default($x)");
    const text = "graph(%x: f32[2]) { %h: f32[2] = aten.hardtanh.default(%x, 0, 6) return (%h) }";
    const { error } = failure(text, [first, there, back]);
    expect([error.where, error.cycle.map((step) => `${step.number} ${step.rule}`)]).toEqual([
      "h",
      ["2 relu-to-clamp", "3 clamp-to-relu"],
    ]);
  });

  test.each<[string, string, readonly Rule[], number]>([
    ["a replacement that has the match in it", RELU, [grow], 40],
    [
      "operands that change places",
      "graph(%x: f32[2], %y: f32[2]) { %a: f32[2] = aten.sub.Tensor(%x, %y) return (%a) }",
      [rule("swap", "aten.sub.Tensor($x, $y)", "aten.sub.Tensor($y, $x)")],
      5,
    ],
    [
      "an operand that grows",
      "graph(%x: f32[2]) { %a: f32[2] = aten.exp.default(%x) return (%a) }",
      [rule("times-one", "aten.exp.default($x)", "aten.exp.default(aten.mul.Tensor($x, 1))")],
      20,
    ],
    [
      "a literal that counts up",
      "graph(%x: f32[2]) { %a: f32[2] = aten.add.Tensor(%x, 1) return (%a) }",
      [
        rule("count", "aten.add.Tensor($x, $n)", (emit, { x, n }) =>
          emit("aten.add.Tensor", [x, Number(n) + 1]),
        ),
      ],
      300,
    ],
    [
      "three in a circle, one of which takes calls away",
      RELU,
      [
        rule("wrap", "aten.relu.default($x)", "aten.relu.default(aten.neg.default(aten.neg.default($x)))"),
        rule("unwrap", "aten.neg.default(aten.neg.default($x))", "$x"),
      ],
      12,
    ],
  ])("%s", (_, text, rules, most) => {
    const { error, fired } = failure(text, rules);
    expect(error.cycle.length).toBeGreaterThan(0);
    expect(rules.map(({ name }) => name)).toEqual(
      expect.arrayContaining(error.cycle.map((step) => step.rule)),
    );
    expect(error.cycle[0]!.plugin).toBe("evil");
    expect(fired).toBeLessThanOrEqual(most);
  });

  test("in a large graph too, and in a nested one, whose name is reported", () => {
    const large = chain("aten.relu.default", 2000);
    let fired = 0;
    const run = (): unknown => rewriteProgram(large, [there, back], { operators, fired: () => void fired++ });
    expect(run).toThrow(/undo each other/);
    expect(fired).toBeLessThan(12_000);
    const nested = programOf(`graph(%x: f32[2]) {
  %body = get_attr body
  %wrap: (f32[2]) = higher_order.wrap(%body, %x)
  %getitem: f32[2] = operator.getitem(%wrap, 0)
  return (%getitem)
  graph body(%y: f32[2]) { %a: f32[2] = aten.relu.default(%y) return (%a) }
}`);
    const inner = (): unknown => rewriteProgram(nested, [there, back], { operators });
    expect(inner).toThrow(expect.objectContaining({ graph: "body", where: "a" }));
    expect(inner).toThrow(/undo each other at %a of body/);
  });
});

describe("rules that converge are left alone", () => {
  test("a long chain that folds into one call", () => {
    const fold = rule("fold", "aten.add.Tensor(aten.add.Tensor($x, $a), $b)", (emit, { x, a, b }) =>
      emit("aten.add.Tensor", [x, Number(a) + Number(b)]),
    );
    const done = rewriteProgram(chain("aten.add.Tensor", 1000, ", 1"), [fold], { operators });
    expect(textOf(done)).toContain("aten.add.Tensor(%x, 1000)");
  });

  test("a rule that counts down on what it made", () => {
    const unroll = rule("unroll", "aten.pow.Tensor_Scalar($x, $n)", (emit, { x, n }) =>
      Number(n) === 2
        ? emit("aten.mul.Tensor", [x, x])
        : emit("aten.mul.Tensor", [x, emit("aten.pow.Tensor_Scalar", [x, Number(n) - 1])]),
    );
    const text = "graph(%x: f32[2]) { %a: f32[2] = aten.pow.Tensor_Scalar(%x, 100) return (%a) }";
    const done = rewriteProgram(programOf(text), [unroll], { operators });
    expect(done.opHistogram()).toEqual(new Map([["aten.mul.Tensor", 99]]));
  });

  test("a call that moves past all others", () => {
    const sink = rule(
      "sink",
      "aten.relu.default(aten.neg.default($x))",
      "aten.neg.default(aten.relu.default($x))",
    );
    const lines = Array.from(
      { length: 500 },
      (_, i) => `%r${i}: f32[2] = aten.relu.default(%${i === 0 ? "n" : `r${i - 1}`})`,
    );
    const program = programOf(
      `graph(%x: f32[2]) { %n: f32[2] = aten.neg.default(%x) ${lines.join("\n")} return (%r499) }`,
    );
    const done = rewriteProgram(program, [sink], { operators });
    expect(done.graph.nodes().at(-2)?.target).toBe("aten.neg.default");
  });
});
