import { describe, expect, test } from "vitest";
import { readCapabilities } from "./capability-page.js";
import { capabilityTests, testsOfText } from "./capability-tests.js";

const ROOT = new URL("../../../../", import.meta.url);
const { sections, missing } = readCapabilities(ROOT);
const all = Object.values(sections).flatMap((rows) => Object.keys(rows));
const { tests, misplaced } = capabilityTests(ROOT);
const shown = new Set(tests.flatMap(({ ids }) => ids));

describe("capabilities", () => {
  test("are S-001 to S-152 and T-01 to T-16, each once", () => {
    const numbers = (letter: string, count: number, digits: number): string[] =>
      Array.from({ length: count }, (_, i) => `${letter}-${String(i + 1).padStart(digits, "0")}`);
    expect(all).toEqual([...numbers("S", 152, 3), ...numbers("T", 16, 2)]);
  });

  test("have a test that runs, or the reason why not", () => {
    expect(all.filter((id) => !shown.has(id) && missing[id] === undefined)).toEqual([]);
  });

  test("are known where a test or a reason names them", () => {
    expect([...shown, ...Object.keys(missing)].filter((id) => !all.includes(id))).toEqual([]);
  });

  test("are named at the end of titles of tests that run, and nowhere else", () => {
    expect(misplaced).toEqual([]);
  });
});

describe("titles", () => {
  const found = (text: string): unknown[] => {
    const { tests: titled, misplaced: others } = testsOfText("a.test.ts", text);
    return [titled.map(({ title, ids }) => `${title}: ${ids.join(" ")}`), others];
  };
  const id = (number: number): string => `[S-${String(number).padStart(3, "0")}]`;

  test.each([
    [`test("one ${id(1)}", () => {`, [["one: S-001"], []]],
    [`  it('two ${id(2)}', async () => {`, [["two: S-002"], []]],
    [`test.each(CASES)("%s three ${id(3)}", () => {`, [["%s three: S-003"], []]],
    [`  ])("%s four ${id(4)}", () => {`, [["%s four: S-004"], []]],
    [`test("five ${id(1).slice(0, -1)}, S-002]", () => {`, [["five: S-001 S-002"], []]],
    [`test.skip("six ${id(6)}", () => {`, [[], [`a.test.ts: ${id(6)}`]]],
    [`test.todo("seven ${id(7)}");`, [[], [`a.test.ts: ${id(7)}`]]],
    [`describe("eight ${id(8)}", () => {`, [["eight: S-008"], []]],
    [`describe.skipIf(x)("nine ${id(9)}", () => {`, [[], [`a.test.ts: ${id(9)}`]]],
    [`// test("ten ${id(10)}", () => {`, [[], [`a.test.ts: ${id(10)}`]]],
    [`test("${id(11)} eleven", () => {`, [[], [`a.test.ts: ${id(11)}`]]],
  ])("%s", (text, expected) => {
    expect(found(text)).toEqual(expected);
  });
});
