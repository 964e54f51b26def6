import type { FakeTensor } from "@sconce/ir";
import { describe, expect, test } from "vitest";
import { context, programOf, textOf } from "../programs.fixture.js";
import { explainRule } from "./explain.js";
import { type Expression, replacePattern } from "./replace-pattern.js";
import { rewriteProgram } from "./rewrite.js";
import { defineRule, type Rule } from "./rule.js";

const { operators } = context;
const apply = (text: string, ...rules: Rule[]): string =>
  textOf(rewriteProgram(programOf(text), rules, { operators }));
const graph = (inputs: string, body: readonly string[], outputs: string): string =>
  `graph(${inputs}) {\n${body.map((line) => `  ${line}\n`).join("")}  return (${outputs})\n}`;

describe("rules with several roots", () => {
  test("take both results of one call", () => {
    const both = defineRule({
      name: "max-of-neg",
      doc: "",
      match: {
        values: "operator.getitem(aten.max.dim(aten.neg.default($x), $dim), 0)",
        indices: "operator.getitem(aten.max.dim(aten.neg.default($x), $dim), 1)",
      },
      replace: (emit, { x, dim }) => {
        const [values, indices] = emit.many("aten.min.dim", [x, dim]) as [FakeTensor, FakeTensor];
        return { values: emit("aten.neg.default", [values]), indices };
      },
    });
    const body = ["%n: f32[2, 3] = aten.neg.default(%x)", "%m: (f32[2], i64[2]) = aten.max.dim(%n, 1)"];
    const [first, second] = ["%g: f32[2] = operator.getitem(%m, 0)", "%h: i64[2] = operator.getitem(%m, 1)"];
    const done = apply(graph("%x: f32[2, 3]", [...body, first, second], "%g, %h"), both);
    expect(done).toContain("aten.min.dim(%x, 1)");
    expect(done).not.toContain("aten.max.dim");
    // Whichever result comes first.
    expect(apply(graph("%x: f32[2, 3]", [...body, second, first], "%g, %h"), both)).not.toContain("max.dim");
    const one = graph("%x: f32[2, 3]", [...body, first], "%g");
    expect(apply(one, both)).toBe(one);
  });

  test("are found through calls between them and what they share", () => {
    const rule = defineRule({
      name: "far",
      doc: "",
      match: {
        a: "aten.relu.default($x)",
        b: "aten.neg.default(aten.abs.default(aten.sigmoid.default($x)))",
        c: "aten.sin.default(aten.sigmoid.default($x))",
      },
      replace: {
        a: "aten.neg.default($x)",
        b: "aten.cos.default($x)",
        c: "aten.tan.default($x)",
      },
    });
    const text = graph(
      "%x: f32[2], %y: f32[2]",
      [
        "%s: f32[2] = aten.sigmoid.default(%x)",
        "%b: f32[2] = aten.abs.default(%s)",
        "%o: f32[2] = aten.relu.default(%y)",
        "%n: f32[2] = aten.neg.default(%b)",
        "%r: f32[2] = aten.relu.default(%x)",
        "%i: f32[2] = aten.sin.default(%s)",
      ],
      "%o, %n, %r, %i",
    );
    expect(apply(text, rule)).toBe(
      graph(
        "%x: f32[2], %y: f32[2]",
        [
          "%o: f32[2] = aten.relu.default(%y)",
          "%neg: f32[2] = aten.neg.default(%x)",
          "%cos: f32[2] = aten.cos.default(%x)",
          "%tan: f32[2] = aten.tan.default(%x)",
        ],
        "%o, %cos, %neg, %tan",
      ),
    );
  });

  test("may name a node of one root in another, and in any order", () => {
    const match = {
      later: "aten.exp.default($s)",
      first: "aten.relu.default(aten.sigmoid.default($x) as $s)",
    };
    const rule = defineRule({
      name: "named",
      doc: "",
      match,
      replace: { later: "aten.cos.default($x)", first: "aten.sin.default($x)" },
    });
    const body = ["%s: f32[2] = aten.sigmoid.default(%x)", "%r: f32[2] = aten.relu.default(%s)"];
    const done = apply(graph("%x: f32[2]", [...body, "%e: f32[2] = aten.exp.default(%s)"], "%r, %e"), rule);
    expect(done).toContain("return (%sin, %cos)");
    const other = graph("%x: f32[2]", [...body, "%e: f32[2] = aten.exp.default(%x)"], "%r, %e");
    expect(apply(other, rule)).toBe(other);
  });

  test("fire when another rule brings the second root about", () => {
    const pair = defineRule({
      name: "pair",
      doc: "",
      match: { a: "aten.sin.default($x)", b: "aten.cos.default($x)" },
      replace: { a: "aten.tan.default($x)", b: "aten.tanh.default($x)" },
    });
    const cosOfNeg = defineRule({
      name: "cos-neg",
      doc: "",
      match: "aten.cos.default(aten.neg.default($x))",
      replace: "aten.cos.default($x)",
    });
    const text = graph(
      "%x: f32[2]",
      [
        "%s: f32[2] = aten.sin.default(%x)",
        "%n: f32[2] = aten.neg.default(%x)",
        "%c: f32[2] = aten.cos.default(%n)",
      ],
      "%s, %c",
    );
    expect(apply(text, pair, cosOfNeg)).toContain("return (%tan, %tanh)");
  });

  test("are left alone where the replacement would read what it replaces", () => {
    const rule = defineRule({
      name: "circular",
      doc: "",
      match: { a: "aten.relu.default($x) as $r", b: "aten.neg.default($r)" },
      replace: { a: "aten.abs.default($x)", b: "aten.sin.default($r)" },
    });
    const text = graph(
      "%x: f32[2]",
      ["%a: f32[2] = aten.relu.default(%x)", "%b: f32[2] = aten.neg.default(%a)"],
      "%a, %b",
    );
    expect(apply(text, rule)).toBe(text);
    expect(explainRule(programOf(text), rule, operators).map(({ reason }) => reason)).toContain(
      "the replacement reads %a, which it replaces",
    );
  });

  test.each<[string, object, string]>([
    [
      "nothing",
      { a: "aten.relu.default($x)", b: "aten.neg.default($y)" },
      'rule "r" has roots that share nothing: no capture or call leads from "a" to "b"',
    ],
    [
      "only some",
      {
        a: "aten.relu.default($x)",
        b: "aten.neg.default(1)",
        c: "aten.abs.default($x)",
        d: "aten.sin.default(_)",
      },
      'leads from "a" to "b" and "d"',
    ],
  ])("are refused when they share %s", (_, match, message) => {
    expect(() =>
      defineRule({ name: "r", doc: "", match: match as Record<string, string>, replace: () => "never" }),
    ).toThrowError(expect.objectContaining({ code: "RULE", message: expect.stringContaining(message) }));
  });

  test("are held to that as pairs of functions, and as plain objects, too", () => {
    expect(() =>
      replacePattern(
        (emit, x, y) => [emit("aten.relu.default", [x]), emit("aten.neg.default", [y])],
        (emit, x, y) => [emit("aten.abs.default", [x]), emit("aten.sin.default", [y])],
        { name: "separate" },
      ),
    ).toThrow(
      'rule "separate" has roots that share nothing: no capture or call leads from "result0" to "result1"',
    );
    const good = defineRule({
      name: "plain",
      doc: "",
      match: { a: "aten.relu.default($x)", b: "aten.neg.default($x)" },
      replace: () => "never",
    });
    const lone = defineRule({ name: "o", doc: "", match: "aten.sin.default($y)", replace: () => "never" });
    const bad = { ...good, roots: new Map([...good.roots, ["c", lone.roots.get("root")!]]) };
    expect(() => apply(graph("%x: f32[2]", [], "%x"), bad)).toThrow('leads from "a" to "c"');
  });
});

