import { isSconceError } from "@sconce/errors";
import { describe, expect, test } from "vitest";
import { definePass } from "../pass/pass.js";
import { defineRule } from "../rewrite/rule.js";

const pass = (changesNumbers: unknown): unknown =>
  definePass({ name: "p", doc: "-", run: (program) => program, changesNumbers: changesNumbers as never });
const rule = (changesNumbers: unknown): unknown =>
  defineRule({
    name: "r",
    doc: "-",
    match: "aten.neg.default($x)",
    replace: "aten.abs.default($x)",
    changesNumbers: changesNumbers as never,
  });
const outcome = (define: () => unknown): string => {
  try {
    define();
    return "accepted";
  } catch (error) {
    return isSconceError(error) ? `${error.code} ${error.message}; ${error.fix}` : String(error);
  }
};

describe.each([
  ["pass", pass, 'PASS_DEFINITION pass "p"'],
  ["rule", rule, 'RULE rule "r"'],
])("a wrong changesNumbers of a %s is refused", (_, define, who) => {
  test.each([
    [
      { valueClasses: ["infinty"] },
      'the value class "infinty", which does not exist; did you mean "infinity"?',
    ],
    [{ valueClasses: "nan" }, 'valueClasses "nan", which is not a list; the value classes are: ordinary'],
    [
      { operators: { "aten.neg.default": ["nans"] } },
      'the value class "nans", which does not exist; did you mean "nan"?',
    ],
    [{ rtol: "x" }, 'rtol "x"; give rtol a number that is not negative'],
    [{ atol: -1 }, "atol -1; give atol a number"],
    [{ rtl: 1 }, '"rtl", which is not one of its parts; did you mean "rtol"?'],
  ])("%j", (declared, what) => {
    expect(outcome(() => define(declared))).toContain(`${who} declares changesNumbers with ${what}`);
  });
  test.each([[{}], ["yes"], [3], [null], [["nan"]]])("%j", (declared) => {
    expect(outcome(() => define(declared))).toContain(`${who} declares changesNumbers: `);
  });
  test("right ones are accepted", () => {
    for (const declared of [undefined, { rtol: 0 }, { atol: 1e-3, valueClasses: ["nan"] }, { operators: {} }])
      expect(outcome(() => define(declared))).toBe("accepted");
  });
});

test("a pass may also declare yes, no or a function of its options", () => {
  for (const declared of [true, false, () => undefined])
    expect(outcome(() => pass(declared))).toBe("accepted");
});
