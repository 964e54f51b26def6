import type { ExportedProgram } from "@sconce/ir";
import { describe, expect, test } from "vitest";
import { checkPasses } from "../bisect/check-passes.js";
import { canonicalize } from "../builtin/canonicalize.js";
import { rulePass } from "../builtin/rule-pass.js";
import { context, programOf } from "../programs.fixture.js";
import { defineRule, type Match, type Rule, type RuleDefinition } from "../rewrite/rule.js";
import type { NumberChange } from "../sampling/number-change.js";
import type { CheckReport } from "./checker.js";
import { PassChangedNumbers } from "./errors.js";

const applied = (rules: readonly Rule[]) => rulePass({ name: "rules", doc: "The rules under test.", rules });

function check(program: ExportedProgram, ...rules: readonly Rule[]): CheckReport {
  return checkPasses(program, [applied(rules)], context).reports[0]!;
}

type Definition = {
  readonly match: string;
  readonly replace: unknown;
  readonly changesNumbers?: NumberChange;
};

/** A rule that fires at the call under test only. */
const rule = (definition: Definition): Rule =>
  defineRule({
    name: "tried",
    doc: "Tried.",
    where: (_: unknown, { root }: Match) => (root.name === "y" ? true : "another call"),
    ...definition,
  } as unknown as RuleDefinition<string, never>);

/** A program of one call between two others: `call` reads %a, and %b and %c, and gives %y. */
const around = (type: string, call: string): ExportedProgram =>
  programOf(`graph(%x: ${type}, %z: ${type}) {
    %a: ${type} = aten.add.Tensor(%x, %z)
    %b: ${type} = aten.mul.Tensor(%x, %z)
    %c: ${type} = aten.sub.Tensor(%x, %z)
    ${call}
    %out: ${type} = aten.mul.Tensor(%y, %z)
    return (%out)
  }`);

const F = "f32[2, 3]";
const clamp = around(F, `%y: ${F} = aten.clamp.default(%a, 0, 6)`);

describe("wrong rules are caught by a class of values", () => {
  const full =
    (value: number | boolean, dtype: string) =>
    (emit: never, { x }: { x: never }) =>
      (emit as unknown as (target: string, args: unknown[], kwargs: object) => unknown)(
        "aten.full_like.default",
        [x, value],
        {
          dtype: { kind: "dtype", dtype },
        },
      );
  const bool = "b8[2, 3]";
  const compare = programOf(`graph(%x: ${F}, %z: ${F}) {
    %a: ${F} = aten.add.Tensor(%x, %z)
    %y: ${bool} = aten.eq.Tensor(%a, %a)
    return (%y)
  }`);
  const I8 = "i8[2, 3]";
  const I64 = "i64[2, 3]";

  test.each<[string, ExportedProgram, Definition, RegExp]>([
    [
      "clamp to relu",
      clamp,
      { match: "aten.clamp.default($x, 0, 6)", replace: "aten.relu.default($x)" },
      /differs for \w+ values/,
    ],
    [
      "hardtanh to relu",
      around(F, `%y: ${F} = aten.hardtanh.default(%a, 0, 6)`),
      { match: "aten.hardtanh.default($x, 0, 6)", replace: "aten.relu.default($x)" },
      /differs for/,
    ],
    [
      "remainder to fmod",
      around(I64, `%y: ${I64} = aten.remainder.Tensor(%a, %b)`),
      { match: "aten.remainder.Tensor($x, $y)", replace: "aten.fmod.Tensor($x, $y)" },
      /differs for \w+ values/,
    ],
    [
      "x == x to true",
      compare,
      { match: "aten.eq.Tensor($x, $x)", replace: full(true, "bool") },
      /differs for (nan|infinity) values/,
    ],
    [
      "x - x to 0",
      around(F, `%y: ${F} = aten.sub.Tensor(%a, %a)`),
      { match: "aten.sub.Tensor($x, $x)", replace: full(0, "float32") },
      /differs for (nan|infinity) values/,
    ],
    [
      "a sum of int8 that wraps",
      around(I8, `%y: ${I8} = aten.maximum.default(%a, %b)`),
      {
        match: "aten.maximum.default($x, $y)",
        replace: "aten.add.Tensor($y, aten.relu.default(aten.sub.Tensor($x, $y)))",
      },
      /differs for (limits|large) values/,
    ],
    [
      "twice and half of int8",
      around(
        I8,
        `%two: ${I8} = aten.mul.Tensor(%a, 2)
         %y: ${I8} = aten.div.Tensor_mode(%two, 2, rounding_mode="trunc")`,
      ),
      {
        match: 'aten.div.Tensor_mode(aten.mul.Tensor($x, 2), 2, rounding_mode="trunc")',
        replace: "$x",
      },
      /differs for (limits|large) values/,
    ],
  ])("%s", (_, program, definition, message) => {
    expect(() => check(program, rule(definition))).toThrow(PassChangedNumbers);
    expect(() => check(program, rule(definition))).toThrow(message);
  });

  test("the error names the rule and both nodes", () => {
    const wrong = rule({ match: "aten.clamp.default($x, 0, 6)", replace: "aten.relu.default($x)" });
    expect(() => check(clamp, wrong)).toThrow(
      /\(rule "tried"\): %relu = aten.relu.default, %y before, differs for/,
    );
  });
});

