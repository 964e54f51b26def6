/** @file Wrong rules that show at some sizes or indices only, and assertions that ask for less. */
import { edit, ref } from "@sconce/ir";
import { parseIr } from "@sconce/ir/text";
import { expect, test } from "vitest";
import { bisect } from "../bisect/bisect.js";
import { checkPasses } from "../bisect/check-passes.js";
import { definePass } from "../pass/pass.js";
import { context, programOf } from "../programs.fixture.js";
import { owned, rule, rules } from "./planted.fixture.js";

test.each([4, 8, 16, 48])("a sum of the first %i rows, of up to 64", (rows) => {
  const program = parseIr(
    `sconce-ir 1
program "ATEN" { range "s0" [2, 64]  hint "s0" 4  input %x: USER_INPUT  output %y: USER_OUTPUT }
graph(%x: f32[s0, 4]) {
  %sum: f32[4] = aten.sum.dim_IntList(%x, [0])
  %y: f32[4] = aten.relu.default(%sum)
  return (%y)
}`,
    { operators: context.operators },
  );
  const wrong = rule(
    "wrong",
    "aten.relu.default(aten.sum.dim_IntList($x, [0]))",
    `aten.clamp_min.default(aten.sum.dim_IntList(aten.slice.Tensor($x, 0, 0, ${rows}), [0]), 0)`,
  );
  const { culprit } = bisect(program, [rules("bad", wrong)], owned);
  expect(culprit).toMatchObject({ kind: "numbers", pass: "bad", rewrite: { rule: "wrong" } });
});

test.each([
  ["int8", 200],
  ["uint8", 300],
])("indices that go through %s, of %i rows", (dtype, rows) => {
  const program = programOf(`graph(%w: f32[${rows}, 2], %i: i64[8]) {
  %rows: i64[8] = aten.remainder.Scalar(%i, ${rows})
  %found: f32[8, 2] = aten.embedding.default(%w, %rows)
  %y: f32[8, 2] = aten.sin.default(%found)
  return (%y)
}`);
  const wrong = rule(
    "wrong",
    "aten.embedding.default($w, $i)",
    `aten.index.Tensor($w, [aten._to_copy.default(aten._to_copy.default($i, dtype=${dtype}), dtype=int64)])`,
  );
  const { culprit } = bisect(program, [rules("bad", wrong)], owned);
  expect(culprit).toMatchObject({ kind: "numbers", pass: "bad", rewrite: { rule: "wrong" } });
});

const ASSERTED = programOf(`graph(%x: f32[4]) {
  %total: f32[] = aten.sum.default(%x)
  %holds: b8[] = aten.gt.Scalar(%total, -1000)
  %assert: none = aten._assert_async.msg(%holds, "too small")
  %y: f32[4] = aten.relu.default(%x)
  return (%y)
}`);
const bound = (least: number) =>
  definePass({
    name: "bad",
    doc: "Changes the bound of an assertion.",
    run: (p) =>
      p.with({ graph: edit(p.graph, (e) => e.replaceNode("holds", { args: [ref("total"), least] })) }),
  });

test("an assertion that asks for less", () => {
  expect(() => checkPasses(ASSERTED, [bound(-1_000_000_000)], context)).toThrow(
    /dropped the assertion %assert = aten._assert_async.msg: .*"too small"/,
  );
});

test("an assertion that asks for more is noted", () => {
  const { reports } = checkPasses(ASSERTED, [bound(-10)], context);
  expect(reports[0]!.coverage!.notes).toEqual([
    "%assert: another assertion is in its place, and no sample shows a difference",
  ]);
});
