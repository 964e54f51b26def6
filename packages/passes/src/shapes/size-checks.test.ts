import type { ExportedProgram } from "@sconce/ir";
import { parseIr } from "@sconce/ir/text";
import { defaultOperators } from "@sconce/ops";
import { printExpr } from "@sconce/symbolic";
import { describe, expect, test } from "vitest";
import { checkRecorded } from "./call-problems.js";
import { propagateShapes } from "./propagate.js";
import { SizeChecks } from "./size-checks.js";

const operators = defaultOperators();

const programOf = (calls: string, more = ""): ExportedProgram =>
  propagateShapes(
    parseIr(`sconce-ir 1
symbol s0 integer positive
program "TRAINING" { input %x: USER_INPUT output %y: USER_OUTPUT ${more} }
graph(%x: f32[s0, 6]) {
  %n = aten.sym_size.int(%x, 0)
${calls}
  return (%y,)
}`),
    operators,
  );
const checksOf = (calls: string, more?: string): SizeChecks =>
  new SizeChecks(programOf(calls, more), operators);
const names = (checks: SizeChecks): string[] => [...checks.prove().open].map(({ name }) => name);
const at = (s0: number): ReadonlyMap<string, number> => new Map([["s0", s0]]);

describe("calls that hold for all sizes", () => {
  test.each([
    ["pointwise", "%y = aten.mul.Tensor(%x, %x)"],
    ["a view of as many elements", "%m = operator.mul(%n, 2)\n%y = aten.view.default(%x, [%m, 3])"],
    ["a sum", "%y = aten.sum.dim_IntList(%x, [0])"],
    ["a product", "%t = aten.permute.default(%x, [1, 0])\n%y = aten.mm.default(%t, %x)"],
    ["a tensor of the same size", "%y = aten.full.default([%n], 1.0)"],
  ])("%s is proved", (_, calls) => {
    const checks = checksOf(calls);
    expect(names(checks)).toEqual([]);
    expect([2, 3, 1000].map((size) => checks.holdAt(at(size)))).toEqual([true, true, true]);
  });

  test("ranges of the program decide", () => {
    const calls = "%m = operator.sub(%n, 10)\n%y = aten.full.default([%m], 1.0)";
    expect(names(checksOf(calls))).toEqual(["y"]);
    expect(names(checksOf(calls, 'range "s0" [10, 100]'))).toEqual([]);
  });

  test("checks of kernels that no size decides are left out", () => {
    const index = "%i = aten.full.default([2], 0, dtype=int64)\n";
    expect(names(checksOf(`${index}%y = aten.index_select.default(%x, 0, %i)`))).toEqual([]);
    expect(names(checksOf("%y = aten.fft_fft.default(%x, None, 1)"))).toEqual([]);
    expect(names(checksOf("%y = aten.fft_fft.default(%x, None, 0)"))).toEqual(["y"]);
  });

  test("conditions say when a call without a proof holds", () => {
    const checks = checksOf("%m = operator.sub(%n, 10)\n%y = aten.full.default([%m], 1.0)", 'hint "s0" 12');
    const [open] = checks.prove().open;
    const conditions = checks.conditionsOf(open!)!;
    expect(conditions.map(({ condition, truth }) => `${printExpr(condition)} ${truth}`)).toEqual([
      "s0 - 10 >= 0 true",
    ]);
    const known = checksOf("%y = aten.expand.default(%x, [6, 6])");
    const [call] = known.prove().open;
    expect(known.openAt(new Map([["s0", 6]]))).toEqual([]);
    expect(known.openAt(new Map([["s0", 5]])).map(({ name }) => name)).toEqual([call!.name]);
  });

  test("sizes outside of the ranges are computed", () => {
    const checks = checksOf(
      "%m = operator.sub(%n, 10)\n%y = aten.full.default([%m], 1.0)",
      'range "s0" [10, 100]',
    );
    checks.prove();
    expect(checks.holdAt(at(50))).toBe(true);
    expect(checks.at(at(9))).toMatchObject({ node: { name: "y" }, error: { code: "INVALID_ARGUMENT" } });
    expect(checks.at(at(101))).toBeUndefined();
  });
});

describe("calls that depend on the sizes", () => {
  test("the error is that of the shape rule", () => {
    const checks = checksOf("%y = aten.view.default(%x, [4, 9])");
    expect(names(checks)).toEqual(["y"]);
    expect(checks.at(at(6))).toBeUndefined();
    expect(checks.at(at(7))).toMatchObject({
      node: { name: "y" },
      error: {
        code: "SHAPE_MISMATCH",
        message: expect.stringContaining("shape '[4, 9]' is invalid for input of size 42"),
      },
    });
  });

  test("a value other than the recorded one is not an error", () => {
    const program = parseIr(`sconce-ir 1
symbol s0 integer positive
program "TRAINING" { input %x: USER_INPUT output %y: USER_OUTPUT }
graph(%x: f32[s0]) {
  %a: f32[2] = aten.slice.Tensor(%x, 0, 0, 2)
  %y: f32[2] = aten.neg.default(%a)
  return (%y,)
}`);
    const checks = new SizeChecks(program, operators);
    expect(checks.at(at(2))).toBeUndefined();
    expect(checks.at(at(1))).toMatchObject({ node: { name: "a" }, error: undefined });
  });

  test("what follows from another value is computed from it", () => {
    const program = parseIr(`sconce-ir 1
symbol s0 integer positive
program "TRAINING" { input %x: USER_INPUT output %y: USER_OUTPUT }
graph(%x: f32[s0]) {
  %a: f32[2] = aten.slice.Tensor(%x, 0, 0, 2)
  %y: f32[2, 1] = aten.view.default(%a, [2, 1])
  return (%y,)
}`);
    expect(new SizeChecks(program, operators).at(at(1))).toMatchObject({
      node: { name: "y" },
      error: { code: "SHAPE_MISMATCH" },
    });
  });

  test("sizes that are not known yet are left out", () => {
    const program = parseIr(`sconce-ir 1
program "TRAINING" { input %x: USER_INPUT output %y: USER_OUTPUT }
graph(%x: i64[]) {
  %u: int(u0) = aten.item.default(%x)
  %y: f32[u0] = aten.full.default([%u], 1.0)
  return (%y,)
}`);
    const checks = new SizeChecks(program, operators);
    expect(checks.at(new Map())).toBeUndefined();
    expect(checks.at(new Map([["u0", 3]]))).toBeUndefined();
    expect(checks.at(new Map([["u0", -1]]))).toMatchObject({ error: { code: "INVALID_ARGUMENT" } });
  });

  test("sizes that are recorded as other symbols are compared", () => {
    const program = parseIr(`sconce-ir 1
program "ATEN" { input %x: USER_INPUT input %z: USER_INPUT output %y: USER_OUTPUT }
graph(%x: f32[s0], %z: f32[s1]) {
  %y: f32[s1] = aten.neg.default(%x)
  return (%y,)
}`);
    expect(checkRecorded(program, operators).problems).toEqual([]);
    const checks = new SizeChecks(program, operators);
    const sizes = (s0: number, s1: number): ReadonlyMap<string, number> =>
      new Map(Object.entries({ s0, s1 }));
    expect(names(checks)).toEqual(["y"]);
    expect(checks.at(sizes(4, 4))).toBeUndefined();
    expect(checks.at(sizes(4, 5))).toMatchObject({ node: { name: "y" }, error: undefined });
  });
});
