import { expect, test } from "vitest";
import { definePass } from "./pass.js";

const run = <T>(program: T): T => program;

test.each([
  ["requires", ["ATEN"], "has a list as `requires`", 'give one dialect: "ATEN"'],
  [
    "requires",
    { dialect: "ATEN" },
    "has an object of another kind as `requires`",
    'give one dialect: "ATEN"',
  ],
  ["ensures", 3, "has 3 as `ensures`", 'give one dialect: "ATEN"'],
  [
    "drops",
    "stackTrace",
    'has the string "stackTrace" as `drops`',
    'give a list of metadata: ["stackTrace"]',
  ],
  ["removesAssertions", true, "has true as `removesAssertions`", "give a list of names"],
  ["widensInputs", "yes", 'has the string "yes" as `widensInputs`', "give true or false"],
  ["readsValues", 1, "has 1 as `readsValues`", "give true or false"],
  ["steps", [], "has a list as `steps`", "give a generator function"],
  ["options", ["keep"], "has a list as `options`", "give an object of options"],
  ["doc", 7, "has 7 as `doc`", "give one sentence"],
])("definePass refuses %s: %j", (property, value, what, fix) => {
  const define = (): unknown =>
    definePass({ name: "mine", doc: "Does nothing.", run, [property]: value } as never);
  expect(define).toThrow(
    expect.objectContaining({
      code: "PASS_DEFINITION",
      message: `pass "mine" ${what}`,
      fix: expect.stringContaining(fix),
    }),
  );
});

test("a pass that has steps alone runs them without a pause", () => {
  const program = { isProgram: true } as never;
  let pauses = 0;
  const pass = definePass({
    name: "mine",
    doc: "Does nothing.",
    *steps(given) {
      pauses++;
      yield;
      return given;
    },
  });
  expect(pass.run(program, {} as never, {})).toBe(program);
  expect(pauses).toBe(1);
});
