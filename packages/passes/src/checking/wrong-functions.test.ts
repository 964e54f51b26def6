/** @file Wrong rules for functions of floats: what overflows, rounds, or has corners. */
import { describe, expect, test } from "vitest";
import { bisect } from "../bisect/bisect.js";
import { doubleNegation, owned, programOfRow, type RuleRow, ruleOfRow, rules } from "./planted.fixture.js";

const ROWS: readonly RuleRow[] = [
  {
    name: "a softmax without the maximum",
    inputs: "x: f32[4, 6]",
    calls: "%a: f32[4, 6] = aten.neg.default(%x); %y: f32[4, 6] = aten._softmax.default(%a, 1, false)",
    match: "aten._softmax.default($x, 1, false)",
    replace: "aten.div.Tensor(aten.exp.default($x), aten.sum.dim_IntList(aten.exp.default($x), [1], true))",
  },
  {
    name: "a logsumexp without the maximum",
    inputs: "x: f32[4, 6]",
    calls: "%a: f32[4, 6] = aten.neg.default(%x); %y: f32[4] = aten.logsumexp.default(%a, [1])",
    match: "aten.logsumexp.default($x, [1])",
    replace: "aten.log.default(aten.sum.dim_IntList(aten.exp.default($x), [1]))",
  },
  {
    name: "the logarithm of a softmax",
    inputs: "x: f32[4, 6]",
    calls: "%a: f32[4, 6] = aten.neg.default(%x); %y: f32[4, 6] = aten._log_softmax.default(%a, 1, false)",
    match: "aten._log_softmax.default($x, 1, false)",
    replace: "aten.log.default(aten._softmax.default($x, 1, false))",
  },
  {
    name: "logaddexp by exponents",
    inputs: "x: f32[4, 6]; w: f32[4, 6]",
    calls:
      "%a: f32[4, 6] = aten.neg.default(%x); %b: f32[4, 6] = aten.neg.default(%w); %y: f32[4, 6] = aten.logaddexp.default(%a, %b)",
    match: "aten.logaddexp.default($x, $y)",
    replace: "aten.log.default(aten.add.Tensor(aten.exp.default($x), aten.exp.default($y)))",
  },
  {
    name: "softplus without its threshold",
    inputs: "x: f32[4, 6]",
    calls: "%a: f32[4, 6] = aten.neg.default(%x); %y: f32[4, 6] = aten.softplus.default(%a)",
    match: "aten.softplus.default($x)",
    replace: "aten.log1p.default(aten.exp.default($x))",
  },
  {
    name: "a sigmoid by one exponent",
    inputs: "x: f32[4, 6]",
    calls: "%a: f32[4, 6] = aten.neg.default(%x); %y: f32[4, 6] = aten.sigmoid.default(%a)",
    match: "aten.sigmoid.default($x)",
    replace: "aten.div.Tensor(aten.exp.default($x), aten.add.Tensor(aten.exp.default($x), 1))",
  },
  {
    name: "tanh by exponents",
    inputs: "x: f32[4, 6]",
    calls: "%a: f32[4, 6] = aten.neg.default(%x); %y: f32[4, 6] = aten.tanh.default(%a)",
    match: "aten.tanh.default($x)",
    replace:
      "aten.div.Tensor(aten.sub.Tensor(aten.exp.default(aten.mul.Tensor($x, 2)), 1), aten.add.Tensor(aten.exp.default(aten.mul.Tensor($x, 2)), 1))",
  },
  {
    name: "log1p loses small numbers",
    inputs: "x: f32[4, 6]",
    calls: "%a: f32[4, 6] = aten.neg.default(%x); %y: f32[4, 6] = aten.log1p.default(%a)",
    match: "aten.log1p.default($x)",
    replace: "aten.log.default(aten.add.Tensor($x, 1))",
  },
  {
    name: "expm1 loses small numbers",
    inputs: "x: f32[4, 6]",
    calls: "%a: f32[4, 6] = aten.neg.default(%x); %y: f32[4, 6] = aten.expm1.default(%a)",
    match: "aten.expm1.default($x)",
    replace: "aten.sub.Tensor(aten.exp.default($x), 1)",
  },
  {
    name: "gelu by tanh",
    inputs: "x: f32[4, 6]",
    calls: "%a: f32[4, 6] = aten.neg.default(%x); %y: f32[4, 6] = aten.gelu.default(%a)",
    match: "aten.gelu.default($x)",
    replace: `aten.gelu.default($x, approximate="tanh")`,
  },
  {
    name: "half a step away from even",
    inputs: "x: f32[4, 6]",
    calls: "%a: f32[4, 6] = aten.neg.default(%x); %y: f32[4, 6] = aten.round.default(%a)",
    match: "aten.round.default($x)",
    replace: "aten.floor.default(aten.add.Tensor($x, 0.5))",
  },
  {
    name: "truncation is not floor",
    inputs: "x: f32[4, 6]",
    calls: "%a: f32[4, 6] = aten.neg.default(%x); %y: f32[4, 6] = aten.trunc.default(%a)",
    match: "aten.trunc.default($x)",
    replace: "aten.floor.default($x)",
  },
  {
    name: "another slope",
    inputs: "x: f32[4, 6]",
    calls: "%a: f32[4, 6] = aten.neg.default(%x); %y: f32[4, 6] = aten.leaky_relu.default(%a, 0.01)",
    match: "aten.leaky_relu.default($x, 0.01)",
    replace: "aten.leaky_relu.default($x, 0.0101)",
  },
  {
    name: "a bound at 6 is lost",
    inputs: "x: f32[4, 6]",
    calls: "%a: f32[4, 6] = aten.neg.default(%x); %y: f32[4, 6] = aten.relu6.default(%a)",
    match: "aten.relu6.default($x)",
    replace: "aten.relu.default($x)",
  },
  {
    name: "a bound at 1000 is lost",
    inputs: "x: f32[4, 6]",
    calls: "%a: f32[4, 6] = aten.neg.default(%x); %y: f32[4, 6] = aten.clamp_max.default(%a, 1000.0)",
    match: "aten.clamp_max.default($x, 1000.0)",
    replace: "$x",
  },
  {
    name: "a tiny bound is lost",
    inputs: "x: f32[4, 6]",
    calls: "%a: f32[4, 6] = aten.neg.default(%x); %y: f32[4, 6] = aten.clamp_min.default(%a, 0.0000001)",
    match: "aten.clamp_min.default($x, 0.0000001)",
    replace: "aten.relu.default($x)",
  },
  {
    name: "a tiny constant is lost",
    inputs: "x: f32[4, 6]",
    calls: "%a: f32[4, 6] = aten.neg.default(%x); %y: f32[4, 6] = aten.add.Tensor(%a, 0.000001)",
    match: "aten.add.Tensor($x, 0.000001)",
    replace: "$x",
  },
  {
    name: "a factor near 1 is lost",
    inputs: "x: f32[4, 6]",
    calls: "%a: f32[4, 6] = aten.neg.default(%x); %y: f32[4, 6] = aten.mul.Tensor(%a, 1.00001)",
    match: "aten.mul.Tensor($x, 1.00001)",
    replace: "$x",
  },
  {
    name: "bounds in the wrong order",
    inputs: "x: f32[4, 6]",
    calls: "%a: f32[4, 6] = aten.neg.default(%x); %y: f32[4, 6] = aten.clamp.default(%a, 2, 1)",
    match: "aten.clamp.default($x, 2, 1)",
    replace: "aten.clamp_min.default(aten.clamp_max.default($x, 1), 2)",
  },
  {
    name: "the root of a square",
    inputs: "x: f32[4, 6]",
    calls:
      "%a: f32[4, 6] = aten.neg.default(%x); %m: f32[4, 6] = aten.mul.Tensor(%a, %a); %y: f32[4, 6] = aten.sqrt.default(%m)",
    match: "aten.sqrt.default(aten.mul.Tensor($x, $x))",
    replace: "$x",
  },
  {
    name: "x / x is not 1 for 0",
    inputs: "x: f32[4, 6]",
    calls: "%a: f32[4, 6] = aten.neg.default(%x); %y: f32[4, 6] = aten.div.Tensor(%a, %a)",
    match: "aten.div.Tensor($x, $x)",
    replace: "aten.ones_like.default($x)",
  },
  {
    name: "x * 0 is not 0 for infinity",
    inputs: "x: f32[4, 6]",
    calls: "%a: f32[4, 6] = aten.neg.default(%x); %y: f32[4, 6] = aten.mul.Tensor(%a, 0)",
    match: "aten.mul.Tensor($x, 0)",
    replace: "aten.zeros_like.default($x)",
  },
  {
    name: "x + 0 is 0 for -0",
    inputs: "x: f32[4, 6]",
    calls: "%a: f32[4, 6] = aten.neg.default(%x); %y: f32[4, 6] = aten.add.Tensor(%a, 0)",
    match: "aten.add.Tensor($x, 0)",
    replace: "$x",
  },
  {
    name: "0 - x is not -x for 0",
    inputs: "x: f32[4, 6]",
    calls: "%a: f32[4, 6] = aten.neg.default(%x); %y: f32[4, 6] = aten.rsub.Scalar(%a, 0)",
    match: "aten.rsub.Scalar($x, 0)",
    replace: "aten.neg.default($x)",
  },
  {
    name: "the sign bit of -0",
    inputs: "x: f32[4]",
    calls: "%a: f32[4] = aten.neg.default(%x); %y: b8[4] = aten.signbit.default(%a)",
    match: "aten.signbit.default($x)",
    replace: "aten.lt.Scalar($x, 0)",
  },
  {
    name: "the quadrant is lost",
    inputs: "x: f32[4, 6]; w: f32[4, 6]",
    calls:
      "%a: f32[4, 6] = aten.neg.default(%x); %b: f32[4, 6] = aten.neg.default(%w); %y: f32[4, 6] = aten.atan2.default(%a, %b)",
    match: "aten.atan2.default($x, $y)",
    replace: "aten.atan.default(aten.div.Tensor($x, $y))",
  },
  {
    name: "a power too few",
    inputs: "x: f32[4, 6]",
    calls: "%a: f32[4, 6] = aten.neg.default(%x); %y: f32[4, 6] = aten.pow.Tensor_Scalar(%a, 3)",
    match: "aten.pow.Tensor_Scalar($x, 3)",
    replace: "aten.mul.Tensor($x, $x)",
  },
  {
    name: "not < is not >= for NaN",
    inputs: "x: f32[4]; z: f32[4]",
    calls: "%l: b8[4] = aten.lt.Tensor(%x, %z); %y: b8[4] = aten.logical_not.default(%l)",
    match: "aten.logical_not.default(aten.lt.Tensor($x, $y))",
    replace: "aten.ge.Tensor($x, $y)",
  },
  {
    name: "a maximum that drops NaN",
    inputs: "x: f32[4, 6]; w: f32[4, 6]",
    calls:
      "%a: f32[4, 6] = aten.neg.default(%x); %b: f32[4, 6] = aten.neg.default(%w); %y: f32[4, 6] = aten.maximum.default(%a, %b)",
    match: "aten.maximum.default($x, $y)",
    replace: "aten.where.self(aten.gt.Tensor($x, $y), $x, $y)",
  },
  {
    name: "infinity taken for NaN",
    inputs: "x: f32[4]",
    calls: "%a: f32[4] = aten.neg.default(%x); %y: b8[4] = aten.isnan.default(%a)",
    match: "aten.isnan.default($x)",
    replace: "aten.logical_not.default(aten.isfinite.default($x))",
  },
  {
    name: "infinity is replaced by 1",
    inputs: "x: f32[1]",
    calls: "%a: f32[1] = aten.neg.default(%x); %y: f32[1] = aten.nan_to_num.default(%a)",
    match: "aten.nan_to_num.default($x)",
    replace: "aten.nan_to_num.default($x, 0.0, 1.0)",
  },
  {
    name: "a masked product keeps infinity",
    inputs: "c: b8[4]; x: f32[4]",
    calls: "%z: f32[] = aten.full.default([], 0.0); %y: f32[4] = aten.where.self(%c, %x, %z)",
    match: "aten.where.self($c, $x, $z)",
    replace: "aten.mul.Tensor($x, $c)",
  },
  {
    name: "a mask that is not infinite",
    inputs: "c: b8[4]; x: f32[4]",
    calls: "%y: f32[4] = aten.masked_fill.Scalar(%x, %c, -inf)",
    match: "aten.masked_fill.Scalar($x, $c, -inf)",
    replace: "aten.masked_fill.Scalar($x, $c, -1000000000.0)",
  },
  {
    name: "a conjugate is lost",
    inputs: "x: c64[4]",
    calls: "%a: c64[4] = aten.neg.default(%x); %y: c64[4] = aten.conj_physical.default(%a)",
    match: "aten.conj_physical.default($x)",
    replace: "aten.mul.Tensor($x, 1)",
  },
  {
    name: "infinity becomes NaN",
    inputs: "x: f32[4]",
    calls: "%a: f32[4] = aten.neg.default(%x); %y: f32[4] = aten.relu.default(%a)",
    match: "aten.relu.default($x)",
    replace:
      "aten.where.self(aten.eq.Scalar($x, inf), aten.full_like.default($x, nan), aten.clamp_min.default($x, 0))",
  },
  {
    name: "infinity becomes finite",
    inputs: "x: f32[6]",
    calls: "%a: f32[6] = aten.neg.default(%x); %y: f32[6] = aten.exp.default(%a)",
    match: "aten.exp.default($x)",
    replace:
      "aten.reciprocal.default(aten.exp2.default(aten.mul.Tensor(aten.clamp.default($x, -50, 50), -1.4426950408889634)))",
  },
];

describe("wrong rules for functions of floats are attributed", () => {
  test.each(ROWS)("$name", (row) => {
    const passes = [rules("good", doubleNegation), rules("bad", ruleOfRow("wrong", row))];
    const { culprit } = bisect(programOfRow(row), passes, owned);
    expect(culprit).toMatchObject({
      kind: "numbers",
      pass: "bad",
      plugin: "mine",
      rewrite: { rule: "wrong" },
    });
  });
});