test("roots are connected by the items of a list", () => {
  const rule = defineRule({
    name: "shared-items",
    doc: "",
    match: {
      a: "aten.cat.default([$first, $others...], 0)",
      b: "aten.stack.default([$others..., $last], 0)",
    },
    replace: {
      a: "aten.view.default(aten.stack.default([$first, $others...], 0), [6])",
      b: "aten.view.default(aten.cat.default([$others..., $last], 0), [3, 2])",
    },
  });
  const text = (stacked: string): string =>
    graph(
      "%x: f32[2], %y: f32[2], %z: f32[2]",
      [
        "%c: f32[6] = aten.cat.default([%x, %y, %z], 0)",
        `%s: f32[3, 2] = aten.stack.default([${stacked}], 0)`,
      ],
      "%c, %s",
    );
  expect(apply(text("%y, %z, %x"), rule)).toContain("return (%view, %view_1)");
  expect(apply(text("%z, %y, %x"), rule)).toBe(text("%z, %y, %x"));
});

test("items of a list must be there where the first root is", () => {
  const rule = defineRule({
    name: "late-items",
    doc: "",
    match: { a: "aten.relu.default($x)", b: "aten.cat.default([$x, $others...], 0)" },
    replace: { a: "aten.abs.default($x)", b: "aten.hstack.default([$x, $others...])" },
  });
  const text = graph(
    "%x: f32[2], %y: f32[2]",
    [
      "%r: f32[2] = aten.relu.default(%x)",
      "%n: f32[2] = aten.neg.default(%y)",
      "%c: f32[4] = aten.cat.default([%x, %n], 0)",
    ],
    "%r, %c",
  );
  expect(apply(text, rule)).toBe(text);
  expect(explainRule(programOf(text), rule, operators).map(({ reason }) => reason)).toContain(
    "%n comes after the first of the values to replace",
  );
});