describe("right rules raise no alarm", () => {
  test.each<[string, ExportedProgram, Definition]>([
    [
      "relu twice",
      around(F, `%r: ${F} = aten.relu.default(%a)\n %y: ${F} = aten.relu.default(%r)`),
      { match: "aten.relu.default(aten.relu.default($x))", replace: "aten.relu.default($x)" },
    ],
    [
      "neg twice",
      around(F, `%r: ${F} = aten.neg.default(%a)\n %y: ${F} = aten.neg.default(%r)`),
      { match: "aten.neg.default(aten.neg.default($x))", replace: "$x" },
    ],
    [
      "a product in another order",
      around(F, `%r: ${F} = aten.mul.Tensor(%a, %b)\n %y: ${F} = aten.mul.Tensor(%r, %c)`),
      {
        match: "aten.mul.Tensor(aten.mul.Tensor($x, $y), $z)",
        replace: "aten.mul.Tensor($x, aten.mul.Tensor($y, $z))",
      },
    ],
    [
      "a sum in another order",
      around(F, `%r: ${F} = aten.add.Tensor(%a, %b)\n %y: ${F} = aten.add.Tensor(%r, %c)`),
      {
        match: "aten.add.Tensor(aten.add.Tensor($x, $y), $z)",
        replace: "aten.add.Tensor($x, aten.add.Tensor($y, $z))",
      },
    ],
    [
      "hardtanh as clamp",
      around(F, `%y: ${F} = aten.hardtanh.default(%a, -1, 1)`),
      { match: "aten.hardtanh.default($x, $l, $h)", replace: "aten.clamp.default($x, $l, $h)" },
    ],
    [
      "relu of a sigmoid",
      around(F, `%r: ${F} = aten.sigmoid.default(%a)\n %y: ${F} = aten.relu.default(%r)`),
      { match: "aten.relu.default(aten.sigmoid.default($x))", replace: "aten.sigmoid.default($x)" },
    ],
    [
      "division by a number",
      around(F, `%y: ${F} = aten.div.Tensor(%a, 3.0)`),
      { match: "aten.div.Tensor($x, 3.0)", replace: "aten.mul.Tensor($x, 0.3333333333333333)" },
    ],
    [
      "twice as a sum",
      around(F, `%y: ${F} = aten.mul.Tensor(%a, 2)`),
      { match: "aten.mul.Tensor($x, 2)", replace: "aten.add.Tensor($x, $x)" },
    ],
    [
      "silu",
      around(F, `%r: ${F} = aten.sigmoid.default(%a)\n %y: ${F} = aten.mul.Tensor(%a, %r)`),
      { match: "aten.mul.Tensor($x, aten.sigmoid.default($x))", replace: "aten.silu.default($x)" },
    ],
    [
      "a commutative sum",
      around(F, `%y: ${F} = aten.add.Tensor(%a, %b)`),
      { match: "aten.add.Tensor($x, $y)", replace: "aten.add.Tensor($y, $x)" },
    ],
  ])("%s", (_, program, definition) => {
    const { coverage } = check(program, rule(definition));
    expect(coverage).toMatchObject({ unchecked: [] });
    expect(coverage!.checkedRegions).toBeGreaterThan(0);
    expect(coverage!.valueClasses.length).toBeGreaterThan(5);
    expect(coverage!.wholeRuns).toBeLessThanOrEqual(3);
  });
});

test("a rewrite that hands on what another made is checked with what both matched", () => {
  const program = programOf(`graph(%x: f32[3]) {
    %relu: f32[3] = aten.relu.default(%x)
    %relu_1: f32[3] = aten.relu.default(%relu)
    %y: f32[3] = aten.permute.default(%relu_1, [0])
    %out: f32[3] = aten.neg.default(%y)
    return (%out)
  }`);
  const { reports } = checkPasses(program, [canonicalize], context);
  expect(reports[0]!.coverage).toMatchObject({ unchecked: [], checkedRegions: 1 });
});
