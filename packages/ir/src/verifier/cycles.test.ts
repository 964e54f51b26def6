import { expect, test } from "vitest";
import { parseIr } from "../ir-text/parse-program.js";
import { verifyAll } from "../verify.js";

const fixesOf = (body: string): (string | undefined)[] =>
  verifyAll(
    parseIr(
      `sconce-ir 1
program "ATEN" {
  input %x: USER_INPUT
  output %a: USER_OUTPUT
  call "" ((*), {}) -> *
}
graph(%x: f32[2]) {
${body}
  return (%a)
}
`,
      { unknownTargets: "allow" },
    ),
  )
    .filter(({ code }) => code === "USED_BEFORE_DEFINITION")
    .map(({ fix }) => fix);

test("nodes in the wrong order are to be moved", () => {
  const body = "  %a: f32[2] = aten.neg.default(%b)\n  %b: f32[2] = aten.neg.default(%x)";
  expect(fixesOf(body)).toEqual(["move the node that is used in front of its user"]);
});

test("nodes that depend on each other are named: no order of them is valid [S-058]", () => {
  const body = "  %a: f32[2] = aten.neg.default(%b)\n  %b: f32[2] = aten.add.Tensor(%x, %a)";
  expect(fixesOf(body)).toEqual(["remove a use among %a, %b: they depend on each other"]);
});

test("a long cycle is shown by its first nodes", () => {
  const calls = Array.from({ length: 9 }, (_, i) => `  %n${i}: f32[2] = aten.neg.default(%n${(i + 1) % 9})`);
  const [fix] = fixesOf([...calls, "  %a: f32[2] = aten.neg.default(%n0)"].join("\n"));
  expect(fix).toContain("%n0, %n1, %n2, %n3, %n4, %n5 and 3 more");
});
