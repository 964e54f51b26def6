/** @file Right rules for functions of floats. */
import { describe, expect, test } from "vitest";
import { bisect } from "../bisect/bisect.js";
import { owned, programOfRow, type RuleRow, ruleOfRow, rules } from "./planted.fixture.js";

const ROWS: readonly RuleRow[] = [
  {
    name: "a softmax with the maximum",
    inputs: "x: f32[4, 6]",
    calls: "%a: f32[4, 6] = aten.neg.default(%x); %y: f32[4, 6] = aten._softmax.default(%a, 1, false)",
    match: "aten._softmax.default($x, 1, false)",
    replace:
      "aten.div.Tensor(aten.exp.default(aten.sub.Tensor($x, aten.amax.default($x, [1], true))), aten.sum.dim_IntList(aten.exp.default(aten.sub.Tensor($x, aten.amax.default($x, [1], true))), [1], true))",
  },
  {
    name: "exponents over their sum as a softmax",
    inputs: "x: f32[4, 6]",
    calls:
      "%a: f32[4, 6] = aten.neg.default(%x); %e: f32[4, 6] = aten.exp.default(%a); %s: f32[4, 1] = aten.sum.dim_IntList(%e, [1], true); %y: f32[4, 6] = aten.div.Tensor(%e, %s)",
    match: "aten.div.Tensor(aten.exp.default($x), aten.sum.dim_IntList(aten.exp.default($x), [1], true))",
    replace: "aten._softmax.default($x, 1, false)",
    changesNumbers: { valueClasses: ["infinity"] },
  },
  {
    name: "silu by an exponent",
    inputs: "x: f32[4, 6]",
    calls: "%a: f32[4, 6] = aten.neg.default(%x); %y: f32[4, 6] = aten.silu.default(%a)",
    match: "aten.silu.default($x)",
    replace: "aten.div.Tensor($x, aten.add.Tensor(aten.exp.default(aten.neg.default($x)), 1))",
  },
  {
    name: "a sigmoid by an exponent",
    inputs: "x: f32[4, 6]",
    calls: "%a: f32[4, 6] = aten.neg.default(%x); %y: f32[4, 6] = aten.sigmoid.default(%a)",
    match: "aten.sigmoid.default($x)",
    replace: "aten.reciprocal.default(aten.add.Tensor(aten.exp.default(aten.neg.default($x)), 1))",
  },
  {
    name: "a sigmoid by tanh",
    inputs: "x: f32[4, 6]",
    calls: "%a: f32[4, 6] = aten.neg.default(%x); %y: f32[4, 6] = aten.sigmoid.default(%a)",
    match: "aten.sigmoid.default($x)",
    replace: "aten.add.Tensor(aten.mul.Tensor(aten.tanh.default(aten.mul.Tensor($x, 0.5)), 0.5), 0.5)",
  },
  {
    name: "gelu by erf",
    inputs: "x: f32[4, 6]",
    calls: "%a: f32[4, 6] = aten.neg.default(%x); %y: f32[4, 6] = aten.gelu.default(%a)",
    match: "aten.gelu.default($x)",
    replace:
      "aten.mul.Tensor(aten.mul.Tensor($x, 0.5), aten.add.Tensor(aten.erf.default(aten.mul.Tensor($x, 0.7071067811865476)), 1))",
    changesNumbers: { valueClasses: ["infinity"] },
  },
  {
    name: "leaky relu as a choice",
    inputs: "x: f32[4, 6]",
    calls: "%a: f32[4, 6] = aten.neg.default(%x); %y: f32[4, 6] = aten.leaky_relu.default(%a, 0.01)",
    match: "aten.leaky_relu.default($x, 0.01)",
    replace: "aten.where.self(aten.gt.Scalar($x, 0), $x, aten.mul.Tensor($x, 0.01))",
  },
  {
    name: "elu as a choice",
    inputs: "x: f32[4, 6]",
    calls: "%a: f32[4, 6] = aten.neg.default(%x); %y: f32[4, 6] = aten.elu.default(%a)",
    match: "aten.elu.default($x)",
    replace: "aten.where.self(aten.gt.Scalar($x, 0), $x, aten.expm1.default($x))",
  },
  {
    name: "softplus with its threshold",
    inputs: "x: f32[4, 6]",
    calls: "%a: f32[4, 6] = aten.neg.default(%x); %y: f32[4, 6] = aten.softplus.default(%a)",
    match: "aten.softplus.default($x)",
    replace: "aten.where.self(aten.gt.Scalar($x, 20), $x, aten.log1p.default(aten.exp.default($x)))",
  },
  {
    name: "a logarithm of a sigmoid",
    inputs: "x: f32[4, 6]",
    calls: "%a: f32[4, 6] = aten.neg.default(%x); %y: f32[4, 6] = aten.log_sigmoid.default(%a)",
    match: "aten.log_sigmoid.default($x)",
    replace: "aten.neg.default(aten.softplus.default(aten.neg.default($x)))",
  },
  {
    name: "a third power",
    inputs: "x: f32[4, 6]",
    calls: "%a: f32[4, 6] = aten.neg.default(%x); %y: f32[4, 6] = aten.pow.Tensor_Scalar(%a, 3)",
    match: "aten.pow.Tensor_Scalar($x, 3)",
    replace: "aten.mul.Tensor(aten.mul.Tensor($x, $x), $x)",
  },
  {
    name: "a power of 2",
    inputs: "x: f32[4, 6]",
    calls: "%a: f32[4, 6] = aten.neg.default(%x); %y: f32[4, 6] = aten.exp2.default(%a)",
    match: "aten.exp2.default($x)",
    replace: "aten.exp.default(aten.mul.Tensor($x, 0.6931471805599453))",
  },
  {
    name: "a logarithm to another base",
    inputs: "x: f32[4, 6]",
    calls: "%a: f32[4, 6] = aten.neg.default(%x); %y: f32[4, 6] = aten.log2.default(%a)",
    match: "aten.log2.default($x)",
    replace: "aten.mul.Tensor(aten.log.default($x), 1.4426950408889634)",
  },
  {
    name: "the root of a square as its magnitude",
    inputs: "x: f32[4, 6]",
    calls:
      "%a: f32[4, 6] = aten.neg.default(%x); %m: f32[4, 6] = aten.mul.Tensor(%a, %a); %y: f32[4, 6] = aten.sqrt.default(%m)",
    match: "aten.sqrt.default(aten.mul.Tensor($x, $x))",
    replace: "aten.abs.default($x)",
  },
  {
    name: "a magnitude as a choice",
    inputs: "x: f32[4, 6]",
    calls: "%a: f32[4, 6] = aten.neg.default(%x); %y: f32[4, 6] = aten.abs.default(%a)",
    match: "aten.abs.default($x)",
    replace: "aten.where.self(aten.lt.Scalar($x, 0), aten.neg.default($x), $x)",
    changesNumbers: { valueClasses: ["signed-zero"] },
  },
  {
    name: "a quotient by a reciprocal",
    inputs: "x: f32[4, 6]; w: f32[4, 6]",
    calls:
      "%a: f32[4, 6] = aten.neg.default(%x); %b: f32[4, 6] = aten.neg.default(%w); %y: f32[4, 6] = aten.div.Tensor(%a, %b)",
    match: "aten.div.Tensor($x, $y)",
    replace: "aten.mul.Tensor($x, aten.reciprocal.default($y))",
  },
  {
    name: "x + 0 where zeros may lose their sign",
    inputs: "x: f32[4, 6]",
    calls: "%a: f32[4, 6] = aten.neg.default(%x); %y: f32[4, 6] = aten.add.Tensor(%a, 0)",
    match: "aten.add.Tensor($x, 0)",
    replace: "$x",
    changesNumbers: { valueClasses: ["signed-zero"] },
  },
  {
    name: "1 less a square as a product",
    inputs: "x: f32[4]",
    calls:
      "%t: f32[4] = aten.tanh.default(%x); %m: f32[4] = aten.mul.Tensor(%t, %t); %y: f32[4] = aten.rsub.Scalar(%m, 1)",
    match: "aten.rsub.Scalar(aten.mul.Tensor($t, $t), 1)",
    replace: "aten.mul.Tensor(aten.rsub.Scalar($t, 1), aten.add.Tensor($t, 1))",
    changesNumbers: { valueClasses: ["infinity"] },
  },
  {
    name: "a difference of squares as a product",
    inputs: "x: f32[4]; z: f32[4]",
    calls:
      "%a: f32[4] = aten.mul.Tensor(%x, %x); %b: f32[4] = aten.mul.Tensor(%z, %z); %y: f32[4] = aten.sub.Tensor(%a, %b)",
    match: "aten.sub.Tensor(aten.mul.Tensor($x, $x), aten.mul.Tensor($z, $z))",
    replace: "aten.mul.Tensor(aten.sub.Tensor($x, $z), aten.add.Tensor($x, $z))",
    changesNumbers: { valueClasses: ["infinity", "signed-zero"] },
  },
  {
    name: "a common factor",
    inputs: "x: f32[4]; z: f32[4]; w: f32[4]",
    calls:
      "%m: f32[4] = aten.mul.Tensor(%x, %z); %n: f32[4] = aten.mul.Tensor(%x, %w); %y: f32[4] = aten.add.Tensor(%m, %n)",
    match: "aten.add.Tensor(aten.mul.Tensor($x, $z), aten.mul.Tensor($x, $w))",
    replace: "aten.mul.Tensor($x, aten.add.Tensor($z, $w))",
    changesNumbers: { valueClasses: ["infinity", "signed-zero"] },
  },
  {
    name: "a half sum in another order",
    inputs: "x: f16[4]; z: f16[4]; w: f16[4]",
    calls: "%a: f16[4] = aten.add.Tensor(%x, %z); %y: f16[4] = aten.add.Tensor(%a, %w)",
    match: "aten.add.Tensor(aten.add.Tensor($x, $z), $w)",
    replace: "aten.add.Tensor($x, aten.add.Tensor($z, $w))",
  },
  {
    name: "a double sum in another order",
    inputs: "x: f64[4]; z: f64[4]; w: f64[4]",
    calls: "%a: f64[4] = aten.add.Tensor(%x, %z); %y: f64[4] = aten.add.Tensor(%a, %w)",
    match: "aten.add.Tensor(aten.add.Tensor($x, $z), $w)",
    replace: "aten.add.Tensor($x, aten.add.Tensor($z, $w))",
  },
  {
    name: "a wider exponent",
    inputs: "x: bf16[4]",
    calls: "%a: bf16[4] = aten.neg.default(%x); %y: bf16[4] = aten.exp.default(%a)",
    match: "aten.exp.default($x)",
    replace:
      "aten._to_copy.default(aten.exp.default(aten._to_copy.default($x, dtype=float32)), dtype=bfloat16)",
  },
  {
    name: "half through float32",
    inputs: "x: f16[4]",
    calls:
      "%h: f32[4] = aten._to_copy.default(%x, dtype=float32); %y: f16[4] = aten._to_copy.default(%h, dtype=float16)",
    match: "aten._to_copy.default(aten._to_copy.default($x, dtype=float32), dtype=float16)",
    replace: "aten.mul.Tensor($x, 1)",
  },
];

describe("right rules for functions raise no alarm", () => {
  test.each(ROWS)("$name", (row) => {
    const { culprit, reports } = bisect(programOfRow(row), [rules("good", ruleOfRow("right", row))], owned);
    expect(culprit?.error.message).toBeUndefined();
    expect(reports[0]!.coverage).toMatchObject({ unchecked: [] });
    expect(reports[0]!.coverage!.checkedRegions).toBeGreaterThan(0);
  });
});
