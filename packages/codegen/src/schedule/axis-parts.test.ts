/** @file Axes in parts: what loops of units look like then. */
import { parseIr } from "@sconce/ir/text";
import { defaultOperators } from "@sconce/ops";
import { expect, test } from "vitest";
import { JAVASCRIPT } from "../javascript/print.js";
import { printKernel } from "../kernel/print.js";
import type { Target } from "../kernel/target.js";
import { lowerToLoops } from "../lower/lower.js";
import { scheduleNest } from "./schedule.js";

const UNITS: Target = { ...JAVASCRIPT, name: "units", threads: "units" };
/** The text of the kernel of one call of %x. */
function kernelOf(shape: string, out: string, call: string): string {
  const { graph } = parseIr(`sconce-ir 1
program "ATEN" { input %x: USER_INPUT output %y: USER_OUTPUT }
graph(%x: f32[${shape}]) {
  %y: f32[${out}] = ${call}
  return (%y)
}`);
  const program = lowerToLoops(graph, { operators: defaultOperators() });
  const sizes = new Map();
  return printKernel(scheduleNest(program.nests[0]!, { program, sizes, target: UNITS }).kernel);
}
const count = (text: string, word: string): number => text.split(word).length - 1;

test("an axis that is divided by a number becomes two", () => {
  const text = kernelOf("100, 100", "1000, 1000", "aten.repeat.default(%x, [10, 10])");
  expect(text).toContain("to 100 step 1");
  // Units are divided, elements are not.
  const loops = text.slice(text.indexOf("for "));
  expect(loops).not.toMatch(/urem|udiv|remainder|floor_div/);
});
test("short parts stay together", () => {
  const text = kernelOf("100, 3", "100, 3000", "aten.repeat.default(%x, [1, 1000])");
  expect(count(text, "for ")).toBe(1);
});
test.each([
  ["aten.roll.default(%x, [3], [1])", "100, 100", 2],
  ["aten.constant_pad_nd.default(%x, [2, 4])", "100, 106", 3],
  ["aten.reflection_pad1d.default(%x, [2, 4])", "100, 106", 3],
  ["aten.cat.default([%x, %x], 1)", "100, 200", 2],
  ["aten.roll.default(%x, [0], [1])", "100, 100", 1],
])("%s has ranges without conditions", (call, out, ranges) => {
  const text = kernelOf("100, 100", out, call);
  expect(count(text, "for ")).toBe(ranges);
  expect(count(text, "select") + count(text, "if ")).toBe(0);
});