test("one node may be two calls of a pattern", () => {
  const square = defineRule({
    name: "square",
    doc: "",
    match: "aten.mul.Tensor(aten.sigmoid.default($x), aten.sigmoid.default($y))",
    replace: "aten.sigmoid.default(aten.add.Tensor($x, $y))",
  });
  const text = graph(
    "%x: f32[2]",
    ["%s: f32[2] = aten.sigmoid.default(%x)", "%m: f32[2] = aten.mul.Tensor(%s, %s)"],
    "%m",
  );
  expect(apply(text, square)).toContain("aten.add.Tensor(%x, %x)");
});

describe("what a rule does wrong is reported with plugin, rule and node", () => {
  const text = graph(
    "%x: f32[2]",
    ["%a: f32[2] = aten.relu.default(%x)", "%b: f32[2] = aten.neg.default(%x)"],
    "%a, %b",
  );
  const one = "aten.relu.default($x)";
  const two = { a: one, b: "aten.neg.default($x)" };
  const tensor = ({ x }: { readonly x: FakeTensor }) => x;
  test.each<[string, object, string]>([
    [
      "gives nothing",
      { match: one, replace: () => undefined },
      'gives undefined as value for its root "root"',
    ],
    ["gives null", { match: one, replace: () => null }, 'gives null as value for its root "root"'],
    [
      "gives a promise",
      { match: one, replace: async () => "no" },
      "gives a promise (rules are not asynchronous)",
    ],
    ["gives a function", { match: one, replace: () => () => 1 }, 'gives a function for its root "root"'],
    ["gives names for one root", { match: one, replace: () => ({ root: 1 }) }, "gives an object with root"],
    [
      "gives one of two",
      { match: two, replace: (_: unknown, c: never) => tensor(c) },
      "gives one tensor where",
    ],
    ["gives nothing for two", { match: two, replace: () => undefined }, 'with values for "a", "b"'],
    ["gives a list for two", { match: two, replace: () => [1, 2] }, "gives a list of 2 where it must give"],
    [
      "leaves a root out",
      { match: two, replace: () => ({ a: 1 }) },
      'gives undefined as value for its root "b"',
    ],
    [
      "gives a third",
      { match: two, replace: () => ({ a: 1, b: 1, c: 1 }) },
      'a value for "c", which is not one',
    ],
    [
      "has an asynchronous guard",
      { match: one, where: async () => true, replace: "$x" },
      "has a guard that gives a promise",
    ],
    [
      "takes items of a tensor",
      { match: one, replace: "aten.cat.default([$x...], 0)" },
      "takes the items of $x in its replacement, which is not a list here",
    ],
    [
      "asks for no node",
      { match: one, replace: (_: never, __: never, m: { node(n: string): void }) => m.node("q") },
      "names no node $q",
    ],
  ])("%s", (_, definition, message) => {
    const rule = defineRule({ name: "wrong", doc: "", ...definition } as never);
    const run = () => rewriteProgram(programOf(text), [rule], { operators, ownerOf: () => "evil" });
    expect(run).toThrowError(
      expect.objectContaining({ code: "RULE", where: "a", message: expect.stringContaining(message) }),
    );
    expect(run).toThrow(/^rule "wrong" of plugin "evil" .* \(at %a\)$/);
  });

  test("also by a pair of functions that disagree, and a pattern that no schema has", () => {
    const pair = (after: Expression): Rule =>
      replacePattern((emit, x) => emit("aten.relu.default", [x]), after, { name: "pair" });
    expect(() => pair((emit, x) => [emit("aten.abs.default", [x]), x!])).toThrow(
      'rule "pair" replaces 1 results by 2',
    );
    // How many results there are is known here at a match only.
    const rule = pair((_, x) => x!.shape.map(() => x!).concat(x!));
    const run = (own: Rule) => () =>
      rewriteProgram(programOf(text), [own], { operators, ownerOf: () => "evil" });
    expect(() => explainRule(programOf(text), rule, operators, () => "evil")).toThrow(
      'rule "pair" of plugin "evil" replaces 1 results by 2 (at %a)',
    );
    expect(run(rule)).toThrow('rule "pair" of plugin "evil" replaces 1 results by 2 (at %a)');
    const odd = defineRule({ name: "odd", doc: "", match: "aten.nope.default($x)", replace: "$x" });
    expect(run(odd)).toThrow(
      'rule "odd" of plugin "evil" matches aten.nope.default, which is not an operator',
    );
    expect(() =>
      defineRule({ name: "cut", doc: "", match: "aten.relu.default($x", replace: "$x" }),
    ).toThrowError(
      expect.objectContaining({ code: "PATTERN_SYNTAX", where: expect.stringMatching(/^rule "cut"/) }),
    );
    expect(() =>
      defineRule({ name: "more", doc: "", match: { a: one }, replace: { a: "$x", b: "$x" } as never }),
    ).toThrow('rule "more" gives a replacement for "b", which is not one of its roots');
  });
});
