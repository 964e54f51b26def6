import { parseIr } from "@sconce/ir/text";
import { definePass, defineRule, rulePass } from "@sconce/passes";
import { describe, expect, test } from "vitest";
import { createSconce } from "./create-sconce.js";

const program = parseIr(`sconce-ir 1
program "ATEN" { input %x: USER_INPUT output %c: USER_OUTPUT }
graph(%x: f32[4]) {
  %a: f32[4] = aten.neg.default(%x)
  %b: f32[4] = aten.neg.default(%a)
  %c: f32[4] = aten.relu.default(%b)
  return (%c)
}`);
const rule = (name: string, where?: () => string): Parameters<typeof rulePass>[0]["rules"][number] =>
  defineRule({
    name,
    doc: "Two negations are nothing.",
    match: "aten.neg.default(aten.neg.default($x))",
    replace: "$x",
    ...(where && { where }),
  });
const [shared, first, second] = [rule("twice"), rule("once-more"), rule("once-more", () => "not today")];
const one = rulePass({ name: "one", doc: "-", rules: [first, shared] });
const two = definePass({ name: "two", doc: "-", rules: [second], run: (given) => given });
const sconce = createSconce({ plugins: [{ name: "mine", rules: [shared], passes: [one, two] }] });

describe("rules that only a pass has", () => {
  test("are known with their pass; those of the session come without", () => {
    const own = sconce.knownRules.filter((known) => [shared, first, second].includes(known.rule));
    expect(own).toEqual([
      { rule: shared, pass: undefined },
      { rule: first, pass: "one" },
      { rule: second, pass: "two" },
    ]);
    expect(sconce.rules.has("once-more")).toBe(false);
    for (const part of [first, second]) expect(sconce.ownerOf(part)).toBe("mine");
  });

  test("are explained by name, also where two passes use one name", () => {
    const attempts = sconce.explain(program, ["once-more"]).filter(({ node }) => node === "b");
    expect(attempts.map(({ pass, reason }) => [pass, reason])).toEqual([
      ["one", undefined],
      ["two", "not today"],
    ]);
  });

  test("are among all rules, and explained as a rule or a pass", () => {
    const names = new Set(sconce.explain(program).map((attempt) => attempt.rule));
    expect([...names]).toEqual(expect.arrayContaining(["twice", "once-more"]));
    expect(sconce.explain(program, [two]).map((attempt) => [attempt.rule, attempt.pass])).toContainEqual([
      "once-more",
      "two",
    ]);
    expect(sconce.explain(program, [first]).every((attempt) => attempt.pass === undefined)).toBe(true);
  });

  test("an unknown name is refused with the nearest one", () => {
    expect(() => sconce.explain(program, ["once-mor"])).toThrow(
      expect.objectContaining({ code: "UNKNOWN_RULE", fix: expect.stringContaining("once-more") }),
    );
  });

  test("a pass takes a list of rules", () => {
    const wrong = { name: "p", doc: "-", rules: ["twice"], run: () => program } as never;
    expect(() => definePass(wrong)).toThrow(expect.objectContaining({ code: "PASS_DEFINITION" }));
  });
});
