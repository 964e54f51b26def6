/**
 * @file Integer divisions by zero: what the program refuses before a change has to be refused after
 * it.
 */
import type { ExportedProgram } from "@sconce/ir";
import { describe, expect, test } from "vitest";
import { bisect } from "../bisect/bisect.js";
import { checkPasses } from "../bisect/check-passes.js";
import { programOf } from "../programs.fixture.js";
import { edited, owned, rule, rules } from "./planted.fixture.js";

const culpritOf = (program: ExportedProgram, one: Parameters<typeof rules>[1]) =>
  bisect(program, [rules("bad", one)], owned, { maxTries: 30 }).culprit;

const divided = (mode: string): ExportedProgram =>
  programOf(`graph(%x: i64[6]) {
  %a: i64[6] = aten.neg.default(%x)
  %y: i64[6] = aten.div.Tensor_mode(%a, %a, rounding_mode="${mode}")
  %z: i64[6] = aten.neg.default(%y)
  return (%z)
}`);

const toOnes = (match: string, more: object = {}) =>
  rule("to-ones", match, "aten.ones_like.default($x)", more);

describe("a division by zero that is no longer refused", () => {
  test.each(["floor", "trunc"])("x / x as ones, %s", (mode) => {
    const wrong = toOnes(`aten.div.Tensor_mode($x, $x, rounding_mode="${mode}")`);
    const culprit = culpritOf(divided(mode), wrong);
    expect([culprit?.kind, culprit?.rewrite?.rule, culprit?.rewrite?.node]).toEqual([
      "numbers",
      "to-ones",
      "y",
    ]);
    expect(culprit?.error.message).toContain("accepts a division by zero");
  });

  test.each(["aten.remainder.Tensor", "aten.fmod.Tensor"])("%s of x and x as zeros", (target) => {
    const program = programOf(`graph(%x: i64[6]) {
  %a: i64[6] = aten.neg.default(%x)
  %y: i64[6] = ${target}(%a, %a)
  return (%y)
}`);
    const wrong = rule("to-zeros", `${target}($x, $x)`, "aten.zeros_like.default($x)");
    expect(culpritOf(program, wrong)?.rewrite?.rule).toBe("to-zeros");
  });

  test("quotient and remainder put together", () => {
    const program = programOf(`graph(%x: i64[6], %d: i64[6]) {
  %q: i64[6] = aten.div.Tensor_mode(%x, %d, rounding_mode="floor")
  %p: i64[6] = aten.mul.Tensor(%q, %d)
  %r: i64[6] = aten.remainder.Tensor(%x, %d)
  %y: i64[6] = aten.add.Tensor(%p, %r)
  %z: i64[6] = aten.neg.default(%y)
  return (%z)
}`);
    const together = rule(
      "together",
      'aten.add.Tensor(aten.mul.Tensor(aten.div.Tensor_mode($x, $d, rounding_mode="floor"), $d), aten.remainder.Tensor($x, $d))',
      "aten.clone.default($x)",
    );
    expect(culpritOf(program, together)?.rewrite?.rule).toBe("together");
  });
});

describe("raises nothing", () => {
  test("where the rule declares that it accepts zeros", () => {
    const match = 'aten.div.Tensor_mode($x, $x, rounding_mode="floor")';
    const declared = toOnes(match, { changesNumbers: { valueClasses: ["signed-zero"] } });
    expect(culpritOf(divided("floor"), declared)).toBeUndefined();
  });

  test("where the divisor is never zero", () => {
    const program = programOf(`graph(%x: i64[6]) {
  %e: b8[6] = aten.eq.Scalar(%x, 0)
  %a: i64[6] = aten.masked_fill.Scalar(%x, %e, 1)
  %y: i64[6] = aten.div.Tensor_mode(%a, %a, rounding_mode="floor")
  %z: i64[6] = aten.neg.default(%y)
  return (%z)
}`);
    expect(culpritOf(program, toOnes('aten.div.Tensor_mode($x, $x, rounding_mode="floor")'))).toBeUndefined();
  });

  test("where the division is refused after the change too", () => {
    const program = programOf(`graph(%x: i64[6], %d: i64[6]) {
  %y: i64[6] = aten.remainder.Tensor(%x, %d)
  %z: i64[6] = aten.neg.default(%y)
  return (%z)
}`);
    const spelled = rule(
      "spelled",
      "aten.remainder.Tensor($x, $d)",
      'aten.sub.Tensor($x, aten.mul.Tensor(aten.div.Tensor_mode($x, $d, rounding_mode="floor"), $d))',
    );
    expect(culpritOf(program, spelled)).toBeUndefined();
  });

  test("where nothing reads the quotient", () => {
    const program = programOf(`graph(%x: i64[6]) {
  %y: i64[6] = aten.remainder.Tensor(%x, %x)
  %z: i64[6] = aten.neg.default(%x)
  return (%z)
}`);
    const { reports } = checkPasses(program, [edited("drop", (e) => e.remove("y"))], owned);
    expect(reports).toHaveLength(1);
  });
});
