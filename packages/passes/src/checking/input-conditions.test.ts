import type { ExportedProgram } from "@sconce/ir";
import { parseIr } from "@sconce/ir/text";
import { expect, test } from "vitest";
import { bisect } from "../bisect/bisect.js";
import { checkPasses } from "../bisect/check-passes.js";
import { definePass, type Pass } from "../pass/pass.js";
import { context } from "../programs.fixture.js";

const program = parseIr(
  `sconce-ir 1
program "ATEN" {
  range "s0" [2, 8]
  range "s1" [3, 64]
  hint "s0" 4
  hint "s1" 6
  input %x: USER_INPUT
  input %y: USER_INPUT
  output %out: USER_OUTPUT
}
graph(%x: f32[s0, 3], %y: f32[s1]) {
  %relu: f32[s0, 3] = aten.relu.default(%x)
  %out: f32[s0, 3] = aten.neg.default(%relu)
  return (%out)
}`,
  { operators: context.operators },
);

const changing = (change: Parameters<ExportedProgram["with"]>[0], more: Partial<Pass> = {}): Pass =>
  definePass({ name: "changes", doc: "Changes what is taken.", ...more, run: (p) => p.with(change) });

const ranges = (s0: readonly [number, number], s1: readonly [number, number] = [3, 64]) => ({
  rangeConstraints: new Map([
    ["s0", { min: s0[0], max: s0[1] }],
    ["s1", { min: s1[0], max: s1[1] }],
  ]),
});

test.each([
  ["a range that is gone", { rangeConstraints: new Map() }, /float32\[9, 3\].*<= 8, but got 9/],
  ["a wider range", ranges([2, 1000]), /float32\[9, 3\].*<= 8, but got 9/],
  ["a lower bound that is gone", ranges([2, 8], [2, 64]), /float32\[2\].*>= 3, but got 2/],
])("%s is found, though no sample is outside of it", (_, change, message) => {
  const wrong = changing(change);
  expect(() => checkPasses(program, [wrong], context)).toThrow(message);
  expect(bisect(program, [wrong], context).culprit).toMatchObject({ kind: "numbers", pass: "changes" });
});

test("a pass that takes more on purpose says so", () => {
  const wide = changing(ranges([2, 1000]), { widensInputs: true });
  expect(checkPasses(program, [wide], context).reports[0]).toMatchObject({ runs: 1 });
});

test("a narrower range raises no alarm", () => {
  expect(checkPasses(program, [changing(ranges([3, 4]))], context).reports[0]).toMatchObject({ runs: 1 });
});
