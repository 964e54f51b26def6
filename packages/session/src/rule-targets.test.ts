import { ATEN } from "@sconce/ir";
import { defaultOperators, defineOp } from "@sconce/ops";
import { builtinRules, checkRuleTargets, defineRule, type Plugin, replacePattern } from "@sconce/passes";
import { describe, expect, test } from "vitest";
import { createSconce } from "./index.js";

const twice = defineOp({ schema: "mylib::twice(Tensor x) -> Tensor", meta: ({ x }) => x });
const open = (match: string, replace = "$x", more: Partial<Plugin> = {}) =>
  createSconce({
    plugins: [
      { name: "p", ops: [twice], rules: [defineRule({ name: "r", doc: "", match, replace })], ...more },
    ],
  });

describe("a session refuses rules of plugins that name what nothing defines", () => {
  test.each<[string, string, string, string]>([
    ["aten.reluu.default($x)", "$x", "matches aten.reluu.default", 'did you mean "aten.relu.default"'],
    ["aten.relu($x)", "$x", "matches aten.relu", 'did you mean "aten.relu.default"'],
    ["aten.neg.default(aten.reul.default($x))", "$x", "matches aten.reul.default", '"aten.relu.default"'],
    ["aten.cat.default([aten.nge.default($x), $y])", "$x", "matches aten.nge.default", '"aten.neg.default"'],
    ["aten.relu.default|aten.gelo.default($x)", "$x", "matches aten.gelo.default", '"aten.gelu.default"'],
    ["mylib.twcie.default($x)", "$x", "matches mylib.twcie.default", 'did you mean "mylib.twice.default"'],
    ["operator.getitm($x, 0)", "$x", "matches operator.getitm", "write overloads out"],
    ["higher_order.condd($x)", "$x", "matches higher_order.condd", "write overloads out"],
    [
      "aten.relu.default($x)",
      "aten.sigmod.default($x)",
      "emits aten.sigmod.default",
      '"aten.sigmoid.default"',
    ],
    [
      "aten.relu.default($x)",
      "mylib.twise.default($x)",
      "emits mylib.twise.default",
      '"mylib.twice.default"',
    ],
  ])("%s -> %s", (match, replace, message, fix) => {
    expect(() => open(match, replace)).toThrow(
      expect.objectContaining({
        code: "RULE",
        message: expect.stringContaining(`rule "r" of plugin "p" ${message}, which is not an operator`),
        fix: expect.stringContaining(fix),
      }),
    );
  });

  test("also where functions say what is matched and emitted", () => {
    const rules = (from: string, to: string) => [
      replacePattern(
        (emit, x) => emit(from, [x]),
        (emit, x) => emit(to, [x]),
      ),
    ];
    const session = (from: string, to: string) =>
      createSconce({ plugins: [{ name: "p", rules: rules(from, to) }] });
    expect(() => session("aten.reluu.default", "aten.neg.default")).toThrow("matches aten.reluu.default");
    expect(() => session("aten.relu.default", "aten.nege.default")).toThrow("emits aten.nege.default");
    expect(session("aten.relu.default", "aten.neg.default").rules.size).toBeGreaterThan(0);
  });

  test("a plain object whose patterns are none", () => {
    const rule = { name: "r", doc: "", roots: new Map([["root", null]]), replace: () => "" };
    expect(() => createSconce({ plugins: [{ name: "p", rules: [rule as never] }] })).toThrow(
      /plugin "p" has a rule "r" whose patterns cannot be read/,
    );
  });

  test.each([
    ["an operator of the plugin", "mylib.twice.default($x)"],
    ["an opaque operator of another library", "elsewhere.fused.default($x)"],
    ["an operator that resembles none of its library", "mylib.attention.default($x)"],
    ["a function of Python", "operator.getitem($x, 0)"],
    ["control flow", "higher_order.invoke_subgraph($x, ...)"],
  ])("not %s", (_, match) => {
    expect(open(match).rules.has("r")).toBe(true);
  });

  test("not a function that a dialect of the plugin allows", () => {
    const dialect = { ...ATEN, name: "MINE", pythonFunctions: new Set(["math.hypot"]) };
    expect(() => open("math.hypot($x, 1)")).toThrow("matches math.hypot");
    expect(open("math.hypot($x, 1)", "$x", { dialects: [dialect] }).rules.has("r")).toBe(true);
  });
});

test("the built-in rules name operators only", () => {
  for (const rule of builtinRules)
    expect(() => checkRuleTargets(rule.name, rule, defaultOperators(), new Map())).not.toThrow();
});
