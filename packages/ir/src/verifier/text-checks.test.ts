import { expect, test } from "vitest";
import { parseIr } from "../text.js";
import { verify } from "../verify.js";

const SIR = `sconce-ir 1
program "ATEN" {
  guard "L['x'].size()[0] == 2"
  range "s77" [2, 10]
  input %x: USER_INPUT
  output %x: USER_OUTPUT
}
graph(%x: f32[s77]) {
  return (%x)
}
`;

test("guards and ranges are read when a program is verified: index and text", () => {
  const program = parseIr(SIR);
  expect(verify(program)).toEqual([]);
  const guardsCode = ["True", "L['x'] = 2", "__import__('os').system('true')"];
  const rangeConstraints = new Map([["s77 +", { min: 1, max: 2 }]]);
  const found = verify(program.with({ guardsCode, rangeConstraints }));
  expect(found.map(({ code, message }) => [code, message.slice(0, 60)])).toEqual([
    ["GUARD_SYNTAX", `guardsCode[1] "L['x'] = 2" cannot be read: unexpected "=" in`.slice(0, 60)],
    ["GUARD_SYNTAX", `guardsCode[2] "__import__('os').system('true')" cannot be re`.slice(0, 60)],
    ["RANGE_SYNTAX", `the key of rangeConstraints[0] "s77 +" cannot be read: unexpected`.slice(0, 60)],
  ]);
  for (const { fix } of found) expect(fix).toMatch(/\w/);
});

test("a text that takes too much work has the code of the budget, not of a typing error", () => {
  const key = Array.from({ length: 4000 }, (_, i) => `s${i}`).join("//");
  const found = verify(parseIr(SIR).with({ rangeConstraints: new Map([[key, { min: 1, max: 2 }]]) }));
  expect(found).toMatchObject([{ code: "BUDGET_EXCEEDED", message: expect.stringContaining("terms") }]);
  expect(found[0]!.fix).toContain("shorten");
});

test.each([
  ["a guard", SIR.replace("== 2", "= 2"), /the guard cannot be read: unexpected "="/, "line 3"],
  ["a range", SIR.replace('"s77"', '"s77 +"'), /the range cannot be read: unexpected end/, "line 4"],
])("%s of IR text that cannot be read is refused with its line", (_, text, message, line) => {
  const place = expect.stringContaining(line);
  expect(() => parseIr(text)).toThrow(expect.objectContaining({ code: "IR_SYNTAX", where: place }));
  expect(() => parseIr(text)).toThrow(message);
});
